import axe from "axe-core";
import { expect, test } from "vitest";
import { type Guesses, markCalls, markLeaves, NO_GUESSES, tellScore } from "../src/quiz/guesses.ts";
import type { Quiz } from "../src/schema.ts";
import { button, golden, lines, show, shown, until } from "./helpers.ts";

const QUIZ: Quiz = {
  calls: [
    {
      function: "step",
      number: 1,
      source: "In [3]:3",
      truth: "compile",
      because: "`step` was compiled for the first time.",
    },
    { function: "step", number: 2, source: "In [3]:4", truth: "hit", because: "It found version 1." },
    { function: "<img src=x>", number: 1, source: "", truth: "compile", because: "`x` changed its shape." },
  ],
  n_more_calls: 40,
  function: "step",
  call: 1,
  source: "In [3]:3",
  leaves: [
    { path: "x", type: "jax.Array", truth: "traced", because: "An input of the program: `f32[4]`." },
    { path: "mode", type: "str", truth: "static", because: "Part of the cache key: `'train'`." },
  ],
  n_more_leaves: 2,
  note: "Hits that could not be seen here are not asked for.",
};

const inputs = () => [...shown.el.querySelectorAll("input")];

function showQuiz(quiz = QUIZ, width = 1000): void {
  show({ ...golden("recompile_by_treedef").view, quiz }, undefined, width);
}

function guess(calls: [number, "hit" | "compile"][], traced: number[]): Guesses {
  return { calls: new Map(calls), traced: new Set(traced) };
}

test("a call is right, wrong or not answered; a leaf that is not ticked counts as static", () => {
  const guesses = guess(
    [
      [0, "compile"],
      [1, "compile"],
    ],
    [1],
  );
  expect(markCalls(QUIZ, guesses)).toEqual(["right", "wrong", "not answered"]);
  expect(markLeaves(QUIZ, guesses)).toEqual(["wrong", "wrong"]);
});

test("the score counts what is marked as right: each call and each leaf", () => {
  expect(tellScore(QUIZ, guess([[0, "compile"]], [0]))).toBe("3 of 5 right");
  expect(tellScore(QUIZ, guess([], [1]))).toBe("0 of 5 right");
  expect(tellScore({ ...QUIZ, leaves: [] }, guess([[0, "compile"]], []))).toBe("1 of 3 right");
});

test("a quiz that was not answered has nothing right, and says so below its score", async () => {
  expect(markLeaves(QUIZ, NO_GUESSES)).toEqual(["not answered", "not answered"]);
  showQuiz();
  button(shown.el, "Show the answers").click();
  await until(() => lines(".jitviz-marks li").length);
  expect(lines(".jitviz-quiz h2")).toEqual(["Quiz: 0 of 5 right"]);
  expect(lines(".jitviz-mark-sign")).toEqual(Array(5).fill("– not answered"));
});

test("the questions come first, and nothing of the panel", () => {
  showQuiz();
  expect(lines("legend")).toEqual([
    "step, call 1 at In [3]:3",
    "step, call 2 at In [3]:4",
    "<img src=x>, call 1",
    "Which leaves are traced in step, call 1 at In [3]:3?",
  ]);
  expect(lines("label")).toEqual([..."123"].flatMap(() => ["hit", "compile"]).concat(["x jax.Array", "mode str"]));
  expect(lines("p").slice(1, 4)).toEqual(["40 more calls not in the quiz", QUIZ.note, "2 more leaves not in the quiz"]);
  expect(shown.el.querySelector(".jitviz-verdict, [role=tab], img")).toBeNull();
  expect(shown.el.textContent).not.toContain("f32");
});

