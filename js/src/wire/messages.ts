/**
 * The wire between a panel and its host: what is sent, and what comes back.
 *
 * In: messages of a kernel, and what a page holds, both written by the package that this bundle came with.  Out: values
 * of the schema, with the defaults and the columns that were left out or packed.
 * Must never: check again what the types of both sides say; they are generated from one schema.
 *
 * State, pushed by the kernel:
 *   view    null at first, then a Panel (jitviz/views/schema.py) as JSON, without the fields that have their default
 *           value (DEFAULTS); each column of its timeline is an array of numbers, or bytes: little-endian int32 for
 *           integers, float64 for seconds (TIMELINE_COLUMNS)
 *   kept    answers that need no kernel, as JSON packed with gzip, by the name of their question (`nameQuestion`);
 *           those that are small are together under "", as an object by name
 *   assets  the one widget of the kernel that carries this bundle; see loader.js
 *
 * Messages of the panel:
 *   {type: "ask", id, kind: "partition", params: {compile}}        the whole trees of a compile, by its index
 *   {type: "ask", id, kind: "partition", params: {call}}           those of what a call ran, by its index
 *   {type: "ask", id, kind: "score", params: {function, first, last, under}}    its calls from first to last, a column each
 *   {type: "ask", id, kind: "listing", params: {compile, name}}    a program text: "jaxpr", "stablehlo" or "hlo"
 *   {type: "ask", id, kind: "links", params: {compile}}            the links between its texts and the source
 *   {type: "ask", id, kind: "difference", params: {before, after, name}}    one text of two compiles, compared
 *   {type: "ask", id, kind: "facts", params: {compile}}            what it costs, and what lowering did
 *   {type: "ask", id, kind: "graph", params: {compile, open}}      its jaxpr as a graph; `open` lists the clusters that
 *                                                                  are open, null leaves it to the kernel; with
 *                                                                  `has_svg` it is drawn there, if it can be
 *   {type: "ask", id, kind: "chunk", params: {name}}               a part of this front end: "code" or "graphviz"
 *   {type: "abort", id}                                            nobody waits for the answer any more
 *   {type: "look"}                                                 a browser draws the widget, and `view` may still be null
 *
 * Messages of the kernel, to every view of the widget; a view knows its own by the token in front of the id:
 *   {type: "progress", at_s, compiles, what, since_s, function, inside}    what runs now, and how many compiles there
 *                                   were, at the end of a phase and at least once a second; `what` and the rest only
 *                                   during a phase, `inside` only in another one
 *   {type: "answer", id}            its one buffer has the body, which is as `Questions` says, as JSON packed with gzip
 *   {type: "error", id, error}      the question is refused; `error` is a sentence for people
 *
 * An id is "TOKEN:NUMBER": a token for each view, a number for each question. Every question gets one answer or one
 * error with its id, unless it was aborted.
 */

import {
  DEFAULTS,
  type Detail,
  type Difference,
  type GraphView,
  INSIDE,
  type Links,
  type ListingName,
  type Panel,
  type ProgramFacts,
  type Score,
  TIMELINE_COLUMNS,
} from "../schema.ts";

export type Questions = {
  partition: { params: { compile: number } | { call: number }; answer: Detail };
  listing: { params: { compile: number; name: ListingName }; answer: { text: string } };
  score: {
    params: { function: number; first: number | null; last: number | null; under: string | null };
    answer: Score;
  };
  links: { params: { compile: number }; answer: Links };
  difference: { params: { before: number; after: number; name: ListingName }; answer: Difference };
  facts: { params: { compile: number }; answer: ProgramFacts };
  graph: { params: { compile: number; open: readonly string[] | null; has_svg?: true }; answer: GraphView };
  chunk: { params: { name: ChunkName }; answer: { code: string } };
};
export type ChunkName = "code" | "graphviz";
export type QuestionKind = keyof Questions;
export type Ask = <K extends QuestionKind>(
  kind: K,
  params: Questions[K]["params"],
  signal: AbortSignal,
) => Promise<Questions[K]["answer"]>;

/** "listing compile 0 name hlo": what an answer is kept under. */
export function nameQuestion(kind: QuestionKind, params: object): string {
  return [kind, ...Object.entries(params).flat().map(String)].join(" ");
}

export type Message =
  | { type: "ask"; id: string; kind: QuestionKind; params: object }
  | { type: "abort"; id: string }
  | { type: "answer"; id: string }
  | { type: "error"; id: string; error: string };

type Fields = Record<string, unknown>;

/** A panel, its columns as typed arrays where they came as bytes. */
export function readPanel(value: unknown): Panel {
  const panel = { ...(value as Fields) };
  const timeline = { ...(panel.timeline as Fields) };
  for (const [name, encoding] of Object.entries(TIMELINE_COLUMNS)) {
    const column = timeline[name];
    if (ArrayBuffer.isView(column) || column instanceof ArrayBuffer) timeline[name] = decode(column, encoding);
  }
  return complete({ ...panel, timeline }, "Panel") as unknown as Panel;
}

/** Fills in the default values of an interface and of those inside it. */
function complete(fields: Fields, name: string): Fields {
  for (const [field, value] of Object.entries(DEFAULTS[name] ?? {})) {
    if (fields[field] === undefined) fields[field] = value;
  }
  for (const [field, inner] of Object.entries(INSIDE[name] ?? {})) {
    for (const value of [fields[field]].flat(2)) if (value) complete(value as Fields, inner);
  }
  return fields;
}

type Encoding = "int32" | "float64";

/** A copy, since a view into a message need not start at a multiple of eight. */
function decode(bytes: ArrayBuffer | ArrayBufferView, encoding: Encoding): Int32Array | Float64Array {
  const view = ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes;
  const { buffer } = new Uint8Array(view).slice();
  return encoding === "int32" ? new Int32Array(buffer) : new Float64Array(buffer);
}
