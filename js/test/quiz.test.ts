import axe from "axe-core";
import { expect, test } from "vitest";
import type { Quiz } from "../src/schema.ts";
import { askFrom, button, golden, lines, press, show, shown, until } from "./helpers.ts";

/** Of a recording in which one call compiled again, for a leaf that is folded away. */
function showQuiz(width = 1200): Quiz {
  const { view, answers } = golden("recompile_by_treedef");
  const { rows, columns } = view.scores[0] as (typeof view.scores)[0];
  const column = columns.findIndex(({ kind }, at) => kind === "compile" && at > 0);
  const cell = rows.flatMap(({ cells }) => cells).find((one) => one.is_cause && one.told && one.column === column);
  const question = { column, text: "what made call 2 compile", answer: `\`it\` ${cell?.told}` };
  const quiz = { score: 0, questions: [question], choices: [] };
  show({ ...view, quiz }, askFrom(answers), width, "");
  return quiz;
}

const grid = () => shown.el.querySelector("[role=grid]") as HTMLElement;
const causes = () => lines(".jitviz-square.jitviz-cause").length;

/** Answers what is asked before the row: whether each call hit or compiled. */
async function guessOutcomes(): Promise<void> {
  for (let next = lines("h2")[0]; next?.includes("hit or compile"); next = lines("h2")[0]) {
    button(shown.el, "compile").click();
    await until(() => lines("h2")[0] !== next);
  }
}

test("a question stands above the score, without values, causes and the rest of the panel", () => {
  showQuiz();
  expect(lines("h2")).toEqual(["1 of 3: call 2: hit or compile?"]);
  expect(causes()).toBe(0);
  expect(lines(".jitviz-column")).toEqual(["1.0 s11", "2?", "3?"]);
  expect(lines(".jitviz-score-type b")).toEqual([]);
  expect(lines(".jitviz-verdict, .jitviz-findings, .jitviz-cell, [role=tab]")).toEqual([]);
});

test("a call that is told from a hit is uncovered, then the next is asked about, and a row that made it compile is right", async () => {
  showQuiz();
  button(shown.el, "hit").click();
  await until(() => lines("[role=status]").length);
  expect(lines("[role=status]")).toEqual(["✕ no: call 2: compile, version 2, 830 ms, avoidable"]);
  expect(lines("h2")).toEqual(["2 of 3: what made call 2 compile?"]);
  expect(lines(".jitviz-column")).toEqual(["1.0 s11", "830 ms22", "3?"]);
  const rows = golden("recompile_by_treedef").view.scores[0]?.rows ?? [];
  const right = rows.findIndex(({ cells }) => cells.some(({ is_cause }) => is_cause));
  (await until(() => shown.el.querySelector<HTMLElement>(`[data-cell="${right} 0"]`))).click();
  await until(() => lines("[role=status]")[0]?.startsWith("✓ right: it "));
  expect(causes()).toBeGreaterThan(0);
  button(shown.el, "hit").click();
  await until(() => lines(".jitviz-verdict").length);
  expect(lines(".jitviz-quiz h2")).toEqual(["Quiz: 2 of 3 right"]);
  await until(() => shown.el.querySelector("h2:focus"));
});

test("another row is wrong; it is chosen by key as well, and the quiz can be taken again", async () => {
  showQuiz();
  await guessOutcomes();
  await until(() => document.activeElement === grid());
  for (const key of ["Ctrl+End", "Enter"]) {
    if (key === "Ctrl+End") press(grid(), "End", { ctrlKey: true });
    else press(grid(), key);
    await new Promise(requestAnimationFrame);
  }
  await guessOutcomes();
  await until(() => lines(".jitviz-verdict").length);
  expect(lines(".jitviz-quiz h2")[0]).toMatch(/^Quiz: \d of 3 right$/);
  button(shown.el, "Take the quiz again").click();
  await until(() => lines(".jitviz-verdict").length === 0);
  button(shown.el, "Skip the quiz").click();
  await until(() => lines(".jitviz-verdict").length);
  expect(lines(".jitviz-quiz h2")).toEqual([]);
});

test("with → the calls are uncovered one after another, with ← covered again, and no guess is needed", async () => {
  showQuiz(853);
  expect(shown.el.querySelector(".jitviz-quiz")?.getBoundingClientRect().height).toBeLessThanOrEqual(400);
  const covered = () => lines(".jitviz-column").filter((head) => head.endsWith("?")).length;
  for (const [key, left] of [
    ["ArrowRight", 1],
    ["ArrowLeft", 2],
    ["ArrowRight", 1],
  ] as const) {
    press(grid(), key);
    await until(() => covered() === left);
  }
  press(grid(), "ArrowRight");
  await until(() => lines(".jitviz-verdict").length);
  expect(lines("[role=status]")).toEqual([]);
});

for (const theme of ["light", "dark"] as const) {
  test(`a quiz can be read by everyone on a ${theme} ground, and fits a narrow panel`, async () => {
    document.body.style.background = theme === "dark" ? "#17191c" : "#ffffff";
    showQuiz(600);
    const root = await until(() => shown.el.querySelector<HTMLElement>(`.jitviz[data-theme=${theme}]`));
    expect((await axe.run(shown.el)).violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    expect(root.scrollWidth).toBeLessThanOrEqual(600);
  });
}

test("a panel without a quiz is shown at once", () => {
  show(golden("recompile_by_treedef").view, undefined, 1200, "");
  expect(lines(".jitviz-verdict")).toHaveLength(1);
  expect(lines(".jitviz-quiz")).toEqual([]);
});
