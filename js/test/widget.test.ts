import { afterEach, beforeEach, expect, test } from "vitest";
import bundle from "../src/bundles/jitviz.ts";
import loader from "../src/bundles/loader.js?raw";
import type { Message } from "../src/wire/messages.ts";
import { button, golden, gzipped, openVersion, tab, texts, until } from "./helpers.ts";

type Act = (...values: never[]) => void;

/** What anywidget gives to a view, as far as it is used. */
class FakeModel {
  readonly sent: Message[] = [];
  readonly acts = new Map<string, Set<Act>>();
  isOpen = true;

  constructor(readonly state: Record<string, unknown>) {}

  get(name: string): unknown {
    return this.state[name];
  }

  on(event: string, act: Act): void {
    this.acts.set(event, (this.acts.get(event) ?? new Set()).add(act));
  }

  off(event: string, act: Act): void {
    this.acts.get(event)?.delete(act);
  }

  send(message: unknown): void {
    if (!this.isOpen) throw new Error("the comm is closed");
    this.sent.push(message as Message);
  }

  happen(event: string, ...values: unknown[]): void {
    for (const act of [...(this.acts.get(event) ?? [])]) (act as (...values: unknown[]) => void)(...values);
  }

  get listeners(): number {
    return [...this.acts.values()].reduce((sum, acts) => sum + acts.size, 0);
  }
}

let el: HTMLElement;
let model: FakeModel;
let end: () => void;

beforeEach(() => {
  el = document.createElement("div");
  document.body.append(el);
  model = new FakeModel({ view: golden("recompile_by_treedef").view, assets: "anywidget:assets" });
  end = bundle.render({ model, el });
});

afterEach(() => {
  end();
  el.remove();
});

const listing = () => texts(el, "pre")[0];

async function openListing(): Promise<Message & { type: "ask" }> {
  await openVersion(el, 2);
  (await until(() => button(el, "jaxpr of version 2"))).click();
  return until(() =>
    model.sent.find(
      (message): message is Message & { type: "ask" } => message.type === "ask" && message.kind === "listing",
    ),
  );
}

test("the first paint does not wait for the kernel", () => {
  expect(texts(el, ".jitviz-verdict")).toHaveLength(1);
});

test("before there is a view nothing is drawn, and no error is shown", async () => {
  const empty = new FakeModel({ view: null, assets: "anywidget:assets" });
  const other = document.createElement("div");
  const close = bundle.render({ model: empty, el: other });
  expect(texts(other, ".jitviz")).toEqual([""]);
  empty.state.view = golden("nothing").view;
  empty.happen("change:view");
  await until(() => texts(other, ".jitviz-verdict").length === 1);
  close();
});

test("a text is requested by message, and drawn when the answer comes", async () => {
  const question = await openListing();
  expect(question.params).toEqual({ compile: 1, name: "jaxpr" });
  const packed = await gzipped(JSON.stringify({ text: "{ lambda ; . let in () }" }));
  model.happen("msg:custom", { type: "answer", id: question.id }, [new DataView(packed.buffer)]);
  await until(() => listing() === "{ lambda ; . let in () }");
});

test("a refusal of the kernel is shown", async () => {
  const question = await openListing();
  model.happen("msg:custom", { type: "error", id: question.id, error: "JAX did not show this text." }, []);
  await until(() => texts(el, "[role=status]").includes("⚠ JAX did not show this text. Ask again"));
});

test("a newer view replaces the old one", async () => {
  model.state.view = golden("nothing").view;
  model.happen("change:view");
  await until(() => texts(el, ".jitviz-title").length === 1 && texts(el, "[role=tab]").length === 0);
});

test("what the kernel says between two views is shown", async () => {
  model.state.view = golden("still_compiling").view;
  model.happen("change:view");
  model.happen("msg:custom", { type: "progress", at_s: 40, compiles: 1 }, []);
  await until(() => texts(el, ".jitviz-live")[0] === "recording · 1 compile so far");
});

test("when the kernel is gone, questions are refused at once and in words", async () => {
  model.happen("comm_live_update");
  await openVersion(el, 2);
  (await until(() => button(el, "jaxpr of version 2"))).click();
  const words = "⚠ The kernel is gone, so this can no longer be looked up.";
  await until(() => texts(el, "[role=status]").includes(words));
});

const packed = async (value: unknown) => new DataView((await gzipped(JSON.stringify(value))).buffer);

