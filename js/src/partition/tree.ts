/**
 * A partition tree in preorder, from rows or from columns, with its folds and filters.
 *
 * In: a `Partition` (some rows) or a `WholePartition` (all, as columns).  Out: `Tree`, and the rows to draw.
 * Must never: make an object for a row that is not drawn; there may be twenty thousand.
 */

import { once } from "../collections.ts";
import { FLAGS, type Partition, ROLES, ROW_KINDS, type Row, type RowColumns, type WholePartition } from "../schema.ts";

export interface Tree {
  readonly n: number;
  readonly about: Partition;
  readonly depth: ArrayLike<number>;
  /** One past the last row of the subtree of each row. */
  readonly end: Int32Array;
  readonly parent: Int32Array;
  /** Rows that changed. */
  readonly marked: ArrayLike<number>;
  row(index: number): Row;
  name(index: number): string;
  path(index: number): string;
  /** The text that a filter searches, in lower case. */
  text(index: number): string;
}

export const growTree = once((source: Partition | WholePartition): Tree => {
  return "about" in source ? fromColumns(source) : fromRows(source);
});

function fromRows(source: Partition): Tree {
  const { rows } = source;
  const depth = rows.map((row) => row.depth);
  const marked = rows.flatMap((row, index) => (row.marks.length ? [index] : []));
  const row = (index: number) => rows[index] as Row;
  const text = (index: number) => {
    const { path, name, type, aval, value } = row(index);
    return `${path || name} ${type} ${aval} ${value}`.toLowerCase();
  };
  const name = (index: number) => row(index).name;
  const path = (index: number) => row(index).path;
  const links = linkRows(depth);
  return { n: rows.length, about: source, depth, ...links, marked, row, name, path, text };
}

function fromColumns({ about, rows }: WholePartition): Tree {
  const marks = new Map(Array.from(rows.marked, (index, at) => [index, rows.marks[at] ?? []]));
  const textAt = (column: ArrayLike<number>, index: number) => rows.texts[column[index] ?? -1] ?? "";
  return {
    n: rows.kind.length,
    about,
    depth: rows.depth,
    ...linkRows(rows.depth),
    marked: rows.marked,
    row: (index) => ({
      kind: ROW_KINDS[rows.kind[index] ?? 0] ?? "node",
      depth: rows.depth[index] ?? 0,
      name: textAt(rows.name, index),
      path: textAt(rows.path, index),
      type: textAt(rows.type, index),
      role: ROLES[rows.role[index] ?? -1] ?? null,
      aval: textAt(rows.aval, index),
      value: textAt(rows.value, index),
      traced: rows.traced[index] ?? 0,
      static: rows.static[index] ?? 0,
      nbytes: rows.nbytes[index] ?? 0,
      sharding: textAt(rows.sharding, index),
      ...flagsOf(rows, index),
      marks: marks.get(index) ?? [],
    }),
    name: (index) => textAt(rows.name, index),
    path: (index) => textAt(rows.path, index),
    text: (index) =>
      `${textAt(rows.path, index)} ${textAt(rows.type, index)} ${textAt(rows.aval, index)} ${textAt(rows.value, index)}`.toLowerCase(),
  };
}

function flagsOf(rows: RowColumns, index: number): Record<(typeof FLAGS)[number], boolean> {
  const bits = rows.flags[index] ?? 0;
  return Object.fromEntries(FLAGS.map((flag, bit) => [flag, Boolean((bits >> bit) & 1)])) as never;
}

function linkRows(depth: ArrayLike<number>): { end: Int32Array; parent: Int32Array } {
  const end = new Int32Array(depth.length);
  const parent = new Int32Array(depth.length).fill(-1);
  const open: number[] = [];
  for (let index = 0; index < depth.length; index += 1) {
    while (open.length && (depth[open.at(-1) ?? 0] ?? 0) >= (depth[index] ?? 0)) end[open.pop() ?? 0] = index;
    parent[index] = open.at(-1) ?? -1;
    open.push(index);
  }
  for (const index of open) end[index] = depth.length;
  return { end, parent };
}

