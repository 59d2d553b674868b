import { expect, test } from "vitest";
import type { FindingView, Panel, Span } from "../src/schema.ts";
import { askFrom, button, golden, lines, press, show, shown, until } from "./helpers.ts";

function said(text: string): Span {
  return { text, is_code: false, is_strong: false, path: "", compile: -1 };
}

const FORTY: FindingView = {
  kind: "recompile",
  number: 1,
  is_also: false,
  cause: [said("came in 40 sizes")],
  brief: "Pad it.",
  paths: ["x"],
  function: "score",
  source: "In [3]:2",
  saves_s: 9.8,
  seconds: 9.8,
  count: 39,
  summary: [
    { ...said("x"), is_code: true, path: "x", compile: 1 },
    said(" came in 40 sizes: f32["),
    { ...said("40"), is_strong: true },
    said("] … f32["),
    { ...said("79"), is_strong: true },
    said("]"),
  ],
  cost: "39 recompiles of `score` at In [3]:2",
  advice: "Pad `x` to one of 2 sizes.",
  effect: "fixing this alone saves 39 compiles, 9.8 s",
  code: "SIZES = (58, 79)",
  choices: [
    {
      name: "one size",
      sizes: "79",
      compiles: 2,
      padding: "34%",
      run: "",
      saved: "10 s",
      code: "SIZES = (79,)",
      is_best: false,
      lines: [79],
    },
    {
      name: "best 2 sizes",
      sizes: "58 and 79",
      compiles: 3,
      padding: "16%",
      saved: "9.9 s",
      run: "",
      code: "",
      is_best: true,
      lines: [58, 79],
    },
  ],
  compiles: [1],
  edits: ["In [3]:1"],
  plan: {
    size: Array.from({ length: 40 }, (_, at) => 40 + at),
    calls: Array.from({ length: 40 }, () => 1),
    group: Array.from({ length: 40 }, () => 0),
    seconds: Array.from({ length: 40 }, () => 0.25),
    compiles: 40,
  },
};

const OPS = { name: "jnp.median", source: "a.py:4", seconds: 0.145, count: 2, told: "2 times" };

/** The panel of a cell of three lines, the second of which has a cause that is as given, `n` times. */
function panelOf(n = 1): Panel {
  const { view } = golden("recompile_by_treedef");
  const line = (number: number, text: string) => ({
    number,
    text,
    seconds: 0,
    beneath: 0,
    python_s: 0,
    trace_s: 0,
    compile_s: 0,
    run_s: 0,
    told: "",
    findings: [],
    edits: [],
  });
  const blamed = { ...line(2, "    score(x)"), seconds: 9.8, told: "40 calls, 40 compiles", findings: [0] };
  return {
    ...view,
    findings: Array.from({ length: n }, () => FORTY),
    cells: [
      {
        label: "In [3]",
        lines: [{ ...line(1, "for x in xs:"), edits: [0] }, blamed, line(3, "print()")],
        n_more_lines: 0,
      },
    ],
  };
}

const showBill = (view: Panel, width?: number) => show(view, askFrom({}), width, "Score");

test("a finding says what it saves, its cause in a few words, and what to do; the whole is one click away", async () => {
  showBill(panelOf());
  expect(lines(".jitviz-large")).toEqual(["9.8 s"]);
  expect(lines(".jitviz-finding-said")).toEqual(["came in 40 sizes in score edit 1: In [3]:1"]);
  expect(lines(".jitviz-finding-body > .jitviz-faint")).toEqual(["Pad it."]);
  button(shown.el, "more on: x came in 40 sizes: f32[40] … f32[79]").click();
  await until(() => lines(".jitviz-whole").length);
  expect(lines(".jitviz-whole > p").slice(0, 3)).toEqual([
    "x came in 40 sizes: f32[40] … f32[79]",
    "39 recompiles of score at In [3]:2; fixing this alone saves 39 compiles, 9.8 s",
    "→ Pad x to one of 2 sizes.",
  ]);
  expect(lines(".jitviz-whole > p b")).toEqual(["40", "79"]);
});

