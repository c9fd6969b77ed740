"""Causes: why lost items were lost, and what gained items did before (statistics.md 6).

The answer that scored lower decides: of a lost item the after-answer, of a gained one the before-answer. A valid choice
of another option is `wrong_answer`; else the first of `CAUSES` that fits. What a log records stands; texts are read only
where it leaves the cause open. Beside each cause stands its share among ALL answers of that side: a cause as common among
kept items explains nothing.
"""

from forgetmap.causes.find import find_causes
from forgetmap.causes.replies import CAUSES, FLAGS
from forgetmap.causes.table import DIRECTIONS, Causes
from forgetmap.estimate.validity import ValiditySplit, validity_split

__all__ = ["CAUSES", "DIRECTIONS", "FLAGS", "Causes", "ValiditySplit", "find_causes", "validity_split"]
