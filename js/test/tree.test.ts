import { expect, test } from "vitest";
import { foldedAtFirst, growTree, type Sieve, sift } from "../src/partition/tree.ts";
import type { Detail, Partition } from "../src/schema.ts";
import { golden } from "./helpers.ts";

const { view, answers } = golden("recompile_by_treedef");
const second = view.functions[0]?.versions[1];
const part = growTree(second?.inputs as Partition);
const whole = growTree((answers["partition compile 1"] as Detail).inputs as never);

const names = (tree: typeof whole, rows: number[]) => rows.map((index) => tree.row(index).path);
const visible = (tree: typeof whole, by: Sieve) => sift(tree, by).rows;
const sieve = { filter: "", onlyChanged: false, folded: new Set<number>() };

test("rows read from columns equal the rows of the panel", () => {
  const paths = new Map(Array.from({ length: whole.n }, (_, index) => [whole.row(index).path, whole.row(index)]));
  for (let index = 0; index < part.n; index += 1) {
    const row = part.row(index);
    expect(paths.get(row.path)).toEqual(row);
  }
});

test("a tree of changes keeps the ancestors of changes", () => {
  expect(names(whole, visible(whole, { ...sieve, onlyChanged: true }))).toEqual([
    "opt_state",
    "opt_state[0]",
    "opt_state[0].count",
    "opt_state[0].trace",
    "opt_state[0].trace.index",
  ]);
});

test("a filter looks at paths, avals and values, all words at once, in any case", () => {
  const find = (filter: string) => names(whole, visible(whole, { ...sieve, filter })).slice(-1);
  expect(find("BIAS layers[1]")).toEqual(["model.layers[1].use_bias"]);
  expect(find("f32[32,2]")).toEqual(["x"]);
  expect(find("relu")).toEqual(["model.activation"]);
  expect(find("nowhere")).toEqual([]);
});

test("a folded node hides what is below it, and nothing else", () => {
  const model =
    Array.from({ length: whole.n }, (_, index) => index).find((index) => whole.row(index).path === "model") ?? -1;
  const rows = names(whole, visible(whole, { ...sieve, folded: new Set([model]) }));
  expect(rows.filter((path) => path.startsWith("model"))).toEqual(["model"]);
  expect(rows).toContain("opt_state[0].count");
});

test("a small tree is open at first; in a big one the ancestors of changes are", () => {
  expect(foldedAtFirst(whole).size).toBe(0);
  const folded = foldedAtFirst(whole, 5);
  const shown = names(whole, visible(whole, { ...sieve, folded }));
  expect(shown).toContain("opt_state[0].trace.index");
  expect(shown).not.toContain("model.layers[0].weight");
});

test("a filter counts leaves, and only rows with rows left below them can be folded", () => {
  const { rows, hits, isNode } = sift(whole, { ...sieve, filter: "layers[1]" });
  expect(hits).toBe(3);
  expect(names(whole, rows.filter(isNode))).toEqual(["model", "model.layers", "model.layers[1]"]);
  const types = sift(whole, { ...sieve, filter: "tracestate" });
  expect(names(whole, types.rows)).toEqual(["opt_state", "opt_state[0]"]);
  expect(names(whole, types.rows.filter(types.isNode))).toEqual(["opt_state"]);
});
