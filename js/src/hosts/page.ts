/**
 * The panel as a standalone page, which contains everything it shows; large parts are packed.
 *
 * In: a document with two elements of JSON, the view and the answers (jitviz/display/page.py).  Out: a mounted panel.
 * Must never: load anything.
 */

import { type Ask, nameQuestion, type QuestionKind } from "../wire/messages.ts";
import { bytesOf, gunzip } from "../wire/packing.ts";
import { Refusal } from "../wire/questions.ts";
import { mount } from "./mount.tsx";

export async function openPage(page: Document): Promise<void> {
  const view = page.getElementById("jitviz-view");
  const answers = page.getElementById("jitviz-answers");
  const home = page.getElementById("jitviz-panel");
  const fallback = page.getElementById("jitviz-static");
  if (!view || !answers || !home) return;
  // The text for browsers without scripts is hidden once the panel is there.
  const ask = askPage(JSON.parse(answers.textContent ?? ""), page);
  mount(home, await unpack(JSON.parse(view.textContent ?? "")), ask, page === document);
  if (fallback) fallback.hidden = true;
}

function askPage(answers: Record<string, unknown>, page: Document): Ask {
  return async (kind: QuestionKind, params: object) => {
    const key = nameQuestion(kind, params);
    const code = kind === "chunk" && page.getElementById(`jitviz-${key.replaceAll(" ", "-")}`)?.textContent;
    if (code) return { code: await gunzip(bytesOf(code)).text() } as never;
    if (!Object.hasOwn(answers, key)) throw new Refusal(refusalOf(kind), true);
    return (await unpack(answers[key])) as never;
  };
}

function refusalOf(kind: QuestionKind): string {
  if (kind === "chunk") return "This page lacks this part of the panel, which a notebook would load.";
  if (kind === "graph")
    return "A page holds each graph as it opens at first, unless it is very large; a notebook draws the others.";
  return `${KEPT[kind]} was left out to keep the page small; the recording itself has it.`;
}

const KEPT = {
  partition: "The whole tree",
  score: "Each of these calls",
  listing: "This text",
  links: "The linking of texts and source",
  difference: "This comparison",
  facts: "The cost of this program",
} as const;

/** The value, which may be packed with gzip and base64. */
async function unpack(packed: unknown): Promise<unknown> {
  const gzip = typeof packed === "object" && packed !== null ? (packed as { gzip?: unknown }).gzip : undefined;
  return typeof gzip === "string" ? gunzip(bytesOf(gzip)).json() : packed;
}
