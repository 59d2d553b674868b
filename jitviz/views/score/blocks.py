"""The tree of a score's rows: equal blocks once, chains of single children as one, what changed before the rest.

In: a tree of `Branch`es, and what each leaf was in all columns.  Out: `RowBlock`s in preorder.
Must never: recurse, or make a block that is not shown.
"""

import re
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from ...model import Leaf, Node
from ..schema import ScoreRowKind
from ..tree import Branch
from ..words import aval
from .leaf_states import last_type

_FEW_LEAVES, _FEW_NODES = 3, 2  # siblings that are alike and become one block, at least
_FIELDS = 2  # static fields of a module that become one block
_LAST_NUMBER = re.compile(r"^(.*?)(\d{1,15})(\D*)$", re.DOTALL)
_MOST_NAMES = 3  # of siblings that are alike
_MANY, _FEW_QUIET = 12, 4  # blocks below a node of which one changed, and how many of the others then have a row


@dataclass(eq=False)
class RowBlock:
    """A leaf or node, or several that are alike. `branches` are all that it stands for; the first is drawn."""

    kind: ScoreRowKind
    depth: int
    name: str
    path: str
    branches: list[Branch]
    below: "list[RowBlock]" = field(default_factory=list)
    n_hidden: int = 0  # leaves below it that have no block
    is_open: bool = False

    @property
    def branch(self) -> Branch:
        return self.branches[0]


class Blocks:
    """Grows the blocks of one tree. `varies` gives something for a branch that changed, equal for branches that changed
    in the same way, and None for others; `label` names what a subtree is a copy of ("model"), or gives ""."""

    def __init__(self, tree: Branch, varies: Callable[[Branch], Hashable | None]) -> None:
        self.tree = tree
        self._varies = varies
        self.changed: set[Branch] = set()  # what changed, and all above it
        self._number: dict[Branch, int] = {}  # equal for subtrees that are alike
        self._form: dict[Branch, int] = {}  # equal for subtrees with the same arrays at the same steps
        self._number_all()
        self._forms: dict[int, str] = {}
        for branch in tree.below:
            if branch.traced > 1:
                self._forms.setdefault(self._form[branch], branch.name)

    def like(self, branch: Branch) -> str:
        """The argument that has the same arrays as this part of another argument; or ""."""
        name = self._forms.get(self._form[branch], "") if branch.depth and branch.traced > 1 else ""
        return "" if name and branch.item.path.startswith(name) else name

    def _number_all(self) -> None:
        known: dict[object, int] = {}
        forms: dict[object, int] = {}
        for branch in reversed(list(self.tree.walk())):
            item, change = branch.item, self._varies(branch)
            inner = tuple((child.name, self._number[child]) for child in branch.below)
            arrays = tuple((child.name, self._form[child]) for child in branch.below if child.traced)
            if isinstance(item, Leaf):
                what: tuple[object, ...] = item.type, item.role, item.shape, item.dtype, item.weak_type, item.donated
                form: tuple[object, ...] = item.shape, item.dtype
            else:
                what, form = (item.type,), ()
            self._number[branch] = known.setdefault((what, change, inner), len(known))
            self._form[branch] = forms.setdefault((form, arrays), len(forms))
            if change is not None or any(child in self.changed for child in branch.below):
                self.changed.add(branch)

    def grow(self, most: int, most_children: int, most_open: int) -> list[RowBlock]:
        """The blocks of the arguments. Those above a change have their children; so have others from the top down, as
        long as there are fewer than `most`. `most_open` blocks are shown at first."""
        roots = self._children(self.tree, 0, most_children)
        queue, n, n_open = deque(roots), len(roots), len(roots)
        waiting: deque[RowBlock] = deque()
        while queue or waiting:
            block = (queue or waiting).popleft()
            if block.kind == "fields" or not block.branch.below:
                continue
            has_changed = block.branch in self.changed
            if not has_changed and queue:
                waiting.append(block)
                continue
            if not has_changed and n >= most:
                block.n_hidden = block.branch.traced + block.branch.static
                continue
            block.below = self._children(block.branch, block.depth + 1, most_children)
            n += len(block.below)
            has_room = n_open + len(block.below) <= most_open and block.kind == "node"
            if has_room or (has_changed and n_open <= most_open):
                block.is_open, n_open = True, n_open + len(block.below)
            queue.extend(block.below)
        return roots

    def _children(self, branch: Branch, depth: int, most: int) -> list[RowBlock]:
        """The blocks below a branch, at most about so many unless more changed; the rest is counted in one. Below a
        node, what changed is not lost among many others."""
        runs = list(self._grouped(branch))
        if depth and branch in self.changed and len(runs) > _MANY:
            most = _FEW_QUIET
        left_out = [run for run in runs if run.branches[0] not in self.changed][most:] if len(runs) > most else []
        hidden = [branch for run in left_out for branch in run.branches]
        is_out = set(map(id, left_out))
        blocks = [self._joined(self._block(run, depth)) for run in runs if id(run) not in is_out]
        if not hidden:
            return blocks
        n_hidden = sum(branch.traced + branch.static for branch in hidden)
        return [*blocks, RowBlock("more", depth, f"{n_hidden:,} more that never changed", branch.item.path, hidden)]

    def _grouped(self, branch: Branch) -> "Iterator[_Siblings]":
        below = [child for child in branch.below if self._has_something(child)]
        fields = [] if branch is self.tree else [child for child in below if self._is_plain_field(child)]
        apart = set(fields) if len(fields) >= _FIELDS else set()
        others = [child for child in below if child not in apart]
        for _, pairs in groupby(enumerate(others), lambda pair: self._number[pair[1]]):
            yield from map(_Siblings, self._runs([child for _, child in pairs]))
        if apart:
            yield _Siblings(fields, are_fields=True)

    def _has_something(self, branch: Branch) -> bool:
        """Whether there is a leaf, a change, or an argument of its own: an empty state is nothing to look at."""
        return bool(branch.traced or branch.static or branch in self.changed or branch.parent is self.tree)

    def _is_plain_field(self, branch: Branch) -> bool:
        is_static = isinstance(branch.item, Leaf) and branch.item.role == "static"
        return is_static and branch.name.startswith(".") and branch not in self.changed

    def _runs(self, alike: list[Branch]) -> Iterator[list[Branch]]:
        """Neighbours that are alike: those whose names count up, and large ones whatever their names are."""
        is_large = alike[0].size > 1 and alike[0].depth > 0
        runs: list[list[Branch]] = []
        following = None
        for branch in alike:
            number = None if is_large else _number_in(branch.name)
            if runs and branch.depth > 0 and (is_large or (number is not None and number == following)):
                runs[-1].append(branch)
            else:
                runs.append([branch])
            following = number and number.next
        for run in runs:
            few = _FEW_NODES if is_large else _FEW_LEAVES
            yield from [run] if len(run) >= few else ([branch] for branch in run)

    def _block(self, run: "_Siblings", depth: int) -> RowBlock:
        first = run.branches[0]
        if run.are_fields:
            return RowBlock("fields", depth, f"{len(run.branches)} static fields", "", run.branches)
        if len(run.branches) == 1:
            kind: ScoreRowKind = "node" if isinstance(first.item, Node) else "leaf"
            return RowBlock(kind, depth, first.name, first.item.path, run.branches)
        name = _name_of_run([branch.name for branch in run.branches])
        return RowBlock("group", depth, name, first.item.path.removesuffix(first.name) + name, run.branches)

    def _joined(self, block: RowBlock) -> RowBlock:
        """A node with a single child and that child as one block."""
        while block.kind == "node" and self._varies(block.branch) is None and len(block.branch.below) > 0:
            runs = list(self._grouped(block.branch))
            if len(runs) != 1 or runs[0].are_fields:
                break
            inner = self._block(runs[0], block.depth)
            block = RowBlock(inner.kind, block.depth, block.name + inner.name, inner.path, inner.branches)
        return block


