import { expect, test } from "vitest";
import type { Score, ScoreCell, ScoreColumn, ScoreRow } from "../src/schema.ts";
import { looksOf, rowsInSight } from "../src/score/looks.ts";
import { askFrom, golden, lines, press, show, shown, showStory, until } from "./helpers.ts";

const COLUMN: ScoreColumn = {
  ...{ kind: "hits", first: 1, last: 1, count: 1, name: "·", label: "call 1: hit of version 1", version: 1 },
  ...{ is_known: true, compiles: [], call: -1, seconds: 0, told: "", trace_s: 0, lower_s: 0, compile_s: 0, run_s: 0 },
  ...{ avoidable_s: 0, marks: [], error: "", source: "", thread: "" },
};
const ROW: ScoreRow = {
  ...{ kind: "leaf", depth: 0, name: "x", path: "x", type: "f32[]", varies: "", traced: 1, static: 0, is_open: true },
  ...{ has_changed: false, marks: [], cells: [] },
};

const BLANK = {
  ...{ kind: "", error: "ConcretizationTypeError", message: "", source: "", line: "", function: "", path: "" },
  ...{ also: [], summary: [], detail: [], advice: [], code: "" },
};

function cell(column: number, role: ScoreCell["role"], text = "", is_cause = false): ScoreCell {
  return { column, role, text, told: text && `the whole of ${text}`, is_cause, is_blamed: false };
}

/** `n` columns of hits, but for those that compiled; one open node with a leaf that changed, a folded one, and a leaf. */
function scoreOf(n: number, compiled: readonly number[] = [0, 3]): Score {
  const columns = Array.from({ length: n }, (_, at) => {
    const version = compiled.indexOf(at) + 1;
    if (!version) return { ...COLUMN, first: at + 1, last: at + 1, label: `call ${at + 1}: hit of version 1` };
    const label = `call ${at + 1}: compile, version ${version}, 2.0 s`;
    const more = { compile_s: 2, seconds: 2, told: "2.0 s", compiles: [version - 1] };
    return { ...COLUMN, ...more, kind: "compile" as const, first: at + 1, last: at + 1, name: `${version}`, label };
  });
  const changed = [cell(0, "traced", "128"), cell(3, "traced", "96", true)];
  const rows: ScoreRow[] = [
    { ...ROW, kind: "node", name: "batch", path: "batch", cells: [cell(0, "mixed")], has_changed: true },
    { ...ROW, depth: 1, name: "['x']", path: "batch['x']", cells: changed, has_changed: true },
    { ...ROW, kind: "group", name: "[0..2]", path: "[0..2]", is_open: false, cells: [cell(0, "mixed")] },
    { ...ROW, depth: 1, name: "[0]", path: "[0]", cells: [cell(0, "static", "gelu"), cell(3, "static", "relu", true)] },
    { ...ROW, name: "train", path: "train", cells: [cell(1, "static", "True")] },
  ];
  return {
    ...{ function: "step", place: 0, told: "", calls: n, compiles: 2, seconds: 4, api: "jax.jit", avoidable_s: 0 },
    ...{ columns, rows, note: "" },
  };
}

function showScore(score: Score, width = 1200) {
  const { view, answers } = golden("recompile_by_treedef");
  return show({ ...view, scores: [score] }, askFrom(answers), width, "");
}

const grid = () => shown.el.querySelector("[role=grid]") as HTMLElement;
const names = () => lines("[role=rowheader]");
const labelOf = (element: Element | null | undefined) => element?.getAttribute("aria-label");
const active = () => document.getElementById(grid().getAttribute("aria-activedescendant") ?? "");
const squares = (row: number) => [
  ...(shown.el.querySelectorAll("[role=rowgroup] [role=row]")[row]?.querySelectorAll(".jitviz-square") ?? []),
];

test("a column of programs is as wide as what it took is written above it", () => {
  const columns = [1, 2, 3].map(() => ({
    ...COLUMN,
    kind: "programs" as const,
    told: "391 ms",
    seconds: 0.391,
    name: "·",
  }));
  showScore({ ...scoreOf(3), columns, rows: [], place: -1 });
  for (const head of shown.el.querySelectorAll(".jitviz-column")) expect(head.scrollWidth).toBe(head.clientWidth);
});

test("consecutive calls have the numbers of the first and the last", () => {
  showScore({ ...scoreOf(3), columns: [COLUMN, { ...COLUMN, first: 2, last: 1234, count: 1233, name: "×1,233" }] });
  expect(lines(".jitviz-column")).toEqual(["1·", "2–1,234×1,233"]);
});

