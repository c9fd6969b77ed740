"""A gate's result as JUnit XML: every limit and every condition is a test case."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from forgetmap.gate.result import GateResult, share
from forgetmap.gate.text import asked, interval

#: What XML 1.0 cannot hold, not even escaped.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    """Return text without the signs that XML cannot hold.

    >>> clean("a\\x00b\\x1b[31m")
    'ab[31m'
    """
    return _ILLEGAL.sub("", text)


def gate_junit(result: GateResult) -> str:
    """Return the document, in the form that GitHub, GitLab and Jenkins read."""
    cases: list[tuple[str, str, str, bool | None, str | None]] = []
    for check in result.checks:
        cases.append(("forgetmap.conditions", check.name, check.found, check.passed, check.reason))
    for rule in result.rules:
        reading = f", {rule.reading} reading" if rule.reading else ""
        counted = f"{rule.items:,} items" if rule.seen is None else f"{rule.seen:,} of {rule.items:,} items"
        found = f"{share(rule.estimate)} ({interval(rule)}), limit {asked(rule)}, {counted}{reading}"
        cases.append((f"forgetmap.limits.{rule.level}", rule.what, found, rule.passed, rule.reason))
    outcomes = [passed for *_, passed, _ in cases]
    failures, skipped = outcomes.count(False), outcomes.count(None)
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": "0", "skipped": str(skipped)}
    root = ET.Element("testsuites", {"name": "forgetmap gate", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": clean(f"forgetmap gate {result.title}"), **counts})
    for group, name, found, passed, reason in cases:
        case = ET.SubElement(suite, "testcase", {"classname": group, "name": clean(name)})
        if passed is False:
            said = reason or found
            ET.SubElement(case, "failure", {"message": clean(said)}).text = clean(f"{said}\n{found}")
        elif passed is None:  # open when the gate stopped: neither kept nor broken
            ET.SubElement(case, "skipped", {"message": clean(reason or found)})
        else:
            ET.SubElement(case, "system-out").text = clean(found)
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
