/** The first of many things, and the rest when asked. */

import type { ComponentChildren } from "preact";
import { useKept } from "./kept.ts";
import { count } from "./words.ts";

interface Props<T> {
  items: readonly T[];
  most: number;
  /** What they are, in the singular. */
  noun: string;
  /** Whether all are shown is kept by this name. */
  name: string;
  children(item: T, index: number): ComponentChildren;
}

export function Few<T>({ items, most, noun, name, children }: Props<T>) {
  const [isAll, setAll] = useKept(`all of ${name}`, () => false);
  const rest = items.length - most;
  return (
    <>
      {items.slice(0, isAll ? items.length : most).map(children)}
      {rest > 0 && !isAll && (
        <button type="button" class="jitviz-link" onClick={() => setAll(true)}>
          {count(rest, `more ${noun}`)}
        </button>
      )}
    </>
  );
}
