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
 *   assets  the one widget of the kernel that carries this bundle; see loader.js
 *
 * Messages of the panel:
 *   {type: "ask", id, kind: "partition", params: {compile}}        the whole trees of a compile, by its index
 *   {type: "ask", id, kind: "partition", params: {call}}           those of what a call ran, by its index
 *   {type: "ask", id, kind: "listing", params: {compile, name}}    a program text: "jaxpr", "stablehlo" or "hlo"
 *   {type: "abort", id}                                            the answer is no longer waited for
 *   {type: "error", id, error}                                     the message with this id (or null) was malformed
 *
 * Messages of the kernel, to every view of the widget; a view knows its own by the token in front of the id:
 *   {type: "answer", id, body}      body is a Detail for "partition", {text} for "listing"
 *   {type: "error", id, error}      the question is refused; `error` is a sentence for people
 *
 * An id is "TOKEN:NUMBER": a token for each view, a number for each question. Every question gets one answer or one
 * error with its id, unless it was aborted. A malformed message gets an error, whose id is null where none could be
 * read; errors get no answer. Anywhere in a body, {"column": "int32" | "float64", "buffer": N} stands for the bytes of
 * the message's N-th binary buffer, little-endian.
 */

import {
  DEFAULTS,
  type Detail,
  type ListingName,
  type Panel,
  ROW_COLUMNS,
  SHAPES,
  TIMELINE_COLUMNS,
} from "./schema.ts";

export type Questions = {
  partition: { params: { compile: number } | { call: number }; answer: Detail };
  listing: { params: { compile: number; name: ListingName }; answer: { text: string } };
};
export type QuestionKind = keyof Questions;
export type Ask = <K extends QuestionKind>(
  kind: K,
  params: Questions[K]["params"],
  signal: AbortSignal,
) => Promise<Questions[K]["answer"]>;

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
  checkLengths(timeline, "call_", "view.timeline");
  checkLengths(timeline, "phase_", "view.timeline");
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
  if (kind === "listing") {
    if (typeof fieldsOf(whole, "listing").text !== "string") throw new WireError("listing.text: not a string");
    return whole as Questions[K]["answer"];
  }
  checkShape(whole, "Detail", "partition");
  for (const side of ["inputs", "outputs"]) {
    const tree = (whole as Fields)[side] as { rows: Fields } | null;
    if (tree !== null) checkLengths(tree.rows, Object.keys(ROW_COLUMNS), `partition.${side}.rows`);
  }
  return whole as Questions[K]["answer"];
}

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
function checkLengths(table: Fields, which: string | readonly string[], place: string): void {
  const names =
    typeof which === "string"
      ? Object.keys(TIMELINE_COLUMNS).filter((name) => name.startsWith(which))
      : which.filter((name) => name !== "marked");
  const lengths = new Set(names.map((name) => (table[name] as ArrayLike<number>).length));
  if (lengths.size > 1) throw new WireError(`${place}: columns of different lengths`);
}

function fieldsOf(value: unknown, place: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new WireError(`${place}: not an object`);
  }
  return value as Fields;
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
  if (Array.isArray(value)) return value.map((item) => withBuffers(item, buffers));
  if (typeof value !== "object" || value === null) return value;
  const { column, buffer } = value as Fields;
  if (column === "int32" || column === "float64") {
    const bytes = buffers[buffer as number];
    if (bytes === undefined) throw new WireError(`buffer ${String(buffer)}: not there`);
    return decode(bytes, column, `buffer ${String(buffer)}`);
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withBuffers(item, buffers)]));
}

function decode(bytes: ArrayBuffer | ArrayBufferView, encoding: Encoding, place: string): Int32Array | Float64Array {
  const kind = encoding === "int32" ? Int32Array : Float64Array;
  if (bytes.byteLength % kind.BYTES_PER_ELEMENT !== 0)
    throw new WireError(`${place}: not whole numbers of ${encoding}`);
  // A copy, since a view into a message need not start at a multiple of eight.
  const view = ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes;
  return new kind(new Uint8Array(view).slice().buffer);
}
