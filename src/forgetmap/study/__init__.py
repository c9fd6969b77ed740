"""Studies: a map over many pairs, with what is known of each: groups, sizes, stages, seeds, trends."""

from forgetmap.study.compute import compute_study
from forgetmap.study.file import load_study
from forgetmap.study.result import StudyResult
from forgetmap.study.spec import Study, StudyError

__all__ = ["Study", "StudyError", "StudyResult", "compute_study", "load_study"]
