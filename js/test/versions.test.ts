import { expect, test } from "vitest";
import type { Panel, Version } from "../src/schema.ts";
import { cutMiddle, splitChange } from "../src/words/changes.ts";
import { askFrom, button, find, golden, lines, press, show, shown, showStory, tab, texts, until } from "./helpers.ts";

const rows = () => [...shown.el.querySelectorAll(".jitviz-versions tbody tr:not(.jitviz-opened)")];
const cells = () => rows().map((row) => texts(row, "th, td").slice(0, -1)); // without its menu

/** A panel with one function of these versions. */
function panelOf(change: (first: Version, again: Version) => Version[]): Panel {
  const { view } = golden("recompile_by_treedef");
  const [home] = view.functions;
  const [first, again] = home?.versions ?? [];
  if (!home || !first || !again) throw new Error("the story is another one");
  return { ...view, functions: [{ ...home, versions: change(first, again) }] };
}

const manyVersions = panelOf((first, again) => [
  first,
  ...Array.from({ length: 39 }, (_, at) => ({ ...again, index: at + 1, version: at + 2 })),
]);

test("each version has a row: why it was compiled, what it cost, how often it ran", () => {
  showStory("recompile_by_treedef", 1300, "Versions");
  expect(lines(".jitviz-versions thead th")).toEqual(
    "version|why|seconds|trace|lower|compile|FLOPs|moved|temporaries|code|hits|open".split("|"),
  );
  const costs = ["1.2 million", "49 kB", "8.2 kB", "13 kB"];
  expect(cells()).toEqual([
    ["step version 1", "first · In [3]:3", "1.0 s", "310 ms", "120 ms", "620 ms", ...costs, "0"],
    [
      "step version 2",
      "opt_state[0].trace.index array → became None and 1 more · In [3]:3",
      "830 ms",
      ...["220 ms", "100 ms", "510 ms", ...costs, "10"],
    ],
  ]);
});

test("a bar is as long as its version took, and its parts as its phases, however short they are", () => {
  showStory("recompile_by_treedef", 1300, "Versions");
  const [long, short] = [...shown.el.querySelectorAll<HTMLElement>(".jitviz-stack")].map((bar) => ({
    bar: bar.getBoundingClientRect().width,
    parts: [...bar.children].map((part) => part.getBoundingClientRect().width),
  }));
  expect((short?.bar ?? 0) / (long?.bar ?? 1)).toBeCloseTo(0.83 / 1.05, 2);
  const expected = [0.22, 0.1, 0.51].map((spent) => ((spent / 0.83) * (short?.bar ?? 1)).toFixed(0));
  expect(short?.parts.map((part) => part.toFixed(0))).toEqual(expected);
});

test("a heading sorts by its column, the most first, then the least", async () => {
  showStory("recompile_by_treedef", 1300, "Versions");
  const order = () => rows().map((row) => texts(row, "th span button")[0]);
  const sorted = () => shown.el.querySelector("[aria-sort=ascending], [aria-sort=descending]");
  for (const [heading, direction, expected] of [
    ["hits", "descending", ["version 2", "version 1"]],
    ["hits", "ascending", ["version 1", "version 2"]],
    ["seconds", "descending", ["version 1", "version 2"]],
    ["version", "ascending", ["version 1", "version 2"]],
    ["version", "descending", ["version 2", "version 1"]],
  ] as const) {
    (
      await until(() =>
        [...shown.el.querySelectorAll("button")].find(
          (one) => one.textContent?.startsWith(heading) && one.closest("thead"),
        ),
      )
    )?.click();
    await until(() => sorted()?.getAttribute("aria-sort") === direction && sorted()?.textContent?.startsWith(heading));
    expect(order()).toEqual(expected);
  }
});

