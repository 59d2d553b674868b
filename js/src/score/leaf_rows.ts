/**
 * A tree and its leaves as rows: from the rows that came with the panel, or from the columns of a whole tree.
 *
 * In: a `Partition` or a `WholePartition`.  Out: `LeafRows`, those that a filter finds, or those that no folded node hides.
 */

import { once } from "../collections.ts";
import { FLAGS, type Partition, ROLES, ROW_KINDS, type Row, type RowColumns, type WholePartition } from "../schema.ts";

export interface LeafRows {
  about: Partition;
  /** Nodes and leaves in preorder. */
  tree: readonly Row[];
  /** Leaves, and whatever changed. */
  rows: readonly Row[];
  /** Nodes above this depth are open at first: there is room for what is beneath them. */
  depth: number;
}

const ROOM = 130; // rows of a tree at first

export const leafRowsOf = once((source: Partition | WholePartition): LeafRows => {
  const [about, rows] = "about" in source ? [source.about, rowsOf(source.rows)] : [source, source.rows];
  const tree = rows.filter(({ kind }) => kind !== "more");
  const upTo = (depth: number) => tree.filter((row) => row.depth <= depth).length;
  let depth = 0;
  while (upTo(depth) < tree.length && upTo(depth + 1) <= ROOM) depth += 1;
  return { about, tree, rows: tree.filter(({ kind, marks }) => kind !== "node" || marks.length > 0), depth };
});

/** The rows of a tree that no folded node hides. */
export function unfold(tree: readonly Row[], isOpen: (row: Row) => boolean): readonly Row[] {
  let deepest = 0;
  return tree.filter((row) => {
    const isSeen = row.depth <= deepest;
    if (isSeen) deepest = row.depth + Number(isOpen(row));
    return isSeen;
  });
}

function rowsOf(columns: RowColumns): Row[] {
  const marks = new Map(Array.from(columns.marked, (index, at) => [index, columns.marks[at] ?? []]));
  const textAt = (column: ArrayLike<number>, index: number) => columns.texts[column[index] ?? -1] ?? "";
  return Array.from(columns.kind, (kind, index) => ({
    kind: ROW_KINDS[kind] ?? "node",
    depth: columns.depth[index] ?? 0,
    name: textAt(columns.name, index),
    path: textAt(columns.path, index),
    type: textAt(columns.type, index),
    role: ROLES[columns.role[index] ?? -1] ?? null,
    aval: textAt(columns.aval, index),
    value: textAt(columns.value, index),
    traced: columns.traced[index] ?? 0,
    static: columns.static[index] ?? 0,
    nbytes: columns.nbytes[index] ?? 0,
    sharding: textAt(columns.sharding, index),
    ...flagsIn(columns.flags[index] ?? 0),
    marks: marks.get(index) ?? [],
  }));
}

function flagsIn(bits: number): Record<(typeof FLAGS)[number], boolean> {
  return Object.fromEntries(FLAGS.map((flag, bit) => [flag, Boolean((bits >> bit) & 1)])) as never;
}

/** The rows that have all words of a filter in their path, type or value. */
export function sift(rows: readonly Row[], filter: string): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter(({ path, name, type, aval, value }) => {
    const text = `${path || name} ${type} ${aval} ${value}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
