import { expect, test } from "vitest";
import type { Panel } from "../src/schema.ts";
import { askFrom, button, golden, lines, show, shown, until } from "./helpers.ts";

/** A panel in which one cause stands behind `n` recompiles of the same function. */
function manyOf(n: number): Panel {
  const { view } = golden("recompile_by_treedef");
  const [home] = view.functions;
  const [found] = view.findings;
  const [first, again] = home?.versions ?? [];
  if (!home || !found || !first || !again) throw new Error("the story is another one");
  const versions = Array.from({ length: n }, (_, at) => ({ ...again, index: at + 1, version: at + 2 }));
  const compiles = versions.map(({ index }) => index);
  return {
    ...view,
    functions: [{ ...home, versions: [first, ...versions] }],
    findings: [{ ...found, count: n, compiles }],
  };
}

test("recompiles with one cause are one card with a line for each; only a few of many are shown", async () => {
  show(manyOf(39), askFrom({}), 1200, "Why");
  expect(lines(".jitviz-why-card h2")).toEqual([
    "opt_state[0].trace.index changed from array to None cost 830 ms",
    "First compiles",
  ]);
  expect(lines(".jitviz-caused-line")).toHaveLength(8);
  expect(lines(".jitviz-caused-line")[0]).toBe(
    "version 2830 msopt_state[0].trace.index array → became Noneopt_state[0].count weak int32 → became int32",
  );
  button(shown.el, "31 more recompiles").click();
  await until(() => lines(".jitviz-caused-line").length === 39);
});

test("the first of many versions are shown, and all on demand", async () => {
  show(manyOf(39), askFrom({}), 1200, "Versions");
  expect(lines("tbody tr")).toHaveLength(12);
  button(shown.el, "28 more versions").click();
  await until(() => lines("tbody tr").length === 40);
});
