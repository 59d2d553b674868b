/**
 * The panel as an anywidget view; the protocol is in wire/messages.ts.
 *
 * In: the model of a widget with the trait `view`.  Out: a mounted panel that follows it.
 * Must never: wait for the kernel before the first paint.
 */

import { type Ask, nameQuestion } from "../wire/messages.ts";
import { gunzip } from "../wire/packing.ts";
import { openDesk } from "../wire/questions.ts";
import { mount } from "./mount.tsx";

/** The part of anywidget's model in use here. */
interface Model {
  get(name: string): unknown;
  on(event: string, act: (...args: never[]) => void): void;
  off(event: string, act: (...args: never[]) => void): void;
  send(content: unknown): void;
}

interface View {
  model: Model;
  el: HTMLElement;
  signal?: AbortSignal;
}

export function render({ model, el, signal }: View): () => void {
  const desk = openDesk((message) => model.send(message));
  const panel = mount(el, model.get("view"), askFirst(model, desk.ask));
  let showStatic: (() => void) | null = null;
  const letShortcutsIn = keepShortcutsOut(el);
  const onView = () => {
    panel.update(model.get("view"));
    if (model.get("view")) showStatic ??= hideStatic(String(model.get("static_id") ?? ""), el.ownerDocument);
  };
  const onMessage = (message: { type?: unknown }, buffers: readonly DataView[]) =>
    message.type === "progress"
      ? panel.hear(message as Parameters<typeof panel.hear>[0])
      : desk.receive(message, buffers);
  const onLink = () => {
    desk.close(["The kernel is gone, so this can no longer be looked up.", notKept(model)].join(" ").trim());
    panel.tell("gone");
  };
  const watched = [
    ["change:view", onView],
    ["msg:custom", onMessage],
    ["comm_live_update", onLink],
  ] as const;
  for (const [event, act] of watched) model.on(event, act);
  onView();
  model.send({ type: "look" }); // a panel that nobody asked for is drawn when it is looked at
  const end = () => {
    for (const [event, act] of watched) model.off(event, act);
    desk.close("The view was closed.");
    panel.destroy();
    showStatic?.();
    letShortcutsIn();
  };
  signal?.addEventListener("abort", end, { once: true });
  return end;
}

/** Answers that came with the panel need no kernel, which may be busy or gone. */
function askFirst(model: Model, ask: Ask): Ask {
  return async (kind, params, signal) => {
    const name = nameQuestion(kind, params);
    const kept = (model.get("kept") ?? {}) as Record<string, DataView<ArrayBuffer>>;
    const unpack = async (packed: DataView<ArrayBuffer> | undefined) => (packed ? await gunzip(packed).json() : {});
    const body = name in kept ? await unpack(kept[name]) : (await unpack(kept[""]))[name];
    return body === undefined ? ask(kind, params, signal) : body;
  };
}

function notKept(model: Model): string {
  const view = model.get("view") as { not_kept?: unknown } | null;
  return typeof view?.not_kept === "string" ? view.not_kept : "";
}

/** The assets widget hands `render` to the others, so that the bundle is sent once. */
export function initialize() {
  return { render };
}

/**
 * Hides the static HTML that stands above the widget for those who cannot run it, for as long as a live panel is there;
 * without a kernel there is nothing else. A rule in the page hides it, since a notebook may draw its outputs again.
 */
function hideStatic(id: string, page: Document): () => void {
  if (!/^jitviz-static-[0-9a-f]+$/.test(id)) return () => {};
  const rule = page.createElement("style");
  rule.textContent = `#${id}, .jp-OutputArea-child:has(#${id}) { display: none !important }`;
  page.head.append(rule);
  return () => rule.remove();
}

/**
 * Keeps single keys pressed in the panel from Jupyter's shortcuts: "x" cuts the cell. Keys with Ctrl, Alt or Meta, and
 * Shift+Enter, which runs the cell, stay the notebook's.
 *
 * Notebook 7 handles keys before the panel sees them, so this runs earlier still, and sets the attribute that Jupyter's
 * key handling (Lumino) looks for, first of all at the focused element.
 */
function keepShortcutsOut(panel: HTMLElement): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    const { target } = event;
    if (!(target instanceof Element) || !panel.contains(target)) return;
    const isSingle = !event.ctrlKey && !event.altKey && !event.metaKey && !(event.shiftKey && event.key === "Enter");
    target.toggleAttribute("data-lm-suppress-shortcuts", isSingle);
  };
  window.addEventListener("keydown", onKeyDown, { capture: true });
  return () => window.removeEventListener("keydown", onKeyDown, { capture: true });
}
