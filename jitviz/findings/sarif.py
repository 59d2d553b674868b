"""The findings as a SARIF log, by which editors and code review show them at their lines.

In: a `Recording`.  Out: JSON of SARIF 2.1.0.
Must never: look at a file: the paths are those of the recording.
"""

import json
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import quote

from ..model import Finding, cell_of, count, seconds, split_source
from ..recording import Recording
from .find import find

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def write_sarif(recording: Recording) -> str:
    """Write one result for each finding, in their order, with its edit as a fix."""
    with recording.held_still():
        findings, versions = find(recording), dict(recording.facts.versions)
        rules = list(dict.fromkeys(map(_rule, findings)))
    driver = {"name": "jitviz", "version": versions.get("jitviz", "?"), "rules": [{"id": rule} for rule in rules]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": list(map(_result, findings))}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, allow_nan=False)


def _rule(finding: Finding) -> str:
    return f"{finding.kind}/{finding.reason}" if finding.reason else finding.kind


def _result(finding: Finding) -> dict[str, Any]:
    cause = " ".join((finding.home, finding.name or finding.function, _rule(finding), finding.path))
    result: dict[str, Any] = {
        "ruleId": _rule(finding),
        "level": "note" if finding.is_maybe or not (finding.saves or finding.saves_s) else "warning",
        "message": {"text": tell_finding(finding)},
        "locations": [_location(finding.source)] if finding.source else [],
        "partialFingerprints": {"cause/v1": cause},  # the same in the next run, wherever its line is then
        "properties": {"seconds": finding.seconds, "saves": finding.saves, "saves_s": finding.saves_s},
    }
    if (edit := finding.edit) and not cell_of(edit.file):
        lines = {"startLine": edit.line, "endLine": edit.line + edit.old.count("\n")}
        replacement = {"deletedRegion": lines, "insertedContent": {"text": edit.new}}
        change = {"artifactLocation": _artifact(edit.file), "replacements": [replacement]}
        result["fixes"] = [{"description": {"text": finding.advice}, "artifactChanges": [change]}]
    return result


def tell_finding(finding: Finding) -> str:
    """What happened, what to do, and what that saves, in a paragraph."""
    about = f"`{finding.function}`: " if finding.function else ""
    told = [f"{about}{finding.summary}.", finding.advice]
    if finding.saves:
        told.append(f"Fixing this alone saves {count(finding.saves, 'compile')}, {seconds(finding.saves_s)}.")
    return " ".join(filter(None, told))


def _location(source: str) -> dict[str, Any]:
    file, line = split_source(source)
    if cell_of(source):  # which is in no file
        return {"logicalLocations": [{"name": file, "fullyQualifiedName": source}]}
    region = {"region": {"startLine": line}} if line else {}
    return {"physicalLocation": {"artifactLocation": _artifact(file or source), **region}}


def _artifact(file: str) -> dict[str, str]:
    """Where a file is: relative paths are to the folder that the program ran in, and `~` is a home folder."""
    path = PurePosixPath(file) if file.startswith("/") else PureWindowsPath(file)
    if path.is_absolute():
        return {"uri": path.as_uri()}
    if path.parts[:1] == ("~",):
        return {"uri": quote("/".join(path.parts[1:])), "uriBaseId": "HOME"}
    return {"uri": quote(path.as_posix())}
