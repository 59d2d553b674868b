import { expect, test } from "vitest";
import { openPage } from "../src/hosts/page.ts";
import { button, golden, gzipped, openVersion, texts, until } from "./helpers.ts";

/** A page as Python writes it, with the given view and answers. */
function pageWith(view: unknown, answers: Record<string, unknown>): Document {
  const page = document.implementation.createHTMLDocument();
  const add = (tag: string, id: string, text: string) => {
    const element = page.createElement(tag);
    element.id = id;
    element.textContent = text;
    page.body.append(element);
    return element;
  };
  add("div", "jitviz-panel", "");
  add("div", "jitviz-static", "the static text");
  add("script", "jitviz-view", JSON.stringify(view)).setAttribute("type", "application/json");
  add("script", "jitviz-answers", JSON.stringify(answers)).setAttribute("type", "application/json");
  return page;
}

async function pack(value: unknown): Promise<{ gzip: string }> {
  const bytes = await gzipped(JSON.stringify(value));
  return { gzip: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) };
}

async function opened(page: Document): Promise<HTMLElement> {
  await openPage(page);
  // Into a page that is drawn, so that sizes and clicks are real.
  const panel = page.getElementById("jitviz-panel") as HTMLElement;
  document.body.replaceChildren(document.adoptNode(panel));
  return panel;
}

test("a page opens from its own elements, packed or not", async () => {
  const { view, answers } = golden("recompile_by_treedef");
  for (const data of [view, await pack(view)]) {
    const page = pageWith(data, answers);
    const panel = await opened(page);
    expect(texts(panel, ".jitviz-verdict")).toHaveLength(1);
    expect((page.getElementById("jitviz-static") as HTMLElement).hidden).toBe(true);
  }
});

test("a packed answer is unpacked on demand", async () => {
  const { view } = golden("recompile_by_treedef");
  const answers = { "listing compile 1 name jaxpr": await pack({ text: "{ lambda }" }) };
  const panel = await opened(pageWith(view, answers));
  await openVersion(panel, 2);
  (await until(() => button(panel, "jaxpr of version 2"))).click();
  await until(() => texts(panel, "pre")[0] === "{ lambda }");
});

test("a page says what it left out", async () => {
  const panel = await opened(pageWith(golden("recompile_by_treedef").view, {}));
  await openVersion(panel, 1);
  (await until(() => button(panel, "HLO of version 1"))).click();
  const words = "⚠ This text was left out to keep the page small; the recording itself has it.";
  await until(() => texts(panel, "[role=status]").includes(words));
});

test("a document without the elements is left alone", async () => {
  const page = document.implementation.createHTMLDocument();
  await openPage(page);
  expect(page.body.childElementCount).toBe(0);
});

test("the static text stays if the view cannot be read", async () => {
  const page = pageWith({ gzip: "no gzip at all" }, {});
  await expect(openPage(page)).rejects.toThrow();
  expect((page.getElementById("jitviz-static") as HTMLElement).hidden).toBe(false);
});
