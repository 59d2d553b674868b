import { expect, test } from "vitest";
import type { FindingView, Panel, Span } from "../src/schema.ts";
import { askFrom, button, golden, lines, show, shown, showStory, texts, until } from "./helpers.ts";

function said(text: string): Span {
  return { text, is_code: false, is_strong: false, path: "", compile: -1 };
}

const FORTY: FindingView = {
  kind: "recompile",
  number: 1,
  is_also: false,
  subject: "score",
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
    },
  ],
  compiles: [1],
  at: [{ start: 0.25, width: 0.5 }],
  edits: ["In [3]:1"],
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

const showBill = (view: Panel, width?: number) => show(view, askFrom({}), width, "Overview");

test("the seconds come first, and how many of them were avoidable", () => {
  showStory("recompile_by_treedef");
  expect(lines(".jitviz-headline")).toEqual([
    "1.9 of the 2.3 s were spent compiling. 830 ms of that was avoidable, 1.0 s was for first compiles.",
  ]);
  expect(lines(".jitviz-headline .jitviz-aside")).toEqual(["830 ms of that was avoidable"]); // what is paid once is no alarm
  expect(lines(".jitviz-sentence")).toEqual([]);
});

test("only what was avoidable has its colour: in the headline, and below a finding", () => {
  const view = panelOf();
  const verdict = { ...view.verdict, aside: "2.7 s of that was outside any jit, 300 ms was avoidable" };
  const account = view.account && { ...view.account, avoidable_at: [{ start: 0.5, width: 0.5 }] };
  showBill({ ...view, verdict, account });
  expect(lines(".jitviz-headline .jitviz-aside")).toEqual(["300 ms was avoidable"]);
  const strips = [...shown.el.querySelectorAll<HTMLElement>(".jitviz-finding .jitviz-strips i")];
  expect(strips.map(({ className, style }) => [className, style.left, style.width])).toEqual([
    ["", "25%", "max(2px, 50%)"],
    ["jitviz-avoidable", "50%", "max(2px, 25%)"],
  ]);
});

test("a number and its unit stay in one line", () => {
  showStory("recompile_by_treedef");
  expect(shown.el.querySelector(".jitviz-headline")?.textContent).toContain("of the 2.3\u00a0s were");
});

test("a finding says what changed in bold, what fixing it saves, and what to do", () => {
  showBill(panelOf());
  expect(lines(".jitviz-finding-seconds")).toEqual(["9.8 sto save"]);
  expect(lines(".jitviz-finding-said")).toEqual(["x came in 40 sizes: f32[40] … f32[79]"]);
  expect(lines(".jitviz-finding-said b")).toEqual(["40", "79"]);
  expect(lines(".jitviz-finding-body > .jitviz-faint")).toEqual([
    "39 recompiles of score at In [3]:2; fixing this alone saves 39 compiles, 9.8 s edit 1: In [3]:1",
  ]);
  expect(lines(".jitviz-finding .jitviz-advice")).toEqual(["→ Pad x to one of 2 sizes."]);
});

test("the code of each choice is visible in a narrow panel too", () => {
  showBill(panelOf(), 332);
  const box = shown.el.querySelector(".jitviz-table-box");
  expect(box?.scrollWidth).toBeLessThanOrEqual(box?.clientWidth ?? 0);
});

test("each choice of a plan has its own code", () => {
  showBill(panelOf());
  expect([...shown.el.querySelectorAll(".jitviz-choices tbody tr")].map((row) => texts(row, "th, td"))).toEqual([
    ["one size", "79", "2", "34%", "10 s", "copy"],
    ["best 2 sizesbest", "58 and 79", "3", "16%", "9.9 s", "copy"],
  ]);
  expect(button(shown.el, "copy the code of one size")).not.toBeNull();
});

test("the code to paste is shown on demand", async () => {
  showBill(panelOf());
  expect(lines(".jitviz-paste")).toEqual([]);
  button(shown.el, "show code").click();
  await until(() => lines(".jitviz-paste").length);
  expect(lines(".jitviz-paste")).toEqual(["SIZES = (58, 79)"]);
});

test("the first finding is open, the others open on demand, and only a few of many are shown", async () => {
  showBill(panelOf(7));
  expect(lines(".jitviz-finding .jitviz-advice")).toHaveLength(1);
  expect(lines(".jitviz-finding")).toHaveLength(5);
  shown.el.querySelectorAll<HTMLButtonElement>(".jitviz-toggle")[1]?.click();
  await until(() => lines(".jitviz-finding .jitviz-advice").length === 2);
  button(shown.el, "2 more findings").click();
  await until(() => lines(".jitviz-finding").length === 7);
});

test("while the cell runs, whichever finding is first is open", async () => {
  const other = { ...FORTY, source: "In [3]:9", advice: "Make it once." };
  const view = { ...panelOf(), findings: [FORTY] };
  showBill(view);
  expect(lines(".jitviz-finding .jitviz-advice")).toEqual(["→ Pad x to one of 2 sizes."]);
  shown.update({ ...view, findings: [other, FORTY] });
  await until(() => lines(".jitviz-finding").length === 2);
  expect(lines(".jitviz-finding .jitviz-advice")).toEqual(["→ Make it once."]);
});

