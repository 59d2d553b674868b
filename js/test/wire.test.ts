import { expect, test, vi } from "vitest";
import { openDesk } from "../src/ask.ts";
import type { Panel } from "../src/schema.ts";
import type { Message, QuestionKind } from "../src/wire.ts";
import { nameQuestion, readAnswer, readMessage, readPanel } from "../src/wire.ts";
import { golden, STORIES } from "./helpers.ts";

test.each(STORIES)("the view of %s is as the schema says, and so are its answers", (name) => {
  const { view, answers } = golden(name);
  expect(readPanel(view).label).toBe(view.label);
  for (const [key, body] of Object.entries(answers)) {
    expect(readAnswer(key.slice(0, key.indexOf(" ")) as QuestionKind, body)).toEqual(body);
  }
});

const view = (): Record<string, Record<string, unknown>> => golden("recompile_by_treedef").view as never;

test.each([
  ["no object", (): unknown => null, "view: not an object"],
  ["a missing field without a default", () => ({ ...view(), chips: undefined }), "view.chips: not a list"],
  ["a number for a text", () => ({ ...view(), label: 3 }), "view.label: not string"],
  [
    "an unknown level",
    () => ({ ...view(), verdict: { ...view().verdict, level: "fine" } }),
    /^view.verdict.level: not empty\|/,
  ],
  [
    "a text in a column",
    () => ({ ...view(), timeline: { ...view().timeline, call_start_s: ["0"] } }),
    "view.timeline.call_start_s: not a column of numbers",
  ],
  [
    "columns of different lengths",
    () => ({ ...view(), timeline: { ...view().timeline, call_lane: [0] } }),
    "view.timeline: columns of different lengths",
  ],
  [
    "half a number",
    () => ({ ...view(), timeline: { ...view().timeline, call_lane: new ArrayBuffer(6) } }),
    "view.timeline.call_lane: not whole numbers of int32",
  ],
] as const)("a view with %s is refused", (_, make, complaint) => {
  expect(() => readPanel(make())).toThrow(complaint);
});

test("a field that was left out is as by default", () => {
  const whole = readPanel(golden("recompile_by_treedef").view);
  const brief = golden("recompile_by_treedef").view as unknown as Panel;
  const left = JSON.parse(
    JSON.stringify(brief, (key, value) => (key === "is_weak_type" && value === false ? undefined : value)),
  );
  expect(JSON.stringify(left)).not.toContain('is_weak_type":false');
  expect(readPanel(left)).toEqual(whole);
});

test("columns may come as bytes, wherever in a buffer they begin", () => {
  const bytes = new Uint8Array(4 + 24);
  new DataView(bytes.buffer).setFloat64(12, 1.5, true);
  const timeline = { ...view().timeline };
  for (const name of Object.keys(timeline)) {
    if (name.startsWith("call_")) timeline[name] = new DataView(bytes.buffer, 4, name.endsWith("_s") ? 24 : 12);
  }
  const read = readPanel({ ...view(), timeline }).timeline;
  expect(read.call_start_s).toEqual(new Float64Array([0, 1.5, 0]));
  expect(read.call_lane.length).toBe(3);
});

test("columns of an answer are taken from the message's buffers", () => {
  const { answers } = golden("recompile_by_treedef");
  const body = structuredClone(answers["partition compile 0"]) as { inputs: { rows: Record<string, unknown> } };
  const depth = Int32Array.from(body.inputs.rows.depth as number[]);
  body.inputs.rows.depth = { column: "int32", buffer: 0 };
  const read = readAnswer("partition", body, [new DataView(depth.buffer)]);
  expect(read.inputs?.rows.depth).toEqual(depth);
  expect(() => readAnswer("partition", body, [])).toThrow("buffer 0: not there");
});

test("a long text comes as the bytes of it, and a part of the front end as bytes", () => {
  const text = new TextEncoder().encode("λ x → ∂");
  const body = { text: { column: "utf8", buffer: 0 } };
  expect(readAnswer("listing", body, [new DataView(text.buffer)])).toEqual({ text: "λ x → ∂" });
  const chunk = readAnswer("chunk", { code: { column: "bytes", buffer: 0 } }, [new DataView(text.buffer, 1, 2)]);
  expect(chunk).toEqual({ code: text.slice(1, 3) });
});

const links = (): Record<string, unknown> => ({
  ...{ files: ["In [3]"], functions: ["loss"], names: [], sources: [{ file: 0, first: 1, text: "x" }] },
  ...{ frames: {}, stacks: {}, jaxpr: {}, stablehlo: {}, hlo: {}, lines: {} },
});

test("links of which most is as by default are whole", () => {
  const read = readAnswer("links", links());
  expect([read.stacks.frame, read.hlo.line, read.advice, read.note]).toEqual([[], [], [], ""]);
});

