/**
 * The current view as the part of a page's address after "#": a link to it can be shared, and Back returns to it.
 *
 * In: a tab, a function, a call, a leaf, a place in its program.  Out: text, and back.
 * Must never: be used in a notebook, which owns its address; or trust what an address says.
 */

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

export interface Address {
  tab: string;
  /** -1 for none. */
  call: number;
  leaf: string;
  /** "" for none. */
  function: string;
  /** Which view and text of the program, and the line that is selected in it, each "" for none. */
  place: string;
  line: string;
}

const WORDS = ["function", "leaf", "place", "line"] as const;

export function writeAddress(at: Address): string {
  const parts = new URLSearchParams({ tab: at.tab });
  if (at.call >= 0) parts.set("call", String(at.call));
  for (const word of WORDS) if (at[word]) parts.set(word, at[word]);
  return `#${parts}`;
}

/** Null if it names no tab. */
export function readAddress(hash: string): Address | null {
  const parts = new URLSearchParams(hash.slice(1));
  const tab = parts.get("tab");
  const call = Number.parseInt(parts.get("call") ?? "", 10);
  if (!tab) return null;
  const [home = "", leaf = "", place = "", line = ""] = WORDS.map((word) => parts.get(word) ?? "");
  return { tab, call: Number.isNaN(call) ? -1 : call, function: home, leaf, place, line };
}

/** Keeps the address of a standalone page up to date; a step back is passed to `onGo`. */
export function useAddress(isOurs: boolean, at: Address, onGo: (to: Address) => void): void {
  const shown = useRef<Address | null>(null);
  const go = useRef(onGo);
  go.current = onGo;
  const { tab, call, place } = at;
  const next = writeAddress(at);
  // Before anyone sees the new view: a quick Back would otherwise leave the one before it.
  useLayoutEffect(() => {
    if (!isOurs) return;
    const before = shown.current;
    shown.current = at;
    if (next === location.hash) return;
    // A selected leaf or line is no step of its own.
    const isStep = before !== null && (before.tab !== tab || before.call !== call || before.place !== place);
    if (isStep) history.pushState(null, "", next);
    else history.replaceState(null, "", next);
  }, [isOurs, next]);
  useEffect(() => {
    if (!isOurs) return;
    const look = () => {
      const to = readAddress(location.hash);
      if (!to) return;
      shown.current = to; // a step back is not a new step, however it is spelled
      go.current(to);
    };
    addEventListener("popstate", look);
    return () => removeEventListener("popstate", look);
  }, [isOurs]);
}