test("a finding stands on the axis of the bill, below the seconds that it explains", () => {
  showBill(panelOf());
  const [bill, bar] = [".jitviz-bill", ".jitviz-finding .jitviz-strips i"].map((one) =>
    shown.el.querySelector(one)?.getBoundingClientRect(),
  );
  if (!bill || !bar) throw new Error("one is missing");
  expect((bar.left - bill.left) / bill.width).toBeCloseTo(0.25, 2);
  expect(bar.width / bill.width).toBeCloseTo(0.5, 2);
});

test("more than twelve findings are in groups of those that say the same, with their sum", async () => {
  const view = panelOf();
  const alike = Array.from({ length: 13 }, (_, at) => ({ ...FORTY, function: `f${at}`, saves_s: 1 }));
  const other = { ...FORTY, summary: [said("Another.")], saves_s: 2 };
  showBill({ ...view, cells: [], findings: [...alike, other] });
  expect(lines(".jitviz-finding-seconds")).toEqual(["13 sto save", "2.0 sto save"]);
  expect(lines(".jitviz-finding-body > .jitviz-faint")[0]).toBe("13 findings alike: in f0, f1, f2, f3, f4 and 8 more");
  shown.el.querySelector<HTMLButtonElement>(".jitviz-toggle")?.click();
  await until(() => lines(".jitviz-finding").length === 2 + 13);
  expect(lines(".jitviz-finding .jitviz-finding .jitviz-finding-body > .jitviz-faint")[0]).toBe(
    "took 9.8 s, 39 recompiles of score at In [3]:2; line to edit: In [3]:1",
  );
  // All stand on the axis of the bill.
  const strips = [...shown.el.querySelectorAll(".jitviz-strips")].map((strip) => strip.getBoundingClientRect());
  expect(new Set(strips.map(({ left, width }) => `${left} ${width}`)).size).toBe(1);
});

test("a finding leads to its first compile in the timeline", async () => {
  showBill(panelOf());
  button(shown.el, "show in timeline").click();
  await until(() => lines(".jitviz-call").length);
  expect(lines(".jitviz-partition h2 .jitviz-faint")).toEqual(["of step, call 2, version 2"]);
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
    avoidable_at: [],
    beside_bar: [],
    rows,
    n_more: 0,
    beside: "",
    processes: [],
  };
  showBill({ ...panelOf(), account, findings: [{ ...FORTY, kind: "slow_trace" as const, function: "step" }] });
  button(shown.el, "show the trace").click();
  await until(() => lines(".jitviz-slice").length);
  expect(lines(".jitviz-slice")).toEqual([
    "all of it 8.0 s",
    "tracing 4.0 s",
    "step at b.py:1 4.0 s",
    "layer, traced 12 times 4.0 s",
  ]);
});

test("the bar of the account is as wide as the wall time, and its legend says the same", () => {
  showStory("recompile_by_treedef", 1200, "Overview");
  const parts = [...shown.el.querySelectorAll<HTMLElement>(".jitviz-strips + .jitviz-ribbon > button")];
  const whole = parts.reduce((sum, part) => sum + Number(part.style.flexGrow), 0);
  expect(whole).toBeCloseTo(1, 2);
  expect(lines(".jitviz-key li:not(:has(button))")).toEqual([
    "tracing 530 ms",
    "lowering 220 ms",
    "XLA 1.1 s",
    "outside any jit 30 ms",
    "running programs 80 ms",
    "Python 310 ms",
    "avoidable: 830 ms: 510 ms XLA, 220 ms tracing, 100 ms lowering",
  ]);
});

/** What of the bar is in sight, stretch by stretch. */
function readRibbon(): string[] {
  const stretches = [...shown.el.querySelectorAll<HTMLElement>(".jitviz-ribbon > button")];
  return stretches.map((stretch) => {
    const { bottom } = stretch.getBoundingClientRect();
    const pieces = [...stretch.querySelectorAll("span")].filter((piece) => piece.getBoundingClientRect().top < bottom);
    return pieces.map((piece) => piece.textContent).join(" ");
  });
}

