/**
 * State that outlives its component: the filter, folds and zoom of a tab are there again when it is opened again.
 *
 * In: a name of its own within the panel.  Out: as `useState`.
 * Must never: be shared by two panels.
 */

import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";

export const PanelState = createContext<Map<string, unknown>>(new Map());

export function usePanelState<T>(name: string, first: () => T): [T, (next: T) => void] {
  const kept = useContext(PanelState);
  const [, redraw] = useState(0);
  if (!kept.has(name)) kept.set(name, first());
  const set = (next: T) => {
    kept.set(name, next);
    redraw((n) => n + 1);
  };
  return [kept.get(name) as T, set];
}