test("the panel opens with the guesses beside the truth and the reasons", async () => {
  showQuiz();
  const [hit, , , compile, , , x] = inputs();
  hit?.click();
  compile?.click();
  x?.click();
  await until(() => inputs().filter((input) => input.checked).length === 3);
  button(shown.el, "Show the answers").click();
  await until(() => lines(".jitviz-marks li").length);
  expect(lines(".jitviz-quiz h2")).toEqual(["Quiz: 2 of 5 right"]);
  expect(lines(".jitviz-marks li")).toEqual([
    "✕ wrongstep, call 1 at In [3]:3: compile; you said hitstep was compiled for the first time.",
    "✕ wrongstep, call 2 at In [3]:4: hit; you said compileIt found version 1.",
    "– not answered<img src=x>, call 1: compilex changed its shape.",
    "✓ rightx: tracedAn input of the program: f32[4].",
    "✓ rightmode: staticPart of the cache key: 'train'.",
  ]);
  expect(lines(".jitviz-verdict")).toHaveLength(1);
  await until(() => document.activeElement === shown.el.querySelector(".jitviz-quiz h2"));
});

test("a guess can be changed, and a tick taken back", async () => {
  showQuiz();
  const [hit, compile, , , , , x] = inputs();
  hit?.click();
  x?.click();
  await until(() => hit?.checked && x?.checked);
  compile?.click();
  x?.click();
  await until(() => compile?.checked && !hit?.checked && !x?.checked);
  button(shown.el, "Show the answers").click();
  await until(() => lines(".jitviz-quiz h2")[0] === "Quiz: 2 of 5 right");
});

test("the choices of each call are a separate group", async () => {
  showQuiz();
  for (const input of inputs().slice(0, 6)) input.click();
  await until(() => inputs().filter((input) => input.checked).length === 3);
  expect(inputs().map((input) => input.checked)).toEqual([false, true, false, true, false, true, false, false]);
});

test("two panels on one page have no id in common", () => {
  showQuiz();
  const { view } = golden("recompile_by_treedef");
  const ids = [shown, show(view), show(view)].flatMap(({ el }) =>
    [...el.querySelectorAll("[id]")].map((one) => one.id),
  );
  expect(ids.length).toBeGreaterThan(20);
  expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([]);
});

test("skipping shows the panel alone", async () => {
  showQuiz();
  button(shown.el, "Skip the quiz").click();
  await until(() => lines(".jitviz-verdict").length);
  expect(shown.el.querySelector(".jitviz-quiz")).toBeNull();
});

test("guesses stay when the view is sent again", async () => {
  showQuiz();
  inputs()[0]?.click();
  await until(() => inputs()[0]?.checked);
  shown.update({ ...golden("recompile_by_treedef").view, quiz: { ...QUIZ, note: "Sent again." } });
  await until(() => shown.el.textContent?.includes("Sent again."));
  expect(inputs()[0]?.checked).toBe(true);
});

for (const [theme, ground] of [
  ["light", "#ffffff"],
  ["dark", "#111111"],
] as const) {
  test(`axe finds nothing in the questions and the answers, ${theme}, and nothing sticks out at 600 px`, async () => {
    document.body.style.background = ground;
    showQuiz(QUIZ, 600);
    const root = await until(() => shown.el.querySelector<HTMLElement>(`.jitviz[data-theme=${theme}]`));
    expect((await axe.run(shown.el)).violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    expect(root.scrollWidth).toBeLessThanOrEqual(600);
    inputs()[0]?.click();
    button(shown.el, "Show the answers").click();
    await until(() => lines(".jitviz-marks li").length);
    expect((await axe.run(shown.el)).violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    expect(root.scrollWidth).toBeLessThanOrEqual(600);
  });
}

test("a quiz can be taken again, from the start", async () => {
  showQuiz();
  (shown.el.querySelector("[type=radio]") as HTMLInputElement).click();
  button(shown.el, "Show the answers").click();
  (await until(() => button(shown.el, "Take the quiz again"))).click();
  await until(() => shown.el.querySelector("form"));
  expect(shown.el.querySelector("[type=radio]:checked")).toBeNull();
  button(shown.el, "Skip the quiz").click();
  (await until(() => button(shown.el, "Take the quiz"))).click();
  await until(() => shown.el.querySelector("form"));
});