test("kept answers are shown without the kernel, and the others are named", async () => {
  model.state.kept = {
    "listing compile 1 name jaxpr": await packed({ text: "{ lambda ; kept }" }),
    "": await packed({ "listing compile 1 name stablehlo": { text: "module @small" } }),
  };
  model.state.view = { ...golden("recompile_by_treedef").view, not_kept: "Gone: hlo of step (4 MB)." };
  model.happen("comm_live_update");
  await openVersion(el, 2);
  (await until(() => button(el, "jaxpr of version 2"))).click();
  await until(() => listing() === "{ lambda ; kept }");
  await openVersion(el, 2);
  (await until(() => button(el, "StableHLO of version 2"))).click();
  await until(() => listing() === "module @small");
  await openVersion(el, 2);
  (await until(() => button(el, "HLO of version 2"))).click();
  const words = "⚠ The kernel is gone, so this can no longer be looked up. Gone: hlo of step (4 MB).";
  await until(() => texts(el, "[role=status]").includes(words));
  expect(model.sent.filter((message) => "params" in message && "name" in message.params)).toEqual([]);
});

test("kept answers are not called missing when the kernel is gone", async () => {
  const { answers } = golden("recompile_by_treedef");
  const texts_ = Object.entries(answers).filter(([name]) => name.startsWith("listing"));
  model.state.kept = { "": await packed(Object.fromEntries(texts_)) };
  model.happen("comm_live_update");
  tab(el, "Program");
  await until(() => texts(el, ".jitviz-reading > [role=status]").length === 2);
  expect(texts(el, ".jitviz-note")).toEqual([]);
  expect(texts(el, "button")).not.toContain("Ask again");
});

test("a closed view leaves nothing behind, in the page or at the model", async () => {
  await openListing();
  end();
  expect(el.childElementCount).toBe(0);
  expect(model.listeners).toBe(0);
});

test.each([
  [{ key: "x" }, true],
  [{ key: "ArrowDown" }, true],
  [{ key: "M", shiftKey: true }, true],
  [{ key: "s", ctrlKey: true }, false],
  [{ key: "s", metaKey: true }, false],
  [{ key: "Enter", shiftKey: true }, false],
])("whether the panel keeps the key %o from the notebook: %s", (key, isKept) => {
  const part = el.querySelector("[role=tab]");
  let seen: boolean | undefined;
  const look = () => {
    seen = part?.hasAttribute("data-lm-suppress-shortcuts");
  };
  // As Notebook 7 does: before the panel.
  document.addEventListener("keydown", look, { capture: true, once: true });
  part?.dispatchEvent(new KeyboardEvent("keydown", { ...key, bubbles: true }));
  expect(seen).toBe(isKept);
});

test("a view ends with the signal of its host", () => {
  const other = document.createElement("div");
  const abort = new AbortController();
  bundle.render({ model, el: other, signal: abort.signal });
  abort.abort();
  expect(other.childElementCount).toBe(0);
});

test("the loader draws with what the assets widget exports", async () => {
  const url = URL.createObjectURL(new Blob([loader], { type: "text/javascript" }));
  const { default: widget } = await import(/* @vite-ignore */ url);
  const asked: unknown[] = [];
  const host = {
    getWidget: async (reference: unknown) => {
      asked.push(reference);
      return { exports: bundle.initialize() };
    },
  };
  const other = document.createElement("div");
  const close = await widget.render({ model, el: other, host, signal: new AbortController().signal });
  expect(asked).toEqual(["anywidget:assets"]);
  expect(texts(other, ".jitviz-verdict")).toHaveLength(1);
  close();
});

test("without a host the loader imports the bundle once, as soon as the assets widget is there", async () => {
  const url = URL.createObjectURL(new Blob([loader], { type: "text/javascript" }));
  const { default: widget } = await import(/* @vite-ignore */ url);
  const asked: string[] = [];
  const assets = { get: () => "export default { initialize: () => ({ render: ({ el }) => el.append('drawn') }) };" };
  let isThere = false;
  const widget_manager = {
    get_model: async (id: string) => {
      asked.push(id);
      if (!isThere) throw new Error("not found");
      return assets;
    },
  };
  const old = { ...model, get: model.get, widget_manager };
  const other = document.createElement("div");
  await expect(widget.render({ model: old, el: other })).rejects.toThrow("not found");
  isThere = true;
  await widget.render({ model: old, el: other });
  await widget.render({ model: old, el: other });
  expect(asked).toEqual(["assets", "assets"]);
  expect(other.textContent).toBe("drawndrawn");
});