test("lines that are moved by key change compiles, seconds and the code to paste; + adds one, Delete removes it", async () => {
  showBill(panelOf());
  button(shown.el, "more on: x came in 40 sizes: f32[40] … f32[79]").click();
  const sliders = () => [...shown.el.querySelectorAll("[role=slider]")];
  const said = () => [lines(".jitviz-sizes .jitviz-key b").join(", "), lines(".jitviz-paste")[0]];
  await until(() => sliders().length === 2);
  expect(said()).toEqual(["40 → 2, 9.5 s, 16%", "SIZES = (58, 79)"]);
  press(sliders()[0] as Element, "ArrowLeft");
  await until(() => said()[1] === "SIZES = (57, 79)");
  press(sliders()[0] as Element, "+");
  await until(() => said()[1] === "SIZES = (49, 57, 79)");
  expect(said()[0]).toMatch(/^40 → 3, 9.2 s/);
  press(sliders()[2] as Element, "ArrowLeft"); // none is below the largest size
  press(sliders()[2] as Element, "Delete");
  press(sliders()[0] as Element, "Delete");
  await until(() => said()[1] === "SIZES = (57, 79)");
  button(shown.el, "one size").click();
  await until(() => said()[1] === "SIZES = (79,)");
});

test("what is no cause of this cell's seconds is one folded line", async () => {
  const view = panelOf(2);
  const [first, second] = view.findings as [FindingView, FindingView];
  showBill({ ...view, also: "2.7 s outside any jit", findings: [first, { ...second, is_also: true }] });
  expect(lines(".jitviz-also")).toEqual(["Also: 2.7 s outside any jit"]);
  expect(lines(".jitviz-finding")).toHaveLength(1);
  button(shown.el, "Also").click();
  await until(() => lines(".jitviz-finding").length === 2);
});

test("more than five findings are in groups of those that say the same, with their sum", async () => {
  const view = panelOf();
  const alike = Array.from({ length: 13 }, (_, at) => ({ ...FORTY, function: `f${at}`, saves_s: 1 }));
  const other = { ...FORTY, summary: [said("Another.")], saves_s: 2 };
  showBill({ ...view, cells: [], findings: [...alike, other] });
  expect(lines(".jitviz-large")).toEqual(["13 s", "2.0 s"]);
  expect(lines(".jitviz-finding-said")[0]).toMatch(/in f0, f1, f2, f3, f4 and 8 more$/);
  button(shown.el, "more on: x came in 40 sizes: f32[40] … f32[79]").click();
  await until(() => lines(".jitviz-finding").length === 2 + 13);
});

test("a finding lights its columns and rows while it is pointed at, and leads to its call", async () => {
  const { view } = golden("recompile_by_treedef");
  const { paths, compiles } = view.findings[0] as FindingView;
  expect([paths, compiles]).toEqual([["opt_state[0].trace.index"], [1]]);
  show(view, askFrom({}), 1200, "");
  const finding = shown.el.querySelector(".jitviz-finding") as Element;
  finding.dispatchEvent(new PointerEvent("pointerenter"));
  await until(() => shown.el.querySelectorAll(".jitviz-lit-column").length === 1);
  finding.dispatchEvent(new PointerEvent("pointerleave"));
  await until(() => shown.el.querySelectorAll(".jitviz-lit-column").length === 0);
  finding.querySelector<HTMLElement>("[aria-label^='more on']")?.click();
  await until(() => lines(".jitviz-whole").length);
  button(shown.el, "show the call").click();
  await until(() => lines(".jitviz-page").length);
  expect(lines(".jitviz-page h2")[0]).toMatch(/^step call 2: compile, version 2/);
});

test("a slow trace leads to the tree of what its function traced", async () => {
  const row = (depth: number, name: string) => ({ what: "trace" as const, depth, name, seconds: 4, avoidable_s: 0 });
  const rows = [
    row(0, "tracing"),
    row(1, "first at a.py:1"),
    row(1, "step at b.py:1"),
    row(2, "layer, traced 12 times"),
  ];
  const account = {
    wall_s: 8,
    bar: [],
    avoidable: "",
    rows,
    n_more: 0,
    beside: "",
    processes: [],
  };
  showBill({ ...panelOf(), account, findings: [{ ...FORTY, kind: "slow_trace" as const, function: "step" }] });
  button(shown.el, "more on: x came in 40 sizes: f32[40] … f32[79]").click();
  await until(() => lines(".jitviz-whole").length);
  button(shown.el, "show the trace").click();
  await until(() => lines(".jitviz-slice").length);
  expect(lines(".jitviz-slice")).toEqual([
    "all of it 8.0 s",
    "tracing 4.0 s",
    "step at b.py:1 4.0 s",
    "layer, traced 12 times 4.0 s",
  ]);
});

