"""Files that are empty, torn, hostile or huge: refused in one sentence, or read within bounds."""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from forgetmap import read_run
from forgetmap.errors import ForgetmapError, FormatError
from forgetmap.readers import source

ROW = {"question": "q", "gold": "a", "correct": True}


def write_rows(path: Path, rows: list[dict], tail: str = "") -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + tail, encoding="utf-8")
    return path


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"")
    with pytest.raises(FormatError, match=r"x\.jsonl"):
        read_run(path)
    path.write_bytes(b"\n \n")
    with pytest.raises(FormatError, match=r"x\.jsonl"):
        read_run(path)


def test_a_missing_path() -> None:
    with pytest.raises(FormatError, match="no such file"):
        read_run("nowhere/at/all")


@pytest.mark.faults
def test_a_torn_last_line_is_refused_unless_skipping_is_asked_for(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "x.jsonl", [{**ROW, "question": f"q{n}"} for n in range(3)], tail='{"question": "q9", "cor'
    )
    with pytest.raises(FormatError, match=r"line 4 is broken.*--skip-broken"):
        read_run(path)
    run = read_run(path, skip_broken=True)
    assert run.info.counts["samples"] == 3
    assert run.info.counts["skipped_lines"] == 1
    assert any("1 broken line" in warning for warning in run.info.warnings)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(json.dumps(ROW).encode() + b'\n{"question": "caf\xe9", "correct": true}\n')
    with pytest.raises(FormatError, match=r"line 2 is not UTF-8 \(byte 0xe9"):
        read_run(path)
    table = tmp_path / "x.csv"
    table.write_bytes(b"question,correct\nok,1\ncaf\xe9,0\n")
    with pytest.raises(FormatError, match="line 3 is not UTF-8"):
        read_run(table)


@pytest.mark.parametrize("pack", ["plain", "gzip", "zstd", "bom"])
def test_packed_files_and_byte_order_marks(tmp_path: Path, pack: str) -> None:
    content = "".join(json.dumps({**ROW, "question": f"q{n}"}) + "\n" for n in range(5)).encode()
    packed = {
        "plain": content,
        "gzip": gzip.compress(content),
        "zstd": zstandard.ZstdCompressor().compress(content),
        "bom": b"\xef\xbb\xbf" + content,
    }[pack]
    path = tmp_path / "x.jsonl"
    path.write_bytes(packed)
    assert read_run(path).info.counts["items"] == 5


@pytest.mark.faults
@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_packed_files_that_end_too_soon(tmp_path: Path, pack) -> None:
    import random

    noise = random.Random(1)
    rows = [{**ROW, "question": f"q{noise.random()}"} for _ in range(60_000)]
    path = tmp_path / "x.jsonl"
    path.write_bytes(pack("".join(json.dumps(row) + "\n" for row in rows).encode())[:-4000])
    with pytest.raises(FormatError, match=r"x\.jsonl"):
        read_run(path)


@pytest.mark.parametrize("name", ["../evil.json", "/etc/evil.json", "a/../../evil.json", "C:\\evil.json"])
def test_zip_members_that_point_outside(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, "[]")
    with pytest.raises(FormatError, match="points outside"):
        source.SafeZip(path)


@pytest.mark.faults
def test_a_zip_bomb_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.json", b"[" + b" " * (100 << 20) + b"]")
    with pytest.raises(FormatError, match="unpacks"):
        source.SafeZip(path)


def test_an_oversized_member_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.json", b"[1, 2, 3]")
    monkeypatch.setattr("forgetmap.readers.source.zips.MEMBER_BYTES", 5)
    with pytest.raises(FormatError, match="over the limit"):
        source.SafeZip(path)


