"""Recordings shaped for a screen: one typed schema, and limits on what is shown.

In: a `Recording`.  Out: `Panel` and its parts, which text, page and widget draw.
"""

from .panel import shape_explanation, shape_panel
from .schema import (
    FLAG_WORDS,
    AccountView,
    Detail,
    Difference,
    FindingView,
    FunctionView,
    GraphView,
    Lane,
    Links,
    OpRow,
    Panel,
    ProgramFacts,
    RaisedView,
    Row,
    Score,
    ScoreCell,
    ScoreColumn,
    ScoreRow,
    Span,
    Spent,
    Timeline,
    Verdict,
    Version,
)
from .screen_limits import DEPTH, PANEL, SAVED, SENTENCE_CHARS, TERMINAL, Limits
from .words import as_text, aval, plain, plain_path, read_spans, share, times
