/** The first few of many things, and the rest on demand. */

import type { ComponentChildren } from "preact";
import { useKept } from "./kept.ts";
import { count } from "./words.ts";

interface Many<T> {
  items: readonly T[];
  most: number;
  /** What they are, in the singular. */
  noun: string;
  /** Whether all are shown is kept under this name. */
  name: string;
  /** How many more there are that the panel does not have. */
  nMore?: number;
}

/** The things to show, and what to put below them: a button for the rest, or how many are missing. */
export function useFew<T>({ items, most, noun, name, nMore = 0 }: Many<T>) {
  const [isAll, setAll] = useKept(`all of ${name}`, () => false);
  const rest = isAll ? 0 : Math.max(0, items.length - most);
  const words = count(rest + nMore, `more ${noun}`);
  const button = (
    <button type="button" class="jitviz-link" onClick={() => setAll(true)}>
      {words}
    </button>
  );
  const more = rest > 0 ? button : nMore > 0 && <p class="jitviz-faint">{words}</p>;
  return { shown: items.slice(0, items.length - rest), more };
}

export function Few<T>({ children, ...many }: Many<T> & { children(item: T, index: number): ComponentChildren }) {
  const { shown, more } = useFew(many);
  return (
    <>
      {shown.map(children)}
      {more}
    </>
  );
}
