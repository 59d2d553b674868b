import { expect, test, vi } from "vitest";
import type { Panel } from "../src/schema.ts";
import type { Message } from "../src/wire/messages.ts";
import { nameQuestion, readPanel } from "../src/wire/messages.ts";
import { openDesk } from "../src/wire/questions.ts";
import { golden, gzipped, STORIES } from "./helpers.ts";

test.each(STORIES)("the view of %s follows the schema", (name) => {
  const { view } = golden(name);
  expect(readPanel(view).label).toBe(view.label);
});

const view = (): Record<string, Record<string, unknown>> => golden("recompile_by_treedef").view as never;

test("a field that was left out has its default", () => {
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

test.each([
  ["listing", { compile: 0, name: "hlo" }, "listing compile 0 name hlo"],
  ["graph", { compile: 0, open: null }, "graph compile 0 open null"],
  ["graph", { compile: 0, open: [] }, "graph compile 0 open "],
  ["graph", { compile: 0, open: ["e1", "e2"] }, "graph compile 0 open e1,e2"],
] as const)("the answer to %s %j is kept under %j", (kind, params, name) => {
  expect(nameQuestion(kind, params)).toBe(name);
});

function desk(timeoutMs = 1000) {
  const sent: Message[] = [];
  return { sent, ...openDesk((message) => sent.push(message), timeoutMs) };
}

const packed = async (body: object) => new DataView((await gzipped(JSON.stringify(body))).buffer);
const still = () => new AbortController().signal;
const listing = { compile: 0, name: "hlo" } as const;

test("answers find their questions in any order", async () => {
  const { ask, receive, sent } = desk();
  const first = ask("listing", listing, still());
  const second = ask("listing", { ...listing, compile: 1 }, still());
  receive({ type: "answer", id: sent[1]?.id }, [await packed({ text: "two" })]);
  receive({ type: "answer", id: sent[0]?.id }, [await packed({ text: "one" })]);
  expect([await first, await second]).toEqual([{ text: "one" }, { text: "two" }]);
  expect(sent.map((message) => "params" in message && message.params)).toEqual([listing, { ...listing, compile: 1 }]);
});

test("an answer to another view is left alone", async () => {
  const [mine, other] = [desk(20), desk()];
  const answer = mine.ask("listing", listing, still());
  other.ask("listing", listing, still()).catch(() => {});
  mine.receive({ type: "answer", id: other.sent[0]?.id }, [await packed({ text: "not mine" })]);
  await expect(answer).rejects.toThrow("did not answer");
  expect(mine.sent).toHaveLength(1);
});

test("a silent kernel is not waited for forever", async () => {
  vi.useFakeTimers();
  const { ask } = desk(60_000);
  const answer = expect(ask("listing", listing, still())).rejects.toThrow("The kernel did not answer within 60 s.");
  await vi.advanceTimersByTimeAsync(60_000);
  await answer;
  vi.useRealTimers();
});

test("an aborted question is withdrawn", async () => {
  const { ask, sent } = desk();
  const abort = new AbortController();
  const answer = ask("listing", listing, abort.signal);
  abort.abort();
  await expect(answer).rejects.toThrow();
  expect(sent.at(-1)).toEqual({ type: "abort", id: sent[0]?.id });
});

test("an answer that cannot be read refuses the question", async () => {
  const { ask, receive, sent } = desk();
  const answer = ask("listing", listing, still());
  receive({ type: "answer", id: sent[0]?.id }, [new DataView(new ArrayBuffer(8))]);
  await expect(answer).rejects.toThrow("The kernel's answer could not be read: TypeError");
});

test("when the kernel is gone, waiting and later questions are refused", async () => {
  const { ask, close } = desk();
  const waiting = ask("listing", listing, still());
  close("The kernel is gone.");
  await expect(waiting).rejects.toThrow("The kernel is gone.");
  await expect(ask("listing", listing, still())).rejects.toThrow("The kernel is gone.");
});

test("if the channel throws, the kernel is gone", async () => {
  const { ask } = openDesk(() => {
    throw new Error("comm closed");
  });
  await expect(ask("listing", listing, still())).rejects.toThrow("The kernel is gone");
});