test("all leaves that a value depends on are to blame for an exception", () => {
  const { view, answers } = golden("error_in_trace");
  const score = scoreOf(2, []);
  const columns = score.columns.map((column, at) => (at ? { ...column, kind: "error" as const } : column));
  const rows = ["x", "y", "z"].map((path) => ({ ...ROW, path, name: path, cells: [cell(0, "traced")] }));
  const raised = { ...BLANK, path: "x", also: ["z"] };
  show({ ...view, raised, scores: [{ ...score, columns, rows }] }, askFrom(answers), 1200, "");
  expect(
    squares(0)
      .concat(squares(1), squares(2))
      .map(({ className }) => className.includes("jitviz-raised")),
  ).toEqual([...[false, true], ...[false, false], ...[false, true]]);
});

test("it is a grid of calls, with a header that tells each of them", () => {
  showScore(scoreOf(5));
  expect(labelOf(grid())).toBe("Calls of step");
  expect([...shown.el.querySelectorAll("[role=columnheader][data-cell]")].map(labelOf)).toEqual([
    "call 1: compile, version 1, 2.0 s",
    "call 2: hit of version 1",
    "call 3: hit of version 1",
    "call 4: compile, version 2, 2.0 s",
    "call 5: hit of version 1",
  ]);
});

test("a cell tells its role, the whole change, and whether it made the call compile; between changes it says nothing", () => {
  showScore(scoreOf(5));
  expect(squares(1).map(labelOf)).toEqual([
    "traced, the whole of 128",
    "traced",
    "traced",
    "traced, the whole of 96, made this call compile",
    "traced",
  ]);
  expect(squares(3).map(labelOf)).toEqual(["absent", "static, the whole of True", "static", "static", "static"]);
});

test("a folded row is marked where something beneath it made the call compile, and opens", async () => {
  showScore(scoreOf(5));
  expect(names()).toEqual(["batch", "['x']", "[0..2]", "train"]);
  expect(squares(2).map((square) => square.classList.contains("jitviz-cause"))).toEqual([
    ...[false, false, false, true, false],
  ]);
  const group = () => shown.el.querySelectorAll<HTMLElement>("[role=rowheader]")[2];
  expect(group()?.getAttribute("aria-expanded")).toBe("false");
  group()?.click();
  await until(() => names()[3] === "[0]");
  expect(group()?.getAttribute("aria-expanded")).toBe("true");
});

test("an open row leaves the mark to what is beneath it", () => {
  const score = scoreOf(5);
  const [batch, ...others] = score.rows as [ScoreRow, ...ScoreRow[]];
  const cells = [cell(0, "mixed"), { ...cell(3, "mixed"), is_cause: true }];
  showScore({ ...score, rows: [{ ...batch, cells }, ...others] });
  expect(squares(0).filter((square) => square.classList.contains("jitviz-cause"))).toEqual([]);
  expect(squares(1).filter((square) => square.classList.contains("jitviz-cause"))).toHaveLength(1);
});

test("arrows choose columns and rows, Home and End the ends, n and p the compiles, Escape nothing", async () => {
  showScore(scoreOf(5));
  const go = async (key: string, label: string, more = {}) => {
    press(grid(), key, more);
    await until(() => labelOf(active())?.startsWith(label));
  };
  await go("ArrowRight", "call 1");
  await go("n", "call 4");
  await go("End", "call 5");
  await go("p", "call 4");
  await go("ArrowLeft", "call 3");
  await go("Home", "call 1");
  await go("ArrowDown", "mixed");
  await go("ArrowDown", "traced, the whole of 128");
  await go("n", "traced, the whole of 96, made");
  expect(lines(".jitviz-leaf-line > span")).toEqual([
    "call 1: the whole of 128",
    "call 4: the whole of 96, made it compile",
  ]);
  await go("ArrowUp", "traced, the whole of 96").catch(() => {});
  press(grid(), "Escape");
  await until(() => !shown.el.querySelector(".jitviz-page"));
});

test("only keys of the grid are kept from the notebook", () => {
  showScore(scoreOf(5));
  const kept = ["ArrowRight", "n", "Enter", "x", "b"].filter((key) => press(grid(), key).defaultPrevented);
  expect(kept).toEqual(["ArrowRight", "n", "Enter"]);
});

