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
    cases = []
    for check in result.checks:
        cases.append(("forgetmap.conditions", check.name, check.found, check.reason if not check.passed else None))
    for rule in result.rules:
        reading = f", {rule.reading} reading" if rule.reading else ""
        found = f"{share(rule.estimate)} ({interval(rule)}), limit {asked(rule)}, {rule.items:,} items{reading}"
        cases.append((f"forgetmap.limits.{rule.level}", rule.what, found, rule.reason if not rule.passed else None))
    failures = sum(reason is not None for *_, reason in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}
    root = ET.Element("testsuites", {"name": "forgetmap gate", **counts})
    suite = ET.SubElement(
        root, "testsuite", {"name": clean(f"forgetmap gate {result.title}"), **counts, "skipped": "0"}
    )
    for group, name, found, reason in cases:
        case = ET.SubElement(suite, "testcase", {"classname": group, "name": clean(name)})
        if reason is not None:
            ET.SubElement(case, "failure", {"message": clean(reason)}).text = clean(f"{reason}\n{found}")
        else:
            ET.SubElement(case, "system-out").text = clean(found)
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
