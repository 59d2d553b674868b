/**
 * The wire between a panel and its host: what is sent, what may come back, and what is done with anything else.
 *
 * In: values from a kernel or a page, of which nothing is known yet.  Out: values of the schema, or a `WireError`.
 * Must never: let a value through that the schema does not describe, or answer an error with an error.
 *
 * State, pushed by the kernel:
 *   view    null at first, then a Panel (jitviz/views/schema.py) as JSON, from which fields may be missing that are as
 *           by default (DEFAULTS); each column of its timeline is an array of numbers, or bytes: little-endian int32 for
 *           integers, float64 for seconds (TIMELINE_COLUMNS)
 *   kept    answers that need no kernel, as JSON packed with gzip, by the name of their question (`nameQuestion`);
 *           those that are small are together under "", as an object by name
 *   assets  the one widget of the kernel that carries this bundle; see loader.js
 *
 * Messages of the panel:
 *   {type: "ask", id, kind: "partition", params: {compile}}        the whole trees of a compile, by its index
 *   {type: "ask", id, kind: "partition", params: {call}}           those of what a call ran, by its index
 *   {type: "ask", id, kind: "listing", params: {compile, name}}    a program text: "jaxpr", "stablehlo" or "hlo"
 *   {type: "ask", id, kind: "links", params: {compile}}            what ties the lines of its texts to the source
 *   {type: "ask", id, kind: "difference", params: {before, after, name}}    one text of two compiles, compared
 *   {type: "ask", id, kind: "facts", params: {compile}}            what it costs, and what lowering did
 *   {type: "ask", id, kind: "graph", params: {compile, open}}      its jaxpr as a graph; `open` lists the clusters that
 *                                                                  are open, null leaves it to the kernel; with
 *                                                                  `has_svg` it is drawn there, if it can be
 *   {type: "ask", id, kind: "chunk", params: {name}}               a part of this front end: "code" or "graphviz"
 *   {type: "abort", id}                                            the answer is no longer waited for
 *   {type: "error", id, error}                                     the message with this id (or null) was malformed
 *
 * Messages of the kernel, to every view of the widget; a view knows its own by the token in front of the id:
 *   {type: "answer", id, body}      body is as `Questions` says, {code} of a chunk is its text, packed with gzip
 *   {type: "error", id, error}      the question is refused; `error` is a sentence for people
 *
 * An id is "TOKEN:NUMBER": a token for each view, a number for each question. Every question gets one answer or one
 * error with its id, unless it was aborted. A malformed message gets an error, whose id is null where none could be
 * read; errors get no answer. Anywhere in a body, {"column": "int32" | "float64", "buffer": N} stands for the numbers in
 * the message's N-th binary buffer, little-endian; {"column": "utf8", "buffer": N} for the text in it, and "bytes" for
 * itself.
 */

import {
  DEFAULTS,
  type Detail,
  type Difference,
  type GraphView,
  type Links,
  type ListingName,
  type Panel,
  type ProgramFacts,
  SHAPES,
  TIMELINE_COLUMNS,
} from "./schema.ts";

