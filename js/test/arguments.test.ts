import { expect, test } from "vitest";
import { cutTree } from "../src/overview/argument_slices.ts";
import { growTree } from "../src/partition/tree.ts";
import type { Detail, Row, WholePartition } from "../src/schema.ts";
import { golden, showStory, texts, until } from "./helpers.ts";
import { manyLeaves, rowOf } from "./made.ts";

const namesOf = (whole: WholePartition) =>
  cutTree(growTree(whole)).slices.map(({ name, depth, note }) => `${"  ".repeat(depth)}${name}: ${note}`);

test("similar siblings are one slice, and so are the arrays of each", () => {
  const { inputs } = manyLeaves(20_000);
  expect(namesOf(inputs as WholePartition)).toEqual([
    "all arguments: 20,000 traced",
    "  params dict: 20,000 traced",
    "    ['block0'] dict ×100: 20,000 traced",
    "      20,000 arrays: ",
  ]);
});

test("changed leaves are drawn separately, wide enough to be seen, with both sides", () => {
  const { inputs } = golden("recompile_by_treedef").answers["partition compile 1"] as Detail;
  const { slices } = cutTree(growTree(inputs as WholePartition));
  const changed = slices.filter(({ look }) => look === "kind-changed");
  expect(changed.map(({ name, note }) => `${name}: ${note}`)).toEqual([
    ".count: weak int32 → int32",
    ".index None: array → None",
  ]);
  expect(Math.min(...changed.map(({ width }) => width))).toBeGreaterThan(0.05);
});

test("what changed inside a static value is drawn below it, and apart from other static values", () => {
  const { about } = manyLeaves(100).inputs as WholePartition;
  const fixed = (name: string) => ({
    ...rowOf("leaf", 0, name, name, 0),
    role: "static" as const,
    aval: "",
    static: 1,
  });
  const gone = {
    ...rowOf("gone", 1, ".init", "opt.init", 0),
    marks: [{ kind: "static_identity" as const, before: "a", after: "b" }],
  };
  const { slices } = cutTree(growTree({ ...about, rows: [fixed("mode"), fixed("opt"), gone], traced: 0, static: 2 }));
  expect(slices.map(({ name, depth, look }) => `${"  ".repeat(depth)}${name}: ${look}`)).toEqual([
    "all arguments: kind-none",
    "  opt: kind-static",
    "    .init: kind-changed",
    "  1 static: kind-static",
  ]);
});

test("slices of a tree fill it without a gap", () => {
  const { inputs } = manyLeaves(2_000);
  const { slices } = cutTree(growTree(inputs as WholePartition));
  for (const { width } of slices) expect(width).toBeCloseTo(1, 6);
});

test("the overview shows the arguments if they have more than a few leaves", async () => {
  const { el } = showStory("recompile_by_treedef", 1200, "Overview");
  const title = await until(() => texts(el, ".jitviz-arguments h2")[0]);
  expect(title).toBe("Arguments of step, version 2");
  const [picture, ...changed] = [...el.querySelectorAll(".jitviz-icicle, .jitviz-slice.jitviz-kind-changed")].map(
    (element) => element.getBoundingClientRect(),
  );
  expect(changed.map(({ height }) => height)).toEqual([52, 25]); // what has nothing below it is taller
  expect(Math.max(...changed.map(({ bottom }) => bottom))).toBeLessThanOrEqual(picture?.bottom ?? 0);
});

test("sixty levels are eight, which count each leaf once; what changed at the bottom stands there", () => {
  const nodes = Array.from({ length: 60 }, (_, depth) => rowOf("node", depth, "['k']", `d${depth}`, 60 - depth));
  const leaves = nodes.map(({ depth }) => rowOf("leaf", depth + 1, "['w']", `w${depth}`, 1)).reverse();
  Object.assign(leaves[0] as Row, { marks: [{ kind: "shape", before: "f32[1]", after: "f32[7]" }] });
  const { about } = manyLeaves(60).inputs as WholePartition;
  const { slices } = cutTree(growTree({ ...about, traced: 60, rows: [...nodes, ...leaves] }));
  const told = (look: string) =>
    slices.filter((slice) => slice.look === look).map(({ depth, note }) => `${depth} ${note}`);
  expect(told("kind-node")).toEqual(Array.from({ length: 8 }, (_, at) => `${at + 1} ${60 - at} traced`));
  expect(told("kind-changed")).toEqual(["9 f32[1] → f32[7]"]);
});
