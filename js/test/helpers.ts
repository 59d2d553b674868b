/** Panels in a page: the views that Python wrote, and ways to look at what is drawn of them. */

import type {} from "@vitest/browser-playwright"; // what `cdp` can do
import { options } from "preact";
import { afterEach, expect } from "vitest";
import { cdp } from "vitest/browser";
import { type Mounted, mount } from "../src/hosts/mount.tsx";
import type { Panel } from "../src/schema.ts";
import { type Ask, nameQuestion } from "../src/wire/messages.ts";

export interface Golden {
  view: Panel;
  answers: Record<string, unknown>;
}

const files = import.meta.glob<string>("../../tests/display/golden/*.json", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** A fresh copy each time, so that no test sees what another one changed. */
export function golden(name: string): Golden {
  const text = files[`../../tests/display/golden/${name}.json`];
  if (text === undefined) throw new Error(`no golden file ${name}`);
  return JSON.parse(text);
}

export const STORIES = Object.keys(files)
  .map((path) => path.slice(path.lastIndexOf("/") + 1, -".json".length))
  .filter((name) => name !== "words");

/** Answers as a kernel would, from the same file. */
export function askFrom(answers: Record<string, unknown>): Ask {
  return async (kind, params) => {
    const key = nameQuestion(kind, params);
    if (!(key in answers)) throw new Error(`nothing is known of ${key}`);
    return answers[key] as never;
  };
}

export interface Shown extends Mounted {
  el: HTMLElement;
}

/** The newest panel. */
export let shown: Shown;

const panels: Shown[] = [];

afterEach(() => {
  for (const { el, destroy } of panels.splice(0)) {
    destroy();
    expect(el.childElementCount).toBe(0);
    el.remove();
  }
  document.body.removeAttribute("style");
});

/** A panel, with one of its tabs open, or with its calls by the clock and the tree of one of them. With "" it is as it opens. */
export function show(view: unknown, ask: Ask = askFrom({}), width = 1200, title = "Timeline"): Shown {
  const el = document.createElement("div");
  el.style.width = `${width}px`;
  document.body.append(el);
  const mounted = mount(el, view, ask);
  shown = { el, ...mounted };
  panels.push(shown);
  if (title) atOnce(() => el.querySelector<HTMLElement>(".jitviz-more")?.click());
  if (title && title !== "Timeline" && el.querySelector("[role=tab]")) atOnce(() => tab(el, title));
  if (title === "Timeline")
    for (const name of ["by time", "all leaves of this call"]) atOnce(() => clickIfThere(el, name));
  return shown;
}

function clickIfThere(root: ParentNode, name: string): void {
  [...root.querySelectorAll("button")].find((one) => one.textContent?.trim() === name)?.click();
}

/** What an event changes is drawn before this returns. */
function atOnce(act: () => void): void {
  options.debounceRendering = (draw) => draw();
  act();
  delete options.debounceRendering;
}

export function showStory(name: string, width?: number, title?: string): Shown {
  const { view, answers } = golden(name);
  return show(view, askFrom(answers), width, title);
}

/** What the elements say, without the explanations that only show on hover. */
export function texts(root: ParentNode, selector: string): string[] {
  return [...root.querySelectorAll(selector)].map((element) => {
    const copy = element.cloneNode(true) as Element;
    for (const tip of copy.querySelectorAll("[role=tooltip]")) tip.remove();
    return (copy.textContent ?? "").replace(/\s+/g, " ").trim();
  });
}

/** What the elements of the newest panel say. */
export const lines = (selector: string) => texts(shown.el, selector);

export const find = <T extends HTMLElement>(selector: string) => until(() => shown.el.querySelector<T>(selector));

export async function gzipped(text: BlobPart): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Waits until `look` gives something and does not throw; long, since some machines are slow, or do much else. */
export async function until<T>(look: () => T | null | undefined | false, timeoutMs = 15_000): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    let problem: unknown = new Error(`this did not come true: ${look.toString()}`);
    try {
      const found = look();
      if (found) return found;
    } catch (error) {
      problem = error;
    }
    if (performance.now() > end) throw problem;
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
}

export function button(root: ParentNode, name: string): HTMLButtonElement {
  const found = [...root.querySelectorAll("button")].find(
    (one) => (one.getAttribute("aria-label") ?? one.textContent ?? "").replace(/\s+/g, " ").trim() === name,
  );
  if (!found) throw new Error(`no button ${name}; there are ${texts(root, "button").join(" | ")}`);
  return found;
}

export function tab(root: ParentNode, name: string): void {
  const tabs = [...root.querySelectorAll<HTMLElement>("[role=tab]")];
  const found = tabs.find((one) => one.textContent?.startsWith(name === "Timeline" ? "Score" : name)); // by time, if it was
  if (!found) throw new Error(`no tab ${name}`);
  found.click();
}

/** The page of the column that compiled a version. */
export async function openVersion(root: ParentNode, version: number): Promise<void> {
  tab(root, "Score");
  await until(() => root.querySelector(".jitviz-score, .jitviz-timeline"));
  clickIfThere(root, "by call");
  const isIts = (head: Element) => head.getAttribute("aria-label")?.includes(`compile, version ${version}`);
  const heads = () => [...root.querySelectorAll<HTMLElement>("[role=columnheader]")];
  (await until(() => heads().find(isIts))).click();
  await until(() => root.querySelector(".jitviz-page h2")?.textContent?.includes(`version ${version}`));
}

export function press(element: Element, key: string, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true, ...more });
  element.dispatchEvent(event);
  return event;
}

/** The system's own wishes. */
export async function emulate(scheme = "", forced = "") {
  const features = [
    { name: "prefers-color-scheme", value: scheme },
    { name: "forced-colors", value: forced },
  ];
  await cdp().send("Emulation.setEmulatedMedia", { features });
}
