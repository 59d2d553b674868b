/** The first few of many things, and the rest on demand. */

import { useLayoutEffect } from "preact/hooks";
import { usePanelState } from "../state/panel_state.ts";
import { count, plural } from "../words/numbers.ts";
import { LinkButton } from "./buttons.tsx";

interface Many<T> {
  items: readonly T[];
  most: number;
  /** What they are, in the singular. */
  noun: string;
  /** Whether all are shown is kept under this name. */
  name: string;
  /** How many more there are that the panel does not have. */
  nMore?: number;
  /** The place of one that is to be seen, -1 for none. */
  sought?: number;
}

/** The things to show, and what to put below them: a button for the rest or for fewer, and how many are missing. */
export function useLongList<T>({ items, most, noun, name, nMore = 0, sought = -1 }: Many<T>) {
  const [isAll, setAll] = usePanelState(`all of ${name}`, () => false);
  useLayoutEffect(() => {
    if (sought >= most) setAll(true);
  }, [sought]);
  const rest = Math.max(0, items.length - most);
  const tell = (n: number) => count(n, `more ${noun}`);
  const button = (
    <LinkButton aria-expanded={isAll} onClick={() => setAll(!isAll)}>
      {isAll ? `fewer ${plural(noun)}` : tell(rest + nMore)}
    </LinkButton>
  );
  const more = (
    <>
      {rest > 0 && button}
      {nMore > 0 && (isAll || rest === 0) && <p class="jitviz-faint">{tell(nMore)}</p>}
    </>
  );
  return { shown: isAll ? items : items.slice(0, most), more: (rest > 0 || nMore > 0) && more };
}
