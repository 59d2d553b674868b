/**
 * Parts of the front end that are loaded when they are first needed.
 *
 * In: the name of a part, and `ask`, which gets its text from the host.  Out: the module.
 * Must never: load a part twice in one page, however many panels there are, or remember that it failed.
 */

import type { Ask, ChunkName } from "./messages.ts";
import { messageOf } from "./questions.ts";

/** The global symbol under which all panels of a page share a part. */
export function nameChunk(name: ChunkName): symbol {
  return Symbol.for(`jitviz.chunk.${name}`);
}

/**
 * The module of a part, as `T` describes it.
 *
 * @throws Error the host has no such part, or allows no scripts that it did not send itself; a sentence for people.
 */
export function loadChunk<T>(name: ChunkName, ask: Ask): Promise<T> {
  const shared = globalThis as unknown as Record<symbol, Promise<T> | undefined>;
  const place = nameChunk(name);
  shared[place] ??= load<T>(name, ask).catch((error: unknown) => {
    delete shared[place];
    throw error;
  });
  return shared[place];
}

async function load<T>(name: ChunkName, ask: Ask): Promise<T> {
  // This must not be aborted: other panels may be waiting for the same part by now.
  const { code } = await ask("chunk", { name }, new AbortController().signal);
  // The URL is never revoked: a part may start a worker from it.
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    return await import(/* @vite-ignore */ url);
  } catch (error) {
    throw new Error(`This page does not let the panel load the rest of its program (${messageOf(error)}).`);
  }
}
