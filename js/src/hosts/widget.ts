/**
 * The panel as an anywidget view; the protocol is in wire/messages.ts.
 *
 * In: the model of a widget with the trait `view`.  Out: a mounted panel that follows it.
 * Must never: wait for the kernel before the first paint.
 */

import { type Ask, nameQuestion, readAnswer } from "../wire/messages.ts";
import { gunzip } from "../wire/packing.ts";
import { openDesk } from "../wire/questions.ts";
import { mount } from "./mount.tsx";
import { keepShortcutsOut } from "./shortcuts.ts";
import { hideStatic } from "./static.ts";

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
  const showStatic = hideStatic(String(model.get("static_id") ?? ""), el.ownerDocument);
  const letShortcutsIn = keepShortcutsOut(el);
  const onView = () => panel.update(model.get("view"));
  const onMessage = (message: unknown, buffers: readonly DataView[]) => desk.receive(message, buffers);
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
  const end = () => {
    for (const [event, act] of watched) model.off(event, act);
    desk.close("The view was closed.");
    panel.destroy();
    showStatic();
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
    return body === undefined ? ask(kind, params, signal) : readAnswer(kind, body);
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
