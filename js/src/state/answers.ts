/**
 * Answers to questions, kept as long as the panel lives.
 *
 * In: a question.  Out: the state of its answer.
 * Must never: ask again while a question is under way, or keep a refusal when someone asks again.
 */

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Ask, QuestionKind, Questions } from "../wire/messages.ts";
import { messageOf, Refusal } from "../wire/questions.ts";

export type Answer<T> =
  | { state: "none" }
  | { state: "waiting"; isSlow: boolean }
  | { state: "done"; value: T }
  | { state: "refused"; error: string; again: (() => void) | null };

/** How the parts of a panel ask, and the answers so far by key. */
export const Host = createContext<{ ask: Ask; library: Map<string, unknown> }>({
  ask: () => Promise.reject(new Refusal("This panel has no host.", true)),
  library: new Map(),
});

export function useAsk(): Ask {
  return useContext(Host).ask;
}

const SLOW_MS = 900;

/** What `load` brings. `key` names it, "" loads nothing, and a new key loads again. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, key: string): Answer<T> {
  const { library } = useContext(Host);
  const [trial, setTrial] = useState(0);
  const [state, setState] = useState<{ key: string; answer: Answer<T> }>({ key: "", answer: { state: "none" } });
  useEffect(() => {
    if (!key || library.has(key)) return;
    const abort = new AbortController();
    const set = (answer: Answer<T>) => {
      if (!abort.signal.aborted) setState({ key, answer });
    };
    set({ state: "waiting", isSlow: false });
    const timer = setTimeout(() => set({ state: "waiting", isSlow: true }), SLOW_MS);
    load(abort.signal)
      .then((value) => {
        library.set(key, value);
        set({ state: "done", value });
      })
      .catch((error: unknown) => {
        const again = error instanceof Refusal && error.isFinal ? null : () => setTrial((n) => n + 1);
        set({ state: "refused", error: messageOf(error), again });
      })
      .finally(() => clearTimeout(timer));
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [library, key, trial]);
  if (!key) return { state: "none" };
  if (library.has(key)) return { state: "done", value: library.get(key) as T };
  return state.key === key ? state.answer : { state: "waiting", isSlow: false };
}

export function useAnswer<K extends QuestionKind>(
  kind: K,
  params: Questions[K]["params"],
  key: string,
): Answer<Questions[K]["answer"]> {
  const ask = useAsk();
  return useLoaded((signal) => ask(kind, params, signal), key);
}
