"""The vocabulary: leaves, signatures, calls, compiles, reasons and findings; paths, counts and quantities.

In: nothing.  Out: frozen dataclasses, and short functions about them and their texts, used by every other layer.

The events that calls and compiles are derived from are in `jitviz.recording.events`.
"""

from .arguments import Form, Leaf, Node, Placement, Read, ReadKind, Role, Signature
from .counting import has_cause, has_compiled, hits_seen, is_ahead, is_avoidable, is_loaded, is_recompile
from .equality import Description, Equality, Token
from .finding import WHATS, Account, Choice, Edit, Finding, FindingKind, Part, Plan, RunChange, Share, What
from .outside_jit import (
    AHEAD,
    CALLBACK,
    GARBAGE,
    MAIN_THREAD,
    MOST_THREADS,
    OTHER_THREADS,
    TRACED,
    UNDER,
    Doing,
    EagerLine,
    Glance,
    OpByOp,
    Sample,
)
from .paths import cell_of, holder_of, is_below, last_name, raised_at, root_of, split_source, step_up, steps_to
from .quantities import (
    SHORT_DTYPES,
    array_type,
    arrow,
    count,
    first_of,
    listed,
    median,
    plural,
    quantity,
    seconds,
    shortened,
    size,
    wider,
    widest,
)
from .raised import Raised
from .reason import KINDS, Judgement, Kind, ProgramDifference, Reason, Verdict
from .rows import (
    TEXT_TITLES,
    UNKNOWN,
    Call,
    Compile,
    Cost,
    Function,
    HitsSeen,
    ListingName,
    Memory,
    Miss,
    Outcome,
    Phase,
    PhaseName,
    RowLinks,
    TextName,
)