/** What is folded at first. From the roots down, nodes are open as long as there is room; those above a change always are. */
export function foldedAtFirst(tree: Tree, room = 130): Set<number> {
  const open = new Set<number>();
  for (const marked of Array.from(tree.marked)) {
    for (let index = tree.parent[marked] ?? -1; index >= 0; index = tree.parent[index] ?? -1) open.add(index);
  }
  const nodes: number[] = [];
  for (let index = 0; index < tree.n; index += 1) if ((tree.end[index] ?? 0) > index + 1) nodes.push(index);
  const byDepth = [...nodes].sort((a, b) => (tree.depth[a] ?? 0) - (tree.depth[b] ?? 0) || a - b);
  let left = room;
  for (const node of byDepth) {
    left -= childrenOf(tree, node).length;
    if (left < 0) break;
    open.add(node);
  }
  return new Set(nodes.filter((node) => !open.has(node)));
}

/** The rows right below one, or the roots below -1. */
function childrenOf(tree: Tree, node: number): number[] {
  const children: number[] = [];
  const end = node < 0 ? tree.n : (tree.end[node] ?? node + 1);
  for (let child = node + 1; child < end; child = tree.end[child] ?? tree.n) children.push(child);
  return children;
}

export interface Sieve {
  filter: string;
  onlyChanged: boolean;
  folded: ReadonlySet<number>;
}

interface Sifted {
  /** The rows to draw. */
  rows: number[];
  /** How many leaves the filter found. */
  hits: number;
  /** How many of them a filter found below each row. */
  hitsBelow: ArrayLike<number>;
  /** Whether rows are left below this one, so that it can be folded. */
  isNode(index: number): boolean;
}

/** What is left of a tree. A filter, like "only what changed", keeps the ancestors of each row that it lets through. */
export function sift(tree: Tree, { filter, onlyChanged, folded }: Sieve): Sifted {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const isParent = (index: number) => (tree.end[index] ?? 0) > index + 1;
  if (words.length === 0 && !onlyChanged) {
    return { rows: unfolded(tree, folded, () => true), hits: 0, hitsBelow: [], isNode: isParent };
  }
  const changed = onlyChanged ? new Set(Array.from(tree.marked)) : null;
  const kept = new Uint8Array(tree.n);
  const hitsBelow = new Int32Array(tree.n);
  const above = new Uint8Array(tree.n);
  let hits = 0;
  for (let index = 0; index < tree.n; index += 1) {
    if (changed && !changed.has(index)) continue;
    if (words.length) {
      const text = tree.text(index);
      if (!words.every((word) => text.includes(word))) continue;
    }
    const isHit = !isParent(index);
    if (isHit) hits += 1;
    kept[index] = 1;
    for (let at = tree.parent[index] ?? -1; at >= 0; at = tree.parent[at] ?? -1) {
      kept[at] = 1;
      above[at] = 1;
      if (isHit && words.length) hitsBelow[at] = (hitsBelow[at] ?? 0) + 1;
    }
  }
  return {
    rows: unfolded(tree, folded, (index) => kept[index] === 1),
    hits,
    hitsBelow,
    isNode: (index) => above[index] === 1,
  };
}

function unfolded(tree: Tree, folded: ReadonlySet<number>, isKept: (index: number) => boolean): number[] {
  const rows: number[] = [];
  let index = 0;
  while (index < tree.n) {
    if (isKept(index)) rows.push(index);
    index = folded.has(index) ? (tree.end[index] ?? index + 1) : index + 1;
  }
  return rows;
}

/** "equinox.nn._linear.Linear" is a Linear. */
export function shortName(type: string): string {
  return type === "NoneType" ? "None" : (type.split(".").at(-1) ?? "");
}
