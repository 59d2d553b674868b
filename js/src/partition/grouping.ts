/**
 * Groups a tree: similar siblings become one row, and so do the static fields of a module.
 *
 * In: a `Tree`.  Out: a `Tree` with rows of that kind above the rows they stand for; `argument_slices.ts` draws them once as well.
 * Must never: hide a change, or a row that no group represents.
 */

import { once } from "../collections.ts";
import { FLAGS, type Row } from "../schema.ts";
import { childrenOf, linkRows, type Tree } from "./tree.ts";

const FEW = 3; // similar siblings, at least
const FIELDS = 2; // static fields of a module, at least

export const groupTree = once((tree: Tree): Tree => {
  const alike = numberAlike(tree);
  const marked = new Set(Array.from(tree.marked));
  const source: number[] = []; // the row of `tree`, or -1 for one of `made`
  const depth: number[] = [];
  const made = new Map<number, Row>();
  const add = (index: number, level: number) => {
    depth.push(level);
    source.push(index);
  };
  const addAll = (rows: readonly number[], level: number) => {
    for (const row of rows) {
      add(row, level);
      if ((tree.end[row] ?? 0) > row + 1) walk(row, level + 1);
    }
  };
  const addGroup = (row: Row, rows: readonly number[], level: number) => {
    made.set(source.length, row);
    add(-1, level);
    addAll(rows, level + 1);
  };
  const walk = (of: number, level: number) => {
    const children = childrenOf(tree, of);
    const fields = of < 0 ? [] : children.filter((child) => !marked.has(child) && isStaticField(tree, child));
    const apart = fields.length >= FIELDS ? new Set(fields) : new Set<number>();
    const others = children.filter((child) => !apart.has(child));
    for (let at = 0; at < others.length; ) {
      const run = of < 0 ? 1 : lengthOfRun(tree, others, at, alike);
      const rows = others.slice(at, at + run);
      if (run >= FEW) addGroup(rowOfMany(tree, rows), rows, level);
      else addAll(rows, level);
      at += run;
    }
    if (apart.size) addGroup(rowOfFields(tree, fields), fields, level);
  };
  walk(-1, 0);
  const at = new Int32Array(tree.n);
  for (let index = 0; index < source.length; index += 1) at[source[index] ?? -1] = index; // a group is at -1: nowhere
  return {
    n: source.length,
    about: tree.about,
    depth,
    ...linkRows(depth),
    marked: Array.from(tree.marked, (row) => at[row] ?? 0),
    isGroup: (index) => made.has(index),
    row: (index) => made.get(index) ?? { ...tree.row(source[index] ?? 0), depth: depth[index] ?? 0 },
    name: (index) => made.get(index)?.name ?? tree.name(source[index] ?? 0),
    path: (index) => made.get(index)?.path ?? tree.path(source[index] ?? 0),
    text: (index) => (made.has(index) ? "" : tree.text(source[index] ?? 0)),
    key: (index) => (made.has(index) ? "" : tree.key(source[index] ?? 0)),
  };
});

/** Numbers of rows; equal for rows without changes whose subtrees differ only in the name at the top. */
export const numberAlike = once((tree: Tree): Int32Array => {
  const numbers = new Int32Array(tree.n);
  const known = new Map<string, number>();
  const marked = new Set(Array.from(tree.marked));
  for (let index = tree.n - 1; index >= 0; index -= 1) {
    const inner = childrenOf(tree, index)
      .map((child) => `${tree.name(child)}:${numbers[child]}`)
      .join(" ");
    const key = marked.has(index) ? `changed ${index}` : `${tree.key(index)} (${inner})`;
    const number = known.get(key) ?? known.size;
    known.set(key, number);
    numbers[index] = number;
  }
  return numbers;
});

function isStaticField(tree: Tree, index: number): boolean {
  if (!tree.name(index).startsWith(".")) return false;
  const { kind, role } = tree.row(index);
  return kind === "leaf" && role === "static";
}

const LAST_NUMBER = /^(.*?)(\d+)(\D*)$/s;

/** How many siblings from `at` on are alike, and count up in their names: "[0]", "[1]"; "['layer_7']", "['layer_8']". */
function lengthOfRun(tree: Tree, rows: readonly number[], at: number, alike: Int32Array): number {
  const first = rows[at] ?? 0;
  const name = LAST_NUMBER.exec(tree.name(first));
  if (!name) return 1;
  let run = 1;
  for (; at + run < rows.length; run += 1) {
    const next = rows[at + run] ?? 0;
    const expected = `${name[1]}${Number(name[2]) + run}${name[3]}`;
    if (alike[next] !== alike[first] || tree.name(next) !== expected) break;
  }
  return run;
}

/** "[0..11] Block ×12" */
function rowOfMany(tree: Tree, rows: readonly number[]): Row {
  const first = tree.row(rows[0] ?? 0);
  const [, before = "", from = "", after = ""] = LAST_NUMBER.exec(first.name) ?? [];
  const name = `${before}${from}..${Number(from) + rows.length - 1}${after}`;
  const path = first.path.endsWith(first.name) ? first.path.slice(0, -first.name.length) + name : "";
  const what = first.kind === "node" ? shortName(first.type) : first.aval || first.value || first.type;
  const { depth, traced, static: isStatic, nbytes } = first; // the others are like it
  const n = rows.length;
  const sums = { traced: n * traced, static: n * isStatic, nbytes: n * nbytes };
  return { ...EMPTY, ...sums, depth, name, path, type: `${what} ×${n}` };
}

/** "3 static fields: in_features 2, out_features 32, use_bias True" */
function rowOfFields(tree: Tree, rows: readonly number[]): Row {
  const fields = rows.map((row) => tree.row(row));
  const value = fields.map(({ name, value, type }) => `${name.slice(1)} ${value || type}`).join(", ");
  const n = rows.length;
  return { ...EMPTY, depth: fields[0]?.depth ?? 0, name: `${n} static fields`, value, role: "static", static: n };
}

const EMPTY: Row = {
  ...{ kind: "node", depth: 0, name: "", path: "", type: "", role: null, aval: "", value: "", sharding: "" },
  ...{ traced: 0, static: 0, nbytes: 0, marks: [] },
  ...(Object.fromEntries(FLAGS.map((flag) => [flag, false])) as Record<(typeof FLAGS)[number], false>),
};

/** "equinox.nn._linear.Linear" is a Linear. */
export function shortName(type: string): string {
  return type === "NoneType" ? "None" : (type.split(".").at(-1) ?? "");
}