export type Questions = {
  partition: { params: { compile: number } | { call: number }; answer: Detail };
  listing: { params: { compile: number; name: ListingName }; answer: { text: string } };
  links: { params: { compile: number }; answer: Links };
  difference: { params: { before: number; after: number; name: ListingName }; answer: Difference };
  facts: { params: { compile: number }; answer: ProgramFacts };
  graph: { params: { compile: number; open: readonly string[] | null; has_svg?: true }; answer: GraphView };
  chunk: { params: { name: ChunkName }; answer: { code: Uint8Array<ArrayBuffer> } };
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
  | { type: "answer"; id: string; body: unknown }
  | { type: "error"; id: string | null; error: string };

/** A value is not what the wire says it is; the message names the place. */
export class WireError extends Error {
  override name = "WireError";
}

type Fields = Record<string, unknown>;

/** A panel, its columns as typed arrays where they came as bytes. */
export function readPanel(value: unknown): Panel {
  const panel = fieldsOf(value, "view");
  const timeline = withColumns(fieldsOf(panel.timeline, "view.timeline"), TIMELINE_COLUMNS, "view.timeline");
  const whole = { ...panel, timeline };
  checkShape(whole, "Panel", "view");
  return whole as unknown as Panel;
}

/** A message of the kernel. */
export function readMessage(value: unknown): Message & { type: "answer" | "error" } {
  const { type, id, body, error } = fieldsOf(value, "message");
  if (type === "answer" && typeof id === "string" && body !== undefined) return { type, id, body };
  if (type === "error" && (typeof id === "string" || id === null) && typeof error === "string") {
    return { type, id, error };
  }
  throw new WireError(`message: neither an answer nor an error with an id`);
}

/** The answer to a question of this kind. */
export function readAnswer<K extends QuestionKind>(
  kind: K,
  body: unknown,
  buffers: readonly (ArrayBuffer | ArrayBufferView)[] = [],
): Questions[K]["answer"] {
  const whole = withBuffers(body, buffers);
  if (kind === "listing" && typeof fieldsOf(whole, kind).text !== "string") {
    throw new WireError("listing.text: not a string");
  }
  if (kind === "chunk" && !(fieldsOf(whole, kind).code instanceof Uint8Array)) {
    throw new WireError("chunk.code: not bytes");
  }
  if (kind in ANSWERS) checkShape(whole, ANSWERS[kind as keyof typeof ANSWERS], kind);
  return whole as Questions[K]["answer"];
}

const ANSWERS = {
  partition: "Detail",
  links: "Links",
  difference: "Difference",
  facts: "ProgramFacts",
  graph: "GraphView",
} as const;

/**
 * Throws unless `value` has every field of the interface `name`, or a default to put there; fields that this version
 * does not know may be there.
 */
function checkShape(value: unknown, name: string, place: string): void {
  const fields = fieldsOf(value, place);
  for (const [field, shape] of Object.entries(SHAPES[name] ?? {})) {
    if (fields[field] === undefined) fields[field] = DEFAULTS[name]?.[field];
    check(fields[field], shape, `${place}.${field}`);
  }
  for (const columns of TABLES[name] ?? []) checkLengths(fields, columns, place);
}

function check(value: unknown, shape: string, place: string): void {
  if (shape.endsWith("?")) {
    if (value !== null) check(value, shape.slice(0, -1), place);
  } else if (shape.endsWith("[]")) {
    if (!Array.isArray(value)) throw new WireError(`${place}: not a list`);
    for (const [index, item] of value.entries()) check(item, shape.slice(0, -2), `${place}[${index}]`);
  } else if (shape === "Ints" || shape === "Floats") {
    checkColumn(value, shape === "Ints", place);
  } else if (shape in SHAPES) {
    checkShape(value, shape, place);
  } else if (!isPlain(value, shape)) {
    throw new WireError(`${place}: not ${shape}`);
  }
}

function isPlain(value: unknown, shape: string): boolean {
  if (shape === "string" || shape === "number" || shape === "boolean") return typeof value === shape;
  return typeof value === "string" && shape.split("|").includes(value);
}

function checkColumn(value: unknown, isInteger: boolean, place: string): void {
  if (value instanceof Int32Array || (value instanceof Float64Array && !isInteger)) return;
  if (!Array.isArray(value)) throw new WireError(`${place}: not a column`);
  const isFit = isInteger ? Number.isInteger : Number.isFinite;
  if (!value.every(isFit)) throw new WireError(`${place}: not a column of numbers`);
}

/** Columns of one table are equally long. */
function checkLengths(table: Fields, columns: readonly string[], place: string): void {
  const lengths = new Set(columns.map((name) => (table[name] as ArrayLike<unknown>).length));
  if (lengths.size > 1) throw new WireError(`${place}: columns of different lengths`);
}

function fieldsOf(value: unknown, place: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new WireError(`${place}: not an object`);
  }
  return value as Fields;
}

/** The columns of each interface that describes the same things, and so are equally long. */
const TABLES: Record<string, string[][]> = {
  Timeline: ["call_", "phase_"].map((part) => columnsOf("Timeline").filter((name) => name.startsWith(part))),
  RowColumns: [columnsOf("RowColumns").filter((name) => name !== "marked"), ["marked", "marks"]],
  GraphView: [["node", "node_line"]],
  ...Object.fromEntries(["Frames", "Stacks", "Origins", "LineWork", "Hunks"].map((name) => [name, [columnsOf(name)]])),
};

function columnsOf(name: string): string[] {
  return Object.entries(SHAPES[name] ?? {}).flatMap(([field, shape]) => (/^(Ints|Floats)$/.test(shape) ? [field] : []));
}

type Encoding = "int32" | "float64";

function withColumns(table: Fields, columns: Record<string, Encoding>, place: string): Fields {
  const whole = { ...table };
  for (const [name, encoding] of Object.entries(columns)) {
    const value = table[name];
    if (value instanceof ArrayBuffer || value instanceof DataView || value instanceof Uint8Array) {
      whole[name] = decode(value, encoding, `${place}.${name}`);
    }
  }
  return whole;
}

function withBuffers(value: unknown, buffers: readonly (ArrayBuffer | ArrayBufferView)[]): unknown {
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map((item) => withBuffers(item, buffers));
  if (typeof value !== "object" || value === null) return value;
  const { column, buffer } = value as Fields;
  if (typeof column === "string" && typeof buffer === "number") {
    const bytes = buffers[buffer];
    if (bytes === undefined) throw new WireError(`buffer ${buffer}: not there`);
    if (column === "utf8") return new TextDecoder().decode(bytes);
    if (column === "bytes") return copyOf(bytes);
    if (column === "int32" || column === "float64") return decode(bytes, column, `buffer ${buffer}`);
    throw new WireError(`buffer ${buffer}: neither numbers nor text nor bytes`);
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withBuffers(item, buffers)]));
}

function decode(bytes: ArrayBuffer | ArrayBufferView, encoding: Encoding, place: string): Int32Array | Float64Array {
  const kind = encoding === "int32" ? Int32Array : Float64Array;
  if (bytes.byteLength % kind.BYTES_PER_ELEMENT !== 0)
    throw new WireError(`${place}: not whole numbers of ${encoding}`);
  return new kind(copyOf(bytes).buffer);
}

/** A copy, since a view into a message need not start at a multiple of eight. */
function copyOf(bytes: ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer> {
  const view = ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes;
  return new Uint8Array(view).slice();
}