@pytest.mark.scale
def test_a_very_long_line_takes_less_than_three_times_its_size(tmp_path: Path) -> None:
    """A line of 100 MB of prompt, with a bare NaN in it, in a process of its own."""
    path = tmp_path / "samples_t_2026-01-01T00-00-00.jsonl"
    line = {
        "doc_id": 0, "doc": {"question": "q", "choices": ["a", "b"]}, "target": "0",
        "arguments": {"gen_args_0": {"arg_0": "x" * 100_000_000, "arg_1": " a"}, "gen_args_1": {"arg_0": "", "arg_1": " b"}},
        "resps": [[["-1", "False"]], [["-2", "False"]]], "filtered_resps": [], "filter": "none", "metrics": ["acc", "other"],
        "prompt_hash": "ab" * 32, "acc": 1.0, "other": float("nan"),
    }  # fmt: skip
    path.write_text(json.dumps(line) + "\n")
    script = textwrap.dedent(
        """
        import resource, sys
        from forgetmap.readers import read_run, find_reader
        from forgetmap.readers.registry import _first_choice
        import forgetmap.map
        _first_choice()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        run = read_run(sys.argv[1])
        assert run.info.counts["nan_lines"] == 1
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        """
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1024 < 3 * path.stat().st_size
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0


def test_a_folder_with_other_files_beside_the_log(tmp_path: Path, logs: Path) -> None:
    import shutil

    folder = tmp_path / "log"
    shutil.copytree(logs / "lm_eval" / "before", folder)
    (folder / "notes.md").write_text("# my notes")
    (folder / "plot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    run = read_run(folder)
    assert sorted(run.info.other_files) == ["notes.md", "plot.png"]


def test_two_tools_in_one_folder_are_refused(tmp_path: Path, logs: Path) -> None:
    import shutil

    shutil.copytree(logs / "lm_eval" / "before", tmp_path / "log" / "a")
    shutil.copytree(logs / "inspect", tmp_path / "log" / "b")
    with pytest.raises(FormatError, match=r"inspect and lm-eval both accept it.*--format"):
        read_run(tmp_path / "log")


def test_a_file_nobody_knows(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"hello": "world"}')
    with pytest.raises(FormatError, match=r"no reader accepts.*--format"):
        read_run(path)


def test_half_a_surrogate_pair_is_a_replacement_character(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(
        rb'{"question": "cut \ud83d here, whole \ud83d\ude00, literal \\ud83d", "correct": true}' + b"\n"
        rb'{"question": "low \ude00", "correct": NaN}' + b"\n"
    )
    run = read_run(path)
    assert run.texts()["question"].to_list() == ["cut \ufffd here, whole \U0001f600, literal \\ud83d", "low \ufffd"]
    assert (run.info.counts["halved_characters"], run.info.counts["nan_lines"]) == (2, 1)


def test_a_torn_document_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"date": "x", "hash": "y", "eval": {"a": [')
    with pytest.raises(FormatError, match=r"x\.json: broken.*does not parse"):
        read_run(path)


@pytest.mark.faults
def test_a_broken_file_beside_a_log_is_named_not_fatal(tmp_path: Path, logs: Path) -> None:
    import shutil

    folder = tmp_path / "log"
    shutil.copytree(logs / "lm_eval" / "before", folder)
    (folder / "torn.eval").write_bytes(b"PK\x03\x04 and no more")
    (folder / "torn.parquet").write_bytes(b"PAR1 and no more")
    run = read_run(folder)
    assert any("2 files are broken" in warning for warning in run.info.warnings)
    with pytest.raises(FormatError, match="broken"):
        read_run(folder / "torn.eval")


def test_nested_too_deep(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(ROW) + "\n" + "[" * 100_000 + "\n")
    with pytest.raises(FormatError, match="line 2"):
        read_run(path)


@pytest.mark.fuzz
@given(
    st.binary(max_size=300),
    st.sampled_from([b"", b"{", b'{"doc_id": 0, ', b"PK\x03\x04", b"PAR1", b"[", b"question,correct\n"]),
)
def test_random_bytes_are_refused_not_crashed_on(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, start: bytes
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "x.jsonl"
    path.write_bytes(start + content)
    try:
        read_run(path)
    except ForgetmapError as refusal:
        assert str(path) in str(refusal)


def test_third_parties_add_a_format(tmp_path: Path) -> None:
    """A package with an entry point in the group forgetmap.readers is found; a name taken twice is refused."""
    (tmp_path / "mytool.py").write_text(
        textwrap.dedent(
            """
            from forgetmap import Run
            import polars as pl
            def detects(path): return path.is_file() and path.read_bytes().startswith(b"MYTOOL")
            def read(path, options): return Run.from_frame(pl.DataFrame({"question": ["q"], "correct": [True]}), model="mine")
            """
        )
    )
    info = tmp_path / "mytool-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mytool\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[forgetmap.readers]\nmytool = mytool\n")
    (tmp_path / "log.bin").write_text("MYTOOL 1\n")
    script = "import forgetmap, sys; print(forgetmap.read_run(sys.argv[1]).info.model)"

    def run() -> subprocess.CompletedProcess[str]:
        command = [
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {script}",
            str(tmp_path / "log.bin"),
        ]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run().stdout.strip() == "mine", run().stderr
    (info / "entry_points.txt").write_text("[forgetmap.readers]\nlm-eval = mytool\n")
    assert "two readers are called 'lm-eval'" in run().stderr
