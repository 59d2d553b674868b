/**
 * The panel as a page of its own: everything is in the page, and what is big is packed.
 *
 * In: a document with two elements of JSON, the view and the answers (jitviz/display/page.py).  Out: a mounted panel.
 * Must never: load anything.
 */

import { mount } from "./mount.tsx";
import { type Ask, type QuestionKind, readAnswer } from "./wire.ts";

/** Text that was packed with gzip and base64, or a value as it is. */
type Packed = { gzip: string } | unknown;

export async function openPage(page: Document): Promise<void> {
  const view = page.getElementById("jitviz-view");
  const answers = page.getElementById("jitviz-answers");
  const home = page.getElementById("jitviz-panel");
  const fallback = page.getElementById("jitviz-static");
  if (!view || !answers || !home) return;
  // What stands there for those without scripts goes when there is something better.
  mount(home, await unpack(JSON.parse(view.textContent ?? "")), askPage(JSON.parse(answers.textContent ?? "")));
  if (fallback) fallback.hidden = true;
}

function askPage(answers: Record<string, Packed>): Ask {
  return async (kind: QuestionKind, params: object) => {
    const key = [kind, ...Object.entries(params).flat()].join(" ");
    if (!Object.hasOwn(answers, key)) throw new Error(refusalOf(kind));
    return readAnswer(kind, await unpack(answers[key])) as never;
  };
}

function refusalOf(kind: QuestionKind): string {
  const what = kind === "listing" ? "This text" : "The whole tree";
  return `${what} was left out to keep the page small; the recording itself has it.`;
}

async function unpack(packed: Packed): Promise<unknown> {
  const gzip = typeof packed === "object" && packed !== null ? (packed as { gzip?: unknown }).gzip : undefined;
  if (typeof gzip !== "string") return packed;
  const bytes = Uint8Array.from(atob(gzip), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}
