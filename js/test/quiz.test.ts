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
  const question = { column, text: "what made call 3 compile", answer: `\`it\` ${cell?.told}` };
  const quiz = { score: 0, questions: [question], choices: [] };
  show({ ...view, quiz }, askFrom(answers), width, "");
  return quiz;
}

const grid = () => shown.el.querySelector("[role=grid]") as HTMLElement;
const causes = () => lines(".jitviz-square.jitviz-cause").length;

test("a question stands above the score, without values, causes and the rest of the panel", () => {
  showQuiz();
  expect(lines("h2")).toEqual(["1 of 1: what made call 3 compile?"]);
  expect(causes()).toBe(0);
  expect(lines(".jitviz-square").filter(Boolean)).toEqual([]);
  expect(lines(".jitviz-score-type b")).toEqual([]);
  expect(lines(".jitviz-verdict, .jitviz-findings, .jitviz-cell, [role=tab]")).toEqual([]);
});

test("a row that made the call compile is right, and the panel opens", async () => {
  showQuiz();
  const rows = golden("recompile_by_treedef").view.scores[0]?.rows ?? [];
  const right = rows.findIndex(({ cells }) => cells.some(({ is_cause }) => is_cause));
  (await until(() => shown.el.querySelector<HTMLElement>(`[data-cell="${right} 0"]`))).click();
  await until(() => lines(".jitviz-verdict").length);
  expect(lines(".jitviz-quiz h2")).toEqual(["Quiz: 1 of 1 right"]);
  expect(lines("[role=status]")[0]).toMatch(/^✓ right: it /);
  await until(() => shown.el.querySelector("h2:focus"));
});

test("another row is wrong; it is chosen by key as well, and the quiz can be taken again", async () => {
  showQuiz();
  grid().focus();
  for (const key of ["End", "Ctrl+End", "Enter"]) {
    if (key === "Ctrl+End") press(grid(), "End", { ctrlKey: true });
    else press(grid(), key);
    await new Promise(requestAnimationFrame);
  }
  await until(() => lines(".jitviz-verdict").length);
  expect(lines("[role=status]")[0]).toMatch(/^(✓ right|✕ no): it /);
  button(shown.el, "Take the quiz again").click();
  await until(() => lines(".jitviz-verdict").length === 0);
  button(shown.el, "Skip the quiz").click();
  await until(() => lines(".jitviz-verdict").length);
  expect(lines(".jitviz-quiz h2")).toEqual([]);
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
