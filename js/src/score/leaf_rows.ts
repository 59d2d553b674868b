/**
 * The leaves of a tree as rows: from the rows that came with the panel, or from the columns of a whole tree.
 *
 * In: a `Partition` or a `WholePartition`.  Out: `LeafRows`: leaves, and whatever changed.
 */

import { once } from "../collections.ts";
import { FLAGS, type Partition, ROLES, ROW_KINDS, type Row, type RowColumns, type WholePartition } from "../schema.ts";

export interface LeafRows {
  about: Partition;
  rows: readonly Row[];
}

export const leafRowsOf = once((source: Partition | WholePartition): LeafRows => {
  const [about, rows] = "about" in source ? [source.about, rowsOf(source.rows)] : [source, source.rows];
  return { about, rows: rows.filter(({ kind, marks }) => kind === "leaf" || kind === "gone" || marks.length > 0) };
});

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