class _Siblings(NamedTuple):
    """Siblings that are alike; or the static fields of a module."""

    branches: list[Branch]
    are_fields: bool = False


class _NumberedName(NamedTuple):
    """A name with a number: "['layer_", 7, "']"."""

    before: str
    number: int
    after: str

    @property
    def next(self) -> "_NumberedName":
        return self._replace(number=self.number + 1)


def _number_in(name: str) -> _NumberedName | None:
    match = _LAST_NUMBER.match(name)
    return _NumberedName(match[1], int(match[2]), match[3]) if match else None


def _name_of_run(names: Sequence[str]) -> str:
    """ "[0..5]", ".mu, .nu", ".a … .z"."""
    numbers = [_number_in(name) for name in names]
    first, last = numbers[0], numbers[-1]
    if first and last and numbers == [first._replace(number=first.number + i) for i in range(len(names))]:
        return f"{first.before}{first.number}..{last.number}{last.after}"
    return ", ".join(names) if len(names) <= _MOST_NAMES else f"{names[0]} … {names[-1]}"


def tell_block(block: RowBlock, like: str) -> str:
    """What stands to the right of a node or group: "Net", "6 × Linear", "2 × like model"."""
    item = block.branch.item
    what = aval(item.dtype, item.shape) or last_type(item.type) if isinstance(item, Leaf) else last_type(item.type)
    what = f"like {like}" if like else what
    return f"{len(block.branches)} × {what}" if block.kind == "group" else what


def in_order(roots: Sequence[RowBlock]) -> Iterator[RowBlock]:
    """All blocks in preorder."""
    stack = list(reversed(roots))
    while stack:
        block = stack.pop()
        yield block
        stack += reversed(block.below)
