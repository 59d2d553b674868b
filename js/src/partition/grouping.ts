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
      walk(row, level + 1);
    }
  };
  const addGroup = (row: Row, rows: readonly number[], level: number) => {
    made.set(source.length, row);
    add(-1, level);
    addAll(rows, level + 1);
  };
  const walk = (of: number, level: number) => {
    const children = [...childrenOf(tree, of)];
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
  for (const [index, row] of source.entries()) if (row >= 0) at[row] = index;
  return {
    n: source.length,
    about: tree.about,
    depth,
    ...linkRows(depth),
    marked: Array.from(tree.marked, (row) => at[row] ?? 0),
    isGroup: (index) => made.has(index),
    row: (index) => made.get(index) ?? { ...tree.row(source[index] ?? 0), depth: depth[index] ?? 0 },
    name: (index) => made.get(index)?.name ?? tree.name(source[index] ?? 0),
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
    const inner = Array.from(childrenOf(tree, index), (child) => `${tree.name(child)}:${numbers[child]}`).join(" ");
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
  return rowOf(tree, rows, { name, path, type: `${what} ×${rows.length}`, role: null });
}

/** "3 static fields: in_features 2, out_features 32, use_bias True" */
function rowOfFields(tree: Tree, rows: readonly number[]): Row {
  const fields = rows.map((row) => {
    const { name, value, type } = tree.row(row);
    return `${name.slice(1)} ${value || type}`;
  });
  return rowOf(tree, rows, {
    name: `${rows.length} static fields`,
    path: "",
    value: fields.join(", "),
    role: "static",
  });
}

function rowOf(tree: Tree, rows: readonly number[], own: Partial<Row> & Pick<Row, "name" | "path" | "role">): Row {
  const all = rows.map((row) => tree.row(row));
  const sum = (what: "traced" | "static" | "nbytes") => all.reduce((total, row) => total + row[what], 0);
  return {
    kind: "node",
    depth: all[0]?.depth ?? 0,
    type: "",
    aval: "",
    value: "",
    sharding: "",
    marks: [],
    ...NO_FLAGS,
    traced: sum("traced"),
    static: sum("static"),
    nbytes: sum("nbytes"),
    ...own,
  };
}

const NO_FLAGS = Object.fromEntries(FLAGS.map((flag) => [flag, false])) as Record<(typeof FLAGS)[number], false>;

/** "equinox.nn._linear.Linear" is a Linear. */
export function shortName(type: string): string {
  return type === "NoneType" ? "None" : (type.split(".").at(-1) ?? "");
}
