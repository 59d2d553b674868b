/**
 * The search box of a pane, with the number of results and buttons for the next and the previous one.
 *
 * In: a text and its editor.  Out: marked results, and the cursor on the current one.
 */

import type { Ref } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { StepButtons } from "../parts/buttons.tsx";
import { onKeys } from "../parts/keys.ts";
import { usePanelState } from "../state/panel_state.ts";
import { grouped } from "../words/numbers.ts";
import type { Editor } from "./editor/editor.ts";
import { findAll, lowerOf, MOST_PLACES, nextPlace } from "./text_search.ts";

interface Props {
  text: string;
  what: string;
  editor: Editor | null;
  field: Ref<HTMLInputElement>;
}

export function Search({ text, what, editor, field }: Props) {
  const [query, setQuery] = usePanelState(`search ${what}`, () => "");
  const [current, setCurrent] = useState(-1);
  const needle = query.toLowerCase();
  const isAsked = needle !== "";
  const lower = useMemo(() => (isAsked ? lowerOf(text) : ""), [text, isAsked]);
  const places = useMemo(() => findAll(lower, needle), [lower, needle]);
  useEffect(() => editor?.mark({ needle }), [editor, needle]);
  useEffect(() => setCurrent(-1), [places]);
  const go = (step: 1 | -1) => {
    if (!editor) return;
    const next = nextPlace(places, current < 0 && step > 0 ? editor.cursor() - 1 : editor.cursor(), step);
    const place = places[next];
    if (place === undefined) return;
    setCurrent(next);
    editor.select(place, place + needle.length);
  };
  return (
    <search class="jitviz-search">
      <input
        type="search"
        class="jitviz-filter"
        ref={field}
        placeholder="Search"
        aria-label={`search ${what}`}
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={onKeys({
          Enter: () => go(1),
          ArrowDown: () => go(1),
          ArrowUp: () => go(-1),
          Escape: () => (query ? setQuery("") : editor?.focus()),
        })}
      />
      {isAsked && (
        <>
          <span class="jitviz-faint" role="status">
            {tellPlaces(places.length, current)}
          </span>
          <StepButtons of={`in ${what}`} isDisabled={!places.length} onStep={go} />
        </>
      )}
    </search>
  );
}

function tellPlaces(n: number, current: number): string {
  if (n === 0) return "none";
  const all = n < MOST_PLACES ? grouped(n) : `${grouped(n)} or more`;
  return current < 0 ? `${all} found` : `${grouped(current + 1)} of ${all}`;
}
