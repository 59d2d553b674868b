"""Make the edit of a finding, as a person would, but by script."""

from jitviz.model.finding import Edit


def edited(program: str, edit: Edit) -> str:
    """The program with the new lines in place of the old ones, which stand where the edit says."""
    lines, first = program.split("\n"), edit.line - 1
    last = first + len(edit.old.split("\n"))
    assert "\n".join(lines[first:last]) == edit.old
    return "\n".join([*lines[:first], edit.new, *lines[last:]])
