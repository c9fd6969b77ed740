"""Suite: a folder with `suite.yaml` and `tasks/*.yaml`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

from forgetmap.errors import SuiteError, UsageError
from forgetmap.suites.families import read_tasks
from forgetmap.suites.spec import SuiteFile, check_suite
from forgetmap.suites.task import Task
from forgetmap.yaml_files import read_yaml

_HERE = Path(__file__).parent
_MANIFEST = "suite.yaml"


@dataclass(frozen=True, eq=False)
class Suite:
    """A named set of tasks. Make one with `load`."""

    spec: SuiteFile
    tasks: list[Task]
    folder: Path

    def __repr__(self) -> str:
        return f"Suite({self.name!r}, {len(self.tasks)} tasks)"

    @property
    def name(self) -> str:
        """Its name in runs and on the command line."""
        return self.spec.name

    @property
    def title(self) -> str:
        """What people call it."""
        return self.spec.title

    def task(self, name: str) -> Task:
        """Return a task by its name, under any spelling known to `forgetmap.tasks`."""
        from difflib import get_close_matches

        from forgetmap.tasks import canonical_task

        by_name = {task.name: task for task in self.tasks}
        found = by_name.get(name) or by_name.get(canonical_task(name))
        if found is None:
            near = get_close_matches(name, by_name, n=3)
            remedy = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(list(by_name)[:8])} …"
            raise UsageError(f"task {name!r} is not in suite '{self.name}'; {remedy}")
        return found

    @cached_property
    def hash(self) -> str:
        """32 hexadecimal digits of all tasks' files and items: two runs with the same one were asked the same."""
        running = blake2b(digest_size=16)
        for task in sorted(self.tasks, key=lambda one: one.name):
            running.update(f"{task.name}\t{task.hash}\n".encode())
        return running.hexdigest()


def names() -> tuple[str, ...]:
    """Return the names of the suites that come with forgetmap."""
    return tuple(sorted(path.parent.name for path in _HERE.glob(f"*/{_MANIFEST}")))


def load(name_or_folder: str | Path, *, data_dir: str | Path | None = None) -> Suite:
    """Return a suite by its name, or from a folder with `suite.yaml` and `tasks/*.yaml`.

    `data_dir` is a local mirror of hub datasets, `DATA_DIR/OWNER/NAME/…`. No data are read before items are asked for.

    >>> load("captrack").task("gsm8k.subset").spec.source.hub
    'tri-fair-lab/captrack'
    """
    folder = _HERE / str(name_or_folder) if str(name_or_folder) in names() else Path(name_or_folder)
    if not (folder / _MANIFEST).is_file():
        raise UsageError(
            f"suite {str(name_or_folder)!r} is neither a folder with {_MANIFEST} nor one of {', '.join(names())}; give one "
            "of these names or such a folder"
        )
    mirror = None if data_dir is None else Path(data_dir)
    if mirror is not None and not mirror.is_dir():
        raise UsageError(f"data folder {str(data_dir)!r} does not exist; check --data-dir")
    path = folder / _MANIFEST
    try:
        content = read_yaml(path, SuiteError)
        if not isinstance(content, Mapping):
            raise SuiteError("holds no keys; write at least name and title")
        spec = check_suite(content)
    except SuiteError as error:
        raise SuiteError(f"{path}: {error}") from None
    files = sorted((folder / "tasks").glob("*.yaml"))
    for stray in sorted((folder / "tasks").glob("*")):
        if stray.suffix.lower() in (".yml", ".yaml") and stray not in files:  # nobody means a task to be left out
            raise SuiteError(f"{stray}: is not read under this name; rename it to {stray.stem}.yaml, or take it away")
    if not files:
        raise SuiteError(f"{folder}: no task in {folder / 'tasks'}; add a file NAME.yaml for each")
    tasks = [Task(one, folder, mirror) for file in files for one in read_tasks(file)]
    twice = [name for name, count in Counter(task.name for task in tasks).items() if count > 1]
    if twice:
        raise SuiteError(f"{folder}: task {twice[0]!r} is defined twice; rename or remove one")
    return Suite(spec, tasks, folder)