test.each([380, 700, 1000, 1300, 1800])(
  "each line of a cell is fully visible in a panel of %i px, with a margin of its height",
  (width) => {
    const found = { ...FORTY, summary: [{ ...said(`x came in ${"many ".repeat(40)}sizes`), path: "x" }] };
    const { cells, ...view } = panelOf();
    const text = cells.map((cell) => ({
      ...cell,
      lines: cell.lines.map((line) => ({ ...line, text: `    ${"value + ".repeat(20)}1`, findings: [0, 0, 0, 0] })),
    }));
    showBill({ ...view, cells: text, findings: [found] }, width);
    for (const line of shown.el.querySelectorAll(".jitviz-cell-line")) {
      const pre = line.querySelector("pre");
      expect(pre?.clientWidth).toBeGreaterThan(200);
      expect(pre?.scrollWidth).toBeLessThanOrEqual(pre?.clientWidth ?? 0);
      expect(line.querySelector(".jitviz-margin")?.clientHeight).toBe(line.clientHeight);
    }
  },
);

test("the line to change is marked, and leads to its finding and back", async () => {
  showBill(panelOf());
  const there = button(shown.el, "edit 1: In [3]:1, go to the line to change");
  const here = button(shown.el, "edit 1, to change this line: x came in 40 sizes: f32[40] … f32[79]");
  expect([there, here].map(({ textContent }) => textContent)).toEqual(["edit\u00a01: In [3]:1", "edit\u00a01"]);
  here.click();
  await until(() => document.activeElement === there);
  there.click();
  await until(() => document.activeElement === here);
});

test("findings that are told as one have one mark at the line, which leads to them far down in the list", async () => {
  const { cells, ...view } = panelOf();
  const others = Array.from({ length: 6 }, (_, at) => ({ ...FORTY, summary: [said(`Another ${at}.`)] }));
  const alike = Array.from({ length: 13 }, (_, at) => ({ ...FORTY, function: `f${at}` }));
  const marked = cells.map((cell) => ({
    ...cell,
    lines: cell.lines.map((line) => ({ ...line, edits: alike.map((_, at) => 6 + at) })),
  }));
  showBill({ ...view, cells: marked, findings: [...others, ...alike] });
  expect(lines(".jitviz-finding")).toHaveLength(5);
  expect(new Set(lines(".jitviz-cell .jitviz-edit"))).toEqual(new Set(["edit 7"]));
  const here = button(shown.el, "edit 7, to change this line: x came in 40 sizes: f32[40] … f32[79]");
  here.click();
  const there = "edit 7: In [3]:1, go to the line to change";
  await until(() => document.activeElement?.ariaLabel === there);
  expect(lines(".jitviz-finding")).toHaveLength(7);
  button(shown.el, "fewer findings").click();
  await until(() => lines(".jitviz-finding").length === 5);
  here.click();
  await until(() => document.activeElement?.ariaLabel === there);
});

test("a cell with only hits is one line, and the rest is a click away", async () => {
  const { view, answers } = golden("only_hits");
  show(view, askFrom(answers), 1200, "");
  expect(lines(".jitviz-title")).toEqual(["Nothing compiled in this cell: at least 13 calls, all hits"]);
  expect(shown.el.querySelector("[role=tab]")).toBeNull();
  button(shown.el, "show the score").click();
  await until(() => shown.el.querySelector("[role=tab]"));
});

test("a cell that compiled only outside any jit is not empty", () => {
  const { view } = golden("nothing");
  show({ ...view, findings: [FORTY], op_by_op: [OPS] }, askFrom({}), 1200, "Score");
  expect(lines(".jitviz-finding")).toHaveLength(1);
});

test.each([380, 700, 1800])("long names do not widen a panel of %i px", (width) => {
  const long = "x".repeat(300);
  const found = { ...FORTY, function: long, cost: `1 recompile of \`${long}\``, advice: long, code: long };
  const { cells, ...view } = panelOf();
  const text = cells.map((cell) => ({
    ...cell,
    lines: cell.lines.map((line) => ({ ...line, text: long, told: long })),
  }));
  showBill({ ...view, cells: text, findings: [found] }, width);
  expect(shown.el.querySelector<HTMLElement>(".jitviz")?.scrollWidth).toBeLessThanOrEqual(width);
});
