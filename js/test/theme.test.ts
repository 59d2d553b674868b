import { afterEach, expect, test } from "vitest";
import { type Theme, watchTheme } from "../src/hosts/theme.ts";
import { button, emulate, showStory, until } from "./helpers.ts";

let undo = () => {};

afterEach(async () => {
  undo();
  delete document.body.dataset.vscodeThemeKind;
  await emulate();
});

/** What is told of an element on this ground. */
function themesOn(ground: string): Theme[] {
  document.body.style.background = ground;
  const el = document.createElement("div");
  document.body.append(el);
  const told: Theme[] = [];
  const unwatch = watchTheme(el, (theme) => told.push(theme));
  undo = () => {
    unwatch();
    el.remove();
  };
  return told;
}

test.each([
  ["#ffffff", "light"],
  ["rgb(20 20 24)", "dark"],
  ["color(srgb 0.98 0.98 0.98)", "light"],
  ["oklch(1 0 0)", "light"],
  ["oklch(0.2 0.02 250)", "dark"],
  ["lab(95 0 0)", "light"],
])("on %s the theme is %s", (ground, theme) => {
  expect(themesOn(ground)).toEqual([theme]);
});

const systems = ["light", "dark"] as const;

test.each(systems)("a webview of VS Code has the theme of VS Code, on a %s system", async (system) => {
  await emulate(system);
  for (const [kind, theme] of [
    ["vscode-light", "light"],
    ["vscode-dark", "dark"],
    ["vscode-high-contrast", "dark"],
    ["vscode-high-contrast-light", "light"],
  ] as const) {
    document.body.dataset.vscodeThemeKind = kind;
    expect(themesOn("transparent"), kind).toEqual([theme]);
    undo();
  }
});

test.each(systems)("a transparent host is judged by its text colour, on a %s system", async (system) => {
  await emulate(system);
  for (const [text, theme] of [
    ["#cccccc", "dark"],
    ["#3b3b3b", "light"],
  ] as const) {
    document.body.style.color = text;
    expect(themesOn("transparent"), text).toEqual([theme]);
    undo();
  }
});

test("a white background inside a dark editor is light", () => {
  document.body.dataset.vscodeThemeKind = "vscode-dark";
  expect(themesOn("#ffffff")).toEqual(["light"]);
});

test("what a panel is drawn on is forgotten where its host becomes transparent, and is the editor's in VS Code", async () => {
  const told = themesOn("#ffffff");
  const ground = () => (document.body.lastElementChild as HTMLElement).style.getPropertyValue("--jitviz-ground");
  expect([told, ground()]).toEqual([["light"], "rgb(255, 255, 255)"]);
  document.body.style.background = "transparent";
  await until(() => ground() === "");
  document.body.dataset.vscodeThemeKind = "vscode-dark";
  await until(() => ground() === "var(--vscode-editor-background)");
});

test("the theme changes when the system begins to force colours", async () => {
  const told = themesOn("#ffffff");
  await emulate("light", "active");
  await until(() => told.includes("forced"));
});

test.each([
  ["vscode-dark", "#cccccc", "rgb(228, 231, 235)"],
  ["vscode-light", "#3b3b3b", "rgb(29, 33, 39)"],
])(
  "in %s the panel has the fonts of the editor, readable text, and code without the frames of the editor",
  async (kind, text, own) => {
    const editor = document.createElement("style");
    editor.textContent = `@layer vscode-default { code { padding: 1px 3px; background: #123456; color: #d7ba7d; } }
    :root { --vscode-font-family: Prose; --vscode-editor-font-family: Code; --vscode-foreground: ${text};
            --jp-ui-font-family: Code; --jp-code-font-family: Code; --jp-ui-font-color1: #ffffff; }`;
    document.head.append(editor);
    document.body.dataset.vscodeThemeKind = kind;
    const shown = showStory("recompile_by_treedef");
    undo = () => editor.remove();
    const code = await until(() => shown.el.querySelector(".jitviz-page h2 code"));
    const panel = getComputedStyle(shown.el.querySelector(".jitviz") as Element);
    expect([panel.fontFamily, panel.color]).toEqual(["Prose", own]);
    const { padding, backgroundColor, fontFamily, color } = getComputedStyle(code);
    expect([padding, backgroundColor, fontFamily, color]).toEqual(["0px", "rgba(0, 0, 0, 0)", "Code", own]);
  },
);

test("where colours are forced, phases keep their patterns, and what is chosen stands out", async () => {
  await emulate("light", "active");
  const shown = showStory("recompile_by_treedef");
  await until(() => shown.el.querySelector('[data-theme="forced"] .jitviz-legend'));
  const looks = (selector: string) =>
    [...shown.el.querySelectorAll(selector)].map((element) => {
      const { backgroundImage, backgroundColor, width, height } = getComputedStyle(element);
      return [backgroundImage, backgroundColor, width, height].join(" ");
    });
  expect(new Set(looks(".jitviz-legend .jitviz-swatch")).size).toBe(7);
  button(shown.el, "only what changed").click();
  await until(() => new Set(looks(".jitviz-leaves .jitviz-swatch")).size === 2);
  const [chosen] = looks("[role=tab][aria-selected=true]").map((look) => look.split(") ").at(0));
  const others = looks("[role=tab][aria-selected=false]").map((look) => look.split(") ").at(0));
  expect(others).not.toContain(chosen);
});

test("where colours are forced, the names in the score can be read on their ground", async () => {
  await emulate("dark", "active");
  const shown = showStory("recompile_by_treedef", 1200, "");
  await until(() => shown.el.querySelector('[data-theme="forced"] [role=grid]'));
  for (const selector of ["[role=rowheader]", ".jitviz-score-head", ".jitviz-score-type"]) {
    const { color, backgroundColor } = getComputedStyle(shown.el.querySelector(selector) as Element);
    expect([selector, backgroundColor === color]).toEqual([selector, false]);
  }
});
