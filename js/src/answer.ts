/**
 * Things looked up on request, kept as long as the panel lives.
 *
 * In: a question.  Out: what is known of its answer by now.
 * Must never: ask twice for what is on its way, or hold on to a refusal when someone asks again.
 */

import { useEffect, useState } from "preact/hooks";
import { Refusal } from "./ask.ts";
import type { Ask, QuestionKind, Questions } from "./wire.ts";

export type Answer<T> =
  | { state: "none" }
  | { state: "waiting"; isSlow: boolean }
  | { state: "done"; value: T }
  | { state: "refused"; error: string; again: (() => void) | null };

export type Library = Map<string, unknown>;

const SLOW_MS = 900;

/** What went wrong, with the way to ask again where that can be of use. */
export function refusalOf(error: unknown, again: () => void): Answer<never> {
  const words = error instanceof Error ? error.message : String(error);
  return { state: "refused", error: words, again: error instanceof Refusal && error.isFinal ? null : again };
}

/** `key` names what is asked for; "" asks for nothing. A new key asks anew. */
export function useAnswer<K extends QuestionKind>(
  ask: Ask,
  library: Library,
  kind: K,
  params: Questions[K]["params"],
  key: string,
): Answer<Questions[K]["answer"]> {
  type T = Questions[K]["answer"];
  const [trial, setTrial] = useState(0);
  const [state, setState] = useState<{ key: string; answer: Answer<T> }>({ key: "", answer: { state: "none" } });
  useEffect(() => {
    if (!key || library.has(key)) return;
    const abort = new AbortController();
    const tell = (answer: Answer<T>) => {
      if (!abort.signal.aborted) setState({ key, answer });
    };
    tell({ state: "waiting", isSlow: false });
    const timer = setTimeout(() => tell({ state: "waiting", isSlow: true }), SLOW_MS);
    ask(kind, params, abort.signal)
      .then((value) => {
        library.set(key, value);
        tell({ state: "done", value });
      })
      .catch((error: unknown) => {
        tell(refusalOf(error, () => setTrial((n) => n + 1)));
      })
      .finally(() => clearTimeout(timer));
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [ask, key, trial]);
  if (!key) return { state: "none" };
  if (library.has(key)) return { state: "done", value: library.get(key) as T };
  return state.key === key ? state.answer : { state: "waiting", isSlow: false };
}
