/**
 * The arguments of a call as slices: their parts, and which of them changed.
 *
 * In: a `Tree`.  Out: a `Cut` in which similar siblings are one slice, and so are the leaves of one kind.
 * Must never: merge what changed into anything, or make it too narrow to be seen.
 */

import { addToGroup, once } from "../collections.ts";
import { numberAlike, shortName } from "../partition/grouping.ts";
import { childrenOf, type Tree } from "../partition/tree.ts";
import { type Cut, placeSlices, type Slice, sliceOf } from "../time/slices.ts";
import { count, grouped } from "../words/numbers.ts";

const FEW = 4; // leaves of one node that are drawn one by one
const CHANGED = 0.5; // of the whole, for all that changed
const MOST_CHANGED = 0.3; // for one leaf of it
const MOST_DEPTH = 8; // what changed below it stands right there

export const cutTree = once((tree: Tree): Cut => {
  const alike = numberAlike(tree);
  const marked = new Set(Array.from(tree.marked));
  const total = tree.about.traced + tree.about.static;
  const least = total * Math.min(MOST_CHANGED, CHANGED / Math.max(1, marked.size));
  const slices: Slice[] = [
    sliceOf("all arguments", "kind-none", total, 0, -1, tellSums(tree.about.traced, tree.about.static)),
  ];
  const add = (index: number, times: number, siblings: number, depth: number, parent: number): number => {
    const row = tree.row(index);
    const isMarked = marked.has(index);
    const at = slices.length;
    const often = siblings > 1 ? ` ×${grouped(siblings)}` : "";
    const name = `${row.name}${row.kind === "node" ? ` ${shortName(row.type)}` : ""}${often}`;
    const leaves = Math.max(1, row.traced + row.static) * times;
    const kind = isMarked ? "changed" : row.kind === "node" ? "node" : row.role === "static" ? "static" : "traced";
    const change = row.marks
      .map(({ before, after }) => (before || after ? `${before} → ${after}` : "changed"))
      .join(", ");
    const note =
      change || (row.kind === "node" ? tellSums(row.traced * siblings, row.static * siblings) : row.aval || row.value);
    slices.push(sliceOf(name.trim(), `kind-${kind}`, leaves, depth, parent, note));
    const inner = below(index, times, depth + 1, at);
    const slice = slices[at] as Slice;
    slice.amount = Math.max(inner, isMarked ? least : 0, inner && depth < MOST_DEPTH ? 0 : leaves);
    return slice.amount;
  };
  const below = (of: number, times: number, depth: number, parent: number): number => {
    const groups = new Map<number, number[]>();
    const leaves: Record<"traced" | "static", number[]> = { traced: [], static: [] };
    for (const child of depth > MOST_DEPTH ? changedBelow(of) : childrenOf(tree, of)) {
      const row = tree.row(child);
      const isWhole = tree.end[child] === child + 1; // nothing inside it changed, as the fields of a static value can
      if (row.kind !== "node" && isWhole && !marked.has(child)) {
        if (row.kind === "leaf") leaves[row.role === "static" ? "static" : "traced"].push(child);
        continue;
      }
      addToGroup(groups, alike[child] ?? 0, child);
    }
    let sum = 0;
    for (const group of groups.values()) sum += add(group[0] ?? 0, times * group.length, group.length, depth, parent);
    for (const kind of ["traced", "static"] as const) {
      const alone = leaves[kind];
      if (kind === "traced" && alone.length <= FEW) {
        for (const leaf of alone) sum += add(leaf, times, 1, depth, parent);
      } else if (alone.length) {
        const amount = alone.length * times;
        const name = kind === "traced" ? count(amount, "array") : `${grouped(amount)} static`;
        slices.push(sliceOf(name, `kind-${kind}`, amount, depth, parent, ""));
        sum += amount;
      }
    }
    return sum;
  };
  /** What changed anywhere below a row, without what is inside of it. */
  function* changedBelow(of: number): Generator<number> {
    for (let at = of + 1; at < (tree.end[of] ?? 0); at = marked.has(at) ? (tree.end[at] ?? at + 1) : at + 1) {
      if (marked.has(at)) yield at;
    }
  }
  (slices[0] as Slice).amount = below(-1, 1, 1, 0) || total;
  return { slices: placeSlices(slices), tell: (amount) => count(Math.round(amount), "leaf") };
});

function tellSums(traced: number, isStatic: number): string {
  return [traced && `${grouped(traced)} traced`, isStatic && `${grouped(isStatic)} static`].filter(Boolean).join(", ");
}
