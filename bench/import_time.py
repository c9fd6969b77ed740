"""How long `import forgetmap` takes in a fresh process, beside `import pandas`; and that it pulls no torch."""

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
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
        taken.append(time.perf_counter() - start)
    return min(taken)


def main() -> None:
    empty = seconds("sys")
    mine, pandas = seconds("forgetmap") - empty, seconds("pandas") - empty
    line("import forgetmap", f"{mine:.2f} s (pandas {pandas:.2f} s)", "< 0.5 s", mine < 0.5)
    probe = f"import forgetmap, sys; print([name for name in {HEAVY} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.strip()
    line("  heavy modules pulled in", found, "[]", found == "[]")


if __name__ == "__main__":
    main()
