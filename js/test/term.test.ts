import { expect, test } from "vitest";
import { GLOSSARY } from "../src/glossary.ts";
import { press, shown, showStory, until } from "./helpers.ts";

function termOf(word: string): { button: HTMLButtonElement; tip: HTMLElement } {
  const button = [...shown.el.querySelectorAll<HTMLButtonElement>("button.jitviz-term")].find(
    (one) => one.textContent === word,
  );
  const tip = document.getElementById(button?.getAttribute("aria-describedby") ?? "");
  if (!button || !tip) throw new Error(`no term ${word}`);
  return { button, tip };
}

test.each([1200, 600])("at %d px a word explains itself with an example, inside the panel", async (width) => {
  showStory("recompile_by_treedef", width);
  const panel = shown.el.querySelector<HTMLElement>(".jitviz");
  for (const word of ["trace", "hit", "Partition", "static"] as const) {
    const { button, tip } = termOf(word);
    button.focus();
    await until(() => tip.classList.contains("jitviz-tip"));
    const { text, example } = GLOSSARY[word === "Partition" ? "partition" : word];
    expect(tip.querySelector(".jitviz-example")?.textContent).toBe(example);
    expect(tip.textContent).toBe(text.replaceAll("`", "") + example);
    const [edge, place] = [panel?.getBoundingClientRect(), tip.getBoundingClientRect()];
    expect(place.left).toBeGreaterThanOrEqual((edge?.left ?? 0) - 8);
    expect(place.right).toBeLessThanOrEqual((edge?.right ?? 0) + 8);
    expect(panel?.scrollWidth).toBeLessThanOrEqual(width);
    press(button, "Escape");
    await until(() => !tip.classList.contains("jitviz-tip"));
    button.blur();
  }
});