test("the page of a column has its reasons, with both sides, and leads to its program", async () => {
  showStory("recompile_by_treedef", 1200, "");
  shown.el.querySelector<HTMLElement>("[role=columnheader][aria-label*='version 2']")?.click();
  await until(() => lines(".jitviz-reason").length);
  expect(lines(".jitviz-reason-head")).toEqual(["treedefopt_state[0].trace.index", "weak typeopt_state[0].count"]);
  expect(lines(".jitviz-page .jitviz-tools").at(-1)).toBe("jaxprStableHLOHLOall leaves of this call");
});

test("twenty thousand leaves and five thousand calls are drawn a screen at a time, and chosen without drawing them again", async () => {
  const score = scoreOf(5_000);
  const leaves = Array.from({ length: 20_000 }, (_, at) => ({
    ...ROW,
    name: `w${at}`,
    path: `w${at}`,
    cells: [cell(0, "traced")],
  }));
  showScore({ ...score, rows: [...score.rows, ...leaves] });
  await until(() => shown.el.querySelectorAll(".jitviz-square").length > 100);
  const drawn = shown.el.querySelectorAll("[role=grid] *").length;
  expect(drawn).toBeLessThan(6_000);
  const first = shown.el.querySelector(".jitviz-square");
  for (let column = 0; column < 9; column += 1) {
    press(grid(), "ArrowRight");
    await new Promise(requestAnimationFrame);
  }
  expect(shown.el.querySelector(".jitviz-square")).toBe(first);
  press(grid(), "End");
  await until(() => labelOf(active())?.startsWith("call 5000"));
  press(grid(), "End", { ctrlKey: true });
  await until(() => names().at(-1) === "w19999");
});

test("where there is no room for all that is open, what never changed is folded", () => {
  const leaf = (depth: number, name: string) => ({ ...ROW, depth, name, path: name, cells: [cell(0, "traced")] });
  const quiet = Array.from({ length: 40 }, (_, at) => leaf(1, `['w${at}']`));
  const score = scoreOf(5);
  const rows = [{ ...leaf(0, "params"), kind: "node" as const }, ...quiet, ...score.rows];
  showScore({ ...score, rows });
  expect(names()).toEqual(["params", "batch", "['x']", "[0..2]", "train"]);
});

test("other scores are one line each, which opens", async () => {
  const { view } = golden("recompile_by_treedef");
  const other = { ...scoreOf(3, [0]), function: "evaluate", place: 7, told: "3 calls, 1 compile, 2.0 s" };
  show({ ...view, scores: [scoreOf(5), other] }, askFrom({}), 1200, "");
  expect(lines(".jitviz-folded")).toEqual(["evaluate3 calls, 1 compile, 2.0 s"]);
  shown.el.querySelector<HTMLElement>(".jitviz-folded button")?.click();
  await until(() => shown.el.querySelectorAll("[role=grid]").length === 2);
});

test("a column of many calls shows each of them", async () => {
  const score = scoreOf(5);
  const many = {
    ...COLUMN,
    kind: "many" as const,
    first: 6,
    last: 9,
    count: 4,
    name: "4",
    label: "calls 6 to 9",
    compiles: [4, 5],
  };
  const { view } = golden("recompile_by_treedef");
  const answers = { "score function 0 first 6 last 9 under null": scoreOf(4, [0, 2]) };
  show({ ...view, scores: [{ ...score, columns: [...score.columns, many] }] }, askFrom(answers), 1200, "");
  press(grid(), "End");
  await until(() => shown.el.querySelectorAll("[role=grid]").length === 2);
});

test("the last run stands above on request", async () => {
  const { view } = golden("recompile_by_treedef");
  const since = [
    { text: "Since the last run: 9 → 2 compiles", is_code: false, is_strong: false, path: "", compile: -1 },
  ];
  show({ ...view, verdict: { ...view.verdict, since }, last_scores: [scoreOf(5)] }, askFrom({}), 1200, "");
  expect(lines(".jitviz-subline")[0]).toContain("Since the last run: 9 → 2 compiles both runs");
  [...shown.el.querySelectorAll("button")].find((one) => one.textContent === "both runs")?.click();
  await until(() => shown.el.querySelectorAll("[role=grid]").length === 2);
});

test("looks of a row without a cell at its beginning are absent until its first", () => {
  const look = looksOf(scoreOf(3).rows[4] as ScoreRow);
  expect([0, 1, 2].map((at) => look(at).role)).toEqual(["absent", "static", "static"]);
});

test("rows beneath a folded row are not in sight", () => {
  expect(rowsInSight(scoreOf(3), () => false)).toEqual([0, 2, 4]);
  expect(rowsInSight(scoreOf(3), () => true)).toEqual([0, 1, 2, 3, 4]);
});