test.each([
  ["links", () => ({ ...links(), names: undefined }), "links.names: not a list"],
  ["links", () => ({ ...links(), stacks: { frame: [0] } }), "links.stacks: columns of different lengths"],
  ["links", () => ({ ...links(), hlo: { line: [0.5] } }), "links.hlo.line: not a column of numbers"],
  ["difference", () => ({ hunks: { after: [1] }, summary: [] }), "difference.hunks: columns of different lengths"],
  ["difference", () => ({ hunks: {} }), "difference.summary: not a list"],
  ["facts", () => ({ flops: "", moved: "", memory: null }), "facts.intensity: not string"],
  ["graph", () => ({ dot: "digraph {}", node: ["n1"] }), "graph: columns of different lengths"],
  ["graph", () => ({ svg: "" }), "graph.dot: not string"],
  ["chunk", () => ({ code: "import('https://example.org')" }), "chunk.code: not bytes"],
  ["listing", () => ({ text: { column: "utf16", buffer: 0 } }), "buffer 0: neither numbers nor text nor bytes"],
] as const)("an answer to %s that is not as the schema says is refused: %#", (kind, make, complaint) => {
  expect(() => readAnswer(kind, make(), [new DataView(new ArrayBuffer(0))])).toThrow(complaint);
});

test.each([
  ["listing", { compile: 0, name: "hlo" }, "listing compile 0 name hlo"],
  ["graph", { compile: 0, open: null }, "graph compile 0 open null"],
  ["graph", { compile: 0, open: [] }, "graph compile 0 open "],
  ["graph", { compile: 0, open: ["e1", "e2"] }, "graph compile 0 open e1,e2"],
] as const)("the answer to %s %j is kept under %j", (kind, params, name) => {
  expect(nameQuestion(kind, params)).toBe(name);
});

test("fields that this version does not know do no harm", () => {
  expect(readPanel({ ...view(), colour: "red" }).label).toBe("In [3]");
});

test.each([
  [null],
  ["text"],
  [[]],
  [{}],
  [{ type: "answer" }],
  [{ type: "error", id: 3, error: "x" }],
  [{ type: "ask", id: "a" }],
])("%j is no message", (message) => {
  expect(() => readMessage(message)).toThrow("message");
});

function desk(timeoutMs = 1000) {
  const sent: Message[] = [];
  return { sent, ...openDesk((message) => sent.push(message), timeoutMs) };
}

const still = () => new AbortController().signal;
const listing = { compile: 0, name: "hlo" } as const;

test("an answer finds its question, in whatever order it comes", async () => {
  const { ask, receive, sent } = desk();
  const first = ask("listing", listing, still());
  const second = ask("listing", { ...listing, compile: 1 }, still());
  receive({ type: "answer", id: sent[1]?.id, body: { text: "two" } });
  receive({ type: "answer", id: sent[0]?.id, body: { text: "one" } });
  expect([await first, await second]).toEqual([{ text: "one" }, { text: "two" }]);
  expect(sent.map((message) => "params" in message && message.params)).toEqual([listing, { ...listing, compile: 1 }]);
});

test("an answer to another view is left alone", async () => {
  const [mine, other] = [desk(20), desk()];
  const answer = mine.ask("listing", listing, still());
  other.ask("listing", listing, still()).catch(() => {});
  mine.receive({ type: "answer", id: other.sent[0]?.id, body: { text: "not mine" } });
  await expect(answer).rejects.toThrow("did not answer");
  expect(mine.sent).toHaveLength(1);
});

test("a refusal says why", async () => {
  const { ask, receive, sent } = desk();
  const answer = ask("listing", listing, still());
  receive({ type: "error", id: sent[0]?.id, error: "JAX did not show this text." });
  await expect(answer).rejects.toThrow("JAX did not show this text.");
});

test("a kernel that says nothing is not waited for for ever", async () => {
  vi.useFakeTimers();
  const { ask } = desk(60_000);
  const answer = expect(ask("listing", listing, still())).rejects.toThrow("The kernel did not answer within 60 s.");
  await vi.advanceTimersByTimeAsync(60_000);
  await answer;
  vi.useRealTimers();
});

test("a question that nobody waits for any more is called off", async () => {
  const { ask, sent } = desk();
  const abort = new AbortController();
  const answer = ask("listing", listing, abort.signal);
  abort.abort();
  await expect(answer).rejects.toThrow();
  expect(sent.at(-1)).toEqual({ type: "abort", id: sent[0]?.id });
});

test("a malformed message is answered with an error, an error with nothing", () => {
  const { receive, sent } = desk();
  receive({ type: "answer", id: "x:1" });
  receive({ type: "answer", body: {} });
  receive("text");
  receive({ type: "error", id: null, error: "what?" });
  expect(sent).toEqual([
    { type: "error", id: "x:1", error: "message: neither an answer nor an error with an id" },
    { type: "error", id: null, error: "message: neither an answer nor an error with an id" },
    { type: "error", id: null, error: "message: not an object" },
  ]);
});

test("an answer that is not what was asked for refuses the question and tells the kernel", async () => {
  const { ask, receive, sent } = desk();
  const answer = ask("listing", listing, still());
  receive({ type: "answer", id: sent[0]?.id, body: { text: 5 } });
  await expect(answer).rejects.toThrow("listing.text: not a string");
  expect(sent.at(-1)).toEqual({ type: "error", id: sent[0]?.id, error: "listing.text: not a string" });
});

test("a kernel that is gone is said to be gone, for what waits and for what comes", async () => {
  const { ask, close } = desk();
  const waiting = ask("listing", listing, still());
  close("The kernel is gone.");
  await expect(waiting).rejects.toThrow("The kernel is gone.");
  await expect(ask("listing", listing, still())).rejects.toThrow("The kernel is gone.");
});

test("a channel that throws is a kernel that is gone", async () => {
  const { ask } = openDesk(() => {
    throw new Error("comm closed");
  });
  await expect(ask("listing", listing, still())).rejects.toThrow("The kernel is gone");
});
