import { afterEach, expect, test } from "vitest";
import { type Theme, watchTheme } from "../src/theme.ts";

let undo = () => {};

afterEach(() => {
  undo();
  document.body.removeAttribute("style");
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
