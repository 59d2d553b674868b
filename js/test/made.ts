/** Views too big to be kept as files. */

import type { Detail, Panel, Row, RowColumns, WholePartition } from "../src/schema.ts";
import { FLAGS, ROLES, ROW_KINDS } from "../src/schema.ts";
import { golden } from "./helpers.ts";

/** A panel of `n` calls of two functions, each a millisecond after the one before. */
export function manyCalls(n: number): Panel {
  const { view } = golden("recompile_by_treedef");
  const column = (value: (call: number) => number) => Float64Array.from({ length: n }, (_, call) => value(call));
  const integers = (value: (call: number) => number) => Int32Array.from({ length: n }, (_, call) => value(call));
  const timeline = {
    ...view.timeline,
    duration_s: n / 1000,
    lanes: [0, 1].map((depth) => ({ name: depth ? "inner" : "step", function: depth ? -1 : 0, thread: "", depth })),
    call_lane: integers((call) => call % 2),
    call_parent: integers((call) => (call % 2 ? call - 1 : -1)),
    call_outcome: integers((call) => (call % 1000 === 0 ? 2 : 0)),
    call_start_s: column((call) => call / 1000),
    call_duration_s: column(() => 0.0004),
    call_ready_s: column((call) => call / 1000),
    call_version: integers(() => 2),
  };
  return { ...view, timeline };
}

/** The whole trees of one compile, of `n` leaves below a hundred nodes. */
export function manyLeaves(n: number): Detail {
  const rows: Row[] = [rowOf("node", 0, "params", "params", n)];
  for (let block = 0; block < 100; block += 1) {
    const path = `params['block${block}']`;
    rows.push(rowOf("node", 1, `['block${block}']`, path, n / 100));
    for (let leaf = 0; leaf < n / 100; leaf += 1) rows.push(rowOf("leaf", 2, `['w${leaf}']`, `${path}['w${leaf}']`, 1));
  }
  const { inputs } = golden("recompile_by_treedef").answers["partition compile 0"] as Detail;
  const about = { ...(inputs as WholePartition).about, traced: n, static: 0 };
  return { inputs: { about, rows: columnsOf(rows) }, outputs: null };
}

export function rowOf(kind: Row["kind"], depth: number, name: string, path: string, traced: number): Row {
  const flags = Object.fromEntries(FLAGS.map((flag) => [flag, false])) as Record<(typeof FLAGS)[number], boolean>;
  const isLeaf = kind === "leaf";
  const more = { role: isLeaf ? ("traced" as const) : null, aval: isLeaf ? "f32[16,16]" : "", value: "", sharding: "" };
  return {
    kind,
    depth,
    name,
    path,
    type: isLeaf ? "jax.Array" : "dict",
    ...more,
    traced,
    static: 0,
    nbytes: 1024,
    ...flags,
    marks: [],
  };
}

function columnsOf(rows: readonly Row[]): RowColumns {
  const texts = new Map<string, number>();
  const at = (text: string) => {
    if (!texts.has(text)) texts.set(text, texts.size);
    return texts.get(text) ?? 0;
  };
  return {
    kind: rows.map((row) => ROW_KINDS.indexOf(row.kind)),
    depth: rows.map((row) => row.depth),
    name: rows.map((row) => at(row.name)),
    path: rows.map((row) => at(row.path)),
    type: rows.map((row) => at(row.type)),
    role: rows.map((row) => (row.role ? ROLES.indexOf(row.role) : -1)),
    aval: rows.map((row) => at(row.aval)),
    value: rows.map((row) => at(row.value)),
    traced: rows.map((row) => row.traced),
    static: rows.map((row) => row.static),
    nbytes: rows.map((row) => row.nbytes),
    sharding: rows.map((row) => at(row.sharding)),
    flags: rows.map(() => 0),
    marked: [],
    marks: [],
    texts: [...texts.keys()],
  };
}
