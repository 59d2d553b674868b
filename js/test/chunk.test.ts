import { afterEach, expect, test, vi } from "vitest";
import { loadChunk, nameChunk } from "../src/wire/chunk.ts";
import type { Ask } from "../src/wire/messages.ts";

afterEach(() => {
  delete (globalThis as unknown as Record<symbol, unknown>)[nameChunk("code")];
});

/** A host that hands over this text, and counts how often. */
function hostOf(text: string) {
  const ask = vi.fn(async () => ({ code: text }));
  return { ask, host: ask as unknown as Ask };
}

test("thirty panels that open at once load a part once, and share it", async () => {
  const { ask, host } = hostOf("export const made = {}; export const words = 'tränen ∂';");
  const loaded = await Promise.all(Array.from({ length: 30 }, () => loadChunk<{ made: object }>("code", host)));
  expect(ask).toHaveBeenCalledTimes(1);
  expect(ask).toHaveBeenCalledWith("chunk", { name: "code" }, expect.any(AbortSignal));
  expect(new Set(loaded.map((part) => part.made)).size).toBe(1);
  expect(loaded[0]).toMatchObject({ words: "tränen ∂" });
});

test("a part that failed to load is requested again", async () => {
  const { host } = hostOf("export const made = 1;");
  const gone = (async () => {
    throw new Error("The kernel is gone, so this can no longer be looked up.");
  }) as unknown as Ask;
  await expect(loadChunk("code", gone)).rejects.toThrow("The kernel is gone");
  expect(await loadChunk("code", host)).toMatchObject({ made: 1 });
});

test("if a page forbids such scripts, the error says so in a sentence", async () => {
  const forbidden = "throw new TypeError('Refused by the Content Security Policy')";
  await expect(loadChunk("code", hostOf(forbidden).host)).rejects.toThrow(
    "This page does not let the panel load the rest of its program (Refused by the Content Security Policy).",
  );
});
