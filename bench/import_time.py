"""How long `from forgetmap import compare` takes in a fresh process, beside `import pandas`; and that it pulls no torch."""

from __future__ import annotations

import subprocess
import sys
import time

from measure import line

HEAVY = ("torch", "transformers", "pandas", "scipy", "pydantic", "plotly")


def seconds(module: str, times: int = 5) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", module], check=True)
        taken.append(time.perf_counter() - start)
    return min(taken)


def main() -> None:
    empty = seconds("import sys")
    mine, pandas = seconds("from forgetmap import compare") - empty, seconds("import pandas") - empty
    line("from forgetmap import compare", f"{mine:.2f} s (pandas {pandas:.2f} s)", "< 0.5 s", mine < 0.5)
    probe = f"import sys; from forgetmap import compare; print([name for name in {HEAVY} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.strip()
    line("  heavy modules pulled in", found, "[]", found == "[]")


if __name__ == "__main__":
    main()