test("the bar names the function, its seconds and the work in each stretch that has room for it", () => {
  const { view } = golden("recompile_by_treedef");
  const spent = (depth: number, name: string, seconds: number, avoidable_s = 0) =>
    ({ what: "compile", depth, name, seconds, avoidable_s }) as const;
  const bar = [
    spent(0, "compiling", 9.9, 5.9),
    spent(1, "step", 8.8, 5.8),
    { ...spent(0, "Python", 0.1), what: "python" as const },
  ];
  showBill({
    ...view,
    account: {
      ...{ wall_s: 10, bar, avoidable: "5.9 s compiling", avoidable_at: [{ start: 0.4, width: 0.59 }] },
      ...{ rows: [], n_more: 0, beside: "", beside_bar: [], processes: [] },
    },
  });
  expect(readRibbon()).toEqual(["compiling 9.9 s", "", "step 8.8 s", "", ""]);
  const stretches = [...shown.el.querySelectorAll(".jitviz-ribbon > button")];
  expect(stretches.map((stretch) => stretch.getAttribute("aria-label"))).toEqual([
    "compiling 9.9 s, 5.9 s of it avoidable",
    "Python 100 ms",
    "step 8.8 s, compiling, 5.8 s of it avoidable",
    "compiling 1.1 s, 100 ms of it avoidable",
    "Python 100 ms",
  ]);
  const kinds = [...shown.el.querySelectorAll(".jitviz-key li:not(:has(button))")].map((kind) => kind.textContent);
  expect(kinds).toEqual(["compiling 9.9 s", "Python 100 ms", "avoidable: 5.9 s compiling"]);
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

test("the text of the cell has seconds in its margin, and findings below their lines", () => {
  showBill(panelOf());
  expect(lines(".jitviz-cell-line")).toEqual([
    "1for x in xs:edit 1",
    "9.8 s2score(x)40 calls, 40 compilesx came in 40 sizes: f32[40] … f32[79] 9.8 s",
    "3print()",
  ]);
});

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

test("the mark of a line leads to its finding in a closed group, far down in the list", async () => {
  const { cells, ...view } = panelOf();
  const others = Array.from({ length: 6 }, (_, at) => ({ ...FORTY, summary: [said(`Another ${at}.`)] }));
  const alike = Array.from({ length: 13 }, (_, at) => ({ ...FORTY, function: `f${at}` }));
  const marked = cells.map((cell) => ({ ...cell, lines: cell.lines.map((line) => ({ ...line, edits: [18] })) }));
  showBill({ ...view, cells: marked, findings: [...others, ...alike] });
  expect(lines(".jitviz-finding")).toHaveLength(5);
  const here = button(shown.el, "edit 19, to change this line: x came in 40 sizes: f32[40] … f32[79]");
  here.click();
  const there = "edit 19: In [3]:1, go to the line to change";
  await until(() => document.activeElement?.ariaLabel === there);
  expect(lines(".jitviz-finding")).toHaveLength(7 + 13);
  button(shown.el, "fewer findings").click();
  await until(() => lines(".jitviz-finding").length === 5);
  here.click();
  await until(() => document.activeElement?.ariaLabel === there);
});

test("the bar of a line is dark as far as the line itself called", () => {
  const { cells, ...view } = panelOf();
  const beneath = cells.map((cell) => ({
    ...cell,
    lines: cell.lines.map((line) => ({ ...line, beneath: 0.75 * line.seconds })),
  }));
  showBill({ ...view, cells: beneath });
  const bars = [...shown.el.querySelectorAll<HTMLElement>(".jitviz-margin-bar")];
  expect(bars.map((bar) => bar.style.width)).toEqual(["100%", "25%"]);
});

test("a cell with only hits is one line, and the rest is a click away", async () => {
  const { view, answers } = golden("only_hits");
  show(view, askFrom(answers), 1200, "");
  expect(lines(".jitviz-sentence")).toEqual([
    "Nothing compiled in this cell: at least 13 calls, all cache hits. calls, timeline and partition",
  ]);
  expect(shown.el.querySelector("[role=tab]")).toBeNull();
  button(shown.el, "calls, timeline and partition").click();
  await until(() => shown.el.querySelector("[role=tab]"));
});

test("a cell that compiled only outside any jit is not empty", () => {
  const { view } = golden("nothing");
  show({ ...view, findings: [FORTY], op_by_op: [OPS] }, askFrom({}), 1200, "Overview");
  expect(lines(".jitviz-finding")).toHaveLength(1);
});

test.each([380, 700, 1800])("long names do not widen an overview of %i px", (width) => {
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

test("without a finding the overview lists what compiled, failed functions first and those alike in one row", () => {
  const { view } = golden("only_hits");
  const home = golden("recompile_by_treedef").view.functions[0];
  if (!home) throw new Error("no function");
  const named = (name: string, error = "") => ({
    ...home,
    name,
    compile_s: 1.5,
    versions: home.versions.map((version) => ({
      ...version,
      error,
      status: error ? ("failed" as const) : version.status,
    })),
  });
  const functions = [named("layer_0"), named("layer_1"), named("bad", "TypeError: no")];
  const verdict = { ...view.verdict, level: "first" as const };
  showBill({ ...view, verdict, findings: [], cells: [], functions, op_by_op: [OPS] });
  expect(lines(".jitviz-functions tbody tr")).toEqual([
    "badIn [3]:31.5 s0raised TypeError",
    "layer_0 … layer_12 alikeIn [3]:33.0 s4each 12 calls: 10 hits, 2 compiles, 1 avoidable recompile",
    "jnp.mediana.py:4145 ms2outside any jit, 2 times",
  ]);
});
