/**
 * What is looked at, as the part of a page's address behind "#": a link to it can be sent, and Back goes back to it.
 *
 * In: a tab, a call, a leaf.  Out: text, and the same from text.
 * Must never: be used in a notebook, whose address is not ours; or trust what an address says.
 */

import { useEffect, useRef } from "preact/hooks";

export interface Address {
  tab: string;
  /** -1 for none. */
  call: number;
  leaf: string;
}

export function writeAddress({ tab, call, leaf }: Address): string {
  const parts = new URLSearchParams({ tab });
  if (call >= 0) parts.set("call", String(call));
  if (leaf) parts.set("leaf", leaf);
  return `#${parts}`;
}

/** Null where it names nothing. */
export function readAddress(hash: string): Address | null {
  const parts = new URLSearchParams(hash.slice(1));
  const tab = parts.get("tab");
  const call = Number.parseInt(parts.get("call") ?? "", 10);
  return tab ? { tab, call: Number.isNaN(call) ? -1 : call, leaf: parts.get("leaf") ?? "" } : null;
}

/** Keeps the address of the page in step, if the page is ours; a step back is told. */
export function useAddress(isOurs: boolean, at: Address, onGo: (to: Address) => void): void {
  const shown = useRef<Address | null>(null);
  const go = useRef(onGo);
  go.current = onGo;
  const { tab, call, leaf } = at;
  useEffect(() => {
    if (!isOurs) return;
    const next = writeAddress(at);
    const before = shown.current;
    shown.current = at;
    if (next === location.hash) return;
    // A leaf that is pointed at is no step of its own.
    const isStep = before !== null && (before.tab !== tab || before.call !== call);
    if (isStep) history.pushState(null, "", next);
    else history.replaceState(null, "", next);
  }, [isOurs, tab, call, leaf]);
  useEffect(() => {
    if (!isOurs) return;
    const look = () => {
      const to = readAddress(location.hash);
      if (to) go.current(to);
    };
    addEventListener("popstate", look);
    return () => removeEventListener("popstate", look);
  }, [isOurs]);
}