test("a row opens to all of its reasons, with both sides and what to do", async () => {
  showStory("recompile_by_treedef", 1200, "Versions");
  button(shown.el, "more on version 2 of step").click();
  await until(() => lines(".jitviz-reason").length);
  expect(lines(".jitviz-reason")).toEqual([
    "treedefopt_state[0].trace.indexarray → became None→ Make the first state in the shape that the update returns, or keep an array where None came.",
    "weak typeopt_state[0].countweak int32 → became int32opt_state[0].count is no longer weakly typed.",
  ]);
  expect(lines(".jitviz-opened p.jitviz-faint")).toEqual([
    "compiled by call 2 at In [3]:3 · trace 220 ms · lower 100 ms · compile 510 ms · hits: 10 · 1.2 million floating-point operations, 49 kB moved · arguments 1.4 kB, outputs 260 B, temporaries 8.2 kB, code 13 kB",
    expect.stringMatching(/^step .*12 calls.*; called from In \[3\]:3/),
  ]);
  tab(shown.el, "Notes");
  await until(() => !shown.el.querySelector("table"));
  tab(shown.el, "Versions");
  await until(() => lines(".jitviz-reason").length === 2);
  // Only a recompile can be avoidable.
  button(shown.el, "more on version 1 of step").click();
  await until(() => lines(".jitviz-reason").length === 3);
  expect(lines(".jitviz-reason:not(.jitviz-avoidable)")).toEqual(["firstThe function had not been compiled before."]);
});

test("a reason leads to its leaf, a version to its call, and the menu of a row to the texts of its program", async () => {
  showStory("recompile_by_treedef", 1200, "Versions");
  button(shown.el, "more on version 2 of step").click();
  (await until(() => button(shown.el, "opt_state[0].count"))).click();
  await until(() => lines(".jitviz-path")[0] === "opt_state[0].count");
  tab(shown.el, "Versions");
  (await until(() => button(shown.el, "version 1"))).click();
  await until(() => lines(".jitviz-partition h2 .jitviz-faint")[0] === "of step, call 1, version 1");
  tab(shown.el, "Versions");
  const menu = await find<HTMLDetailsElement>(".jitviz-menu");
  menu.querySelector("summary")?.click();
  await until(() => menu.open);
  expect(texts(menu, "button")).toEqual(["call and partition", "jaxpr", "StableHLO", "HLO"]);
  press(menu, "Escape");
  expect([menu.open, document.activeElement]).toEqual([false, menu.querySelector("summary")]);
  button(menu, "StableHLO of version 1").click();
  await until(() => lines("[role=tab][aria-selected=true]")[0] === "Program");
});

test("the first of many versions are shown, and all on demand", async () => {
  show(manyVersions, askFrom({}), 1200, "Versions");
  expect(rows()).toHaveLength(20);
  button(shown.el, "20 more versions").click();
  await until(() => rows().length === 40);
});

test("a function without a version here says what its calls did", () => {
  showStory("only_hits", 1200, "Versions");
  expect(cells()[1]).toEqual(["loss", "at least 1 call: 1 hit, 0 compiles", "", "≥ 1"]);
});

test("of a change, whole words and numbers that differ are bold, wherever they are", async () => {
  expect(splitChange("f32[128,2]", "f32[104,2]")).toEqual([
    ["f32[", "128", ",2]"],
    ["f32[", "104", ",2]"],
  ]);
  expect(splitChange("P('a')", "P('a', 'b')")).toEqual([
    ["P('a'", "", ")"],
    ["P('a'", ", 'b'", ")"],
  ]);
  expect(splitChange("f32[3]", "i32[3]").map(([, own]) => own)).toEqual(["f32", "i32"]);
  expect(splitChange("", "None")).toEqual([
    ["", "", ""],
    ["", "None", ""],
  ]);
  expect(cutMiddle("state['encoder']['block_17']['attention']['kernel']")).toBe("state['encoder']…ion']['kernel']");
  const long = "on mesh(data_parallel=2, model_parallel=4) of cpu:0…cpu:7 (8)";
  const view = panelOf((first, again) => {
    const [reason] = again.reasons;
    if (!reason) throw new Error("it has no reason");
    return [first, { ...again, reasons: [{ ...reason, before: `P('a') ${long}`, after: `P('b') ${long}` }] }];
  });
  show(view, askFrom({}), 1200, "Versions");
  expect(lines("del, ins")).toEqual(["P('a') on mesh(data_…cpu:0…cpu:7 (8)", "P('b') on mesh(data_…cpu:0…cpu:7 (8)"]);
  expect(lines("del b, ins b")).toEqual(["a", "b"]);
});
