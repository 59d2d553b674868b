/**
 * Ids of elements that others refer to: labels, tabs, explanations.
 *
 * In: nothing.  Out: an id for as long as a part is drawn.
 * Must never: return an id in use elsewhere in the page. Preact's own ids start again in each panel, and a notebook has many.
 */

import { useState } from "preact/hooks";

const BUNDLE = Math.random().toString(36).slice(2, 8); // each kernel brings a bundle of its own
let n = 0;

export function useOwnId(): string {
  const [id] = useState(() => {
    n += 1;
    return `jitviz-${BUNDLE}-${n}`;
  });
  return id;
}
