/**
 * The panel as an anywidget view; the protocol is in wire.ts.
 *
 * In: the model of a widget with the trait `view`.  Out: a mounted panel that follows it.
 * Must never: wait for the kernel before the first paint.
 */

import { openDesk } from "./ask.ts";
import { mount } from "./mount.tsx";
import { keepShortcutsOut } from "./shortcuts.ts";
import { hideStatic } from "./static.ts";

/** What of anywidget's model is used. */
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
  const panel = mount(el, model.get("view"), desk.ask);
  const showStatic = hideStatic(String(model.get("static_id") ?? ""), el.ownerDocument);
  const letShortcutsIn = keepShortcutsOut(el);
  const onView = () => panel.update(model.get("view"));
  const onMessage = (message: unknown, buffers: readonly DataView[]) => desk.receive(message, buffers);
  const onLink = () => {
    desk.close("The kernel is gone, so this can no longer be looked up.");
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

/** The assets widget hands `render` to the others, so that the bundle is sent once. */
export function initialize() {
  return { render };
}
