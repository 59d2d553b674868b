/**
 * State that outlives its component: the filter, folds and zoom of a tab are there again when it is opened again.
 *
 * In: a name of its own within the panel.  Out: as `useState`.
 */

import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";

export const PanelState = createContext<Map<string, unknown>>(new Map());

export function usePanelState<T>(name: string, first: () => T): [T, (next: T) => void] {
  const state = useContext(PanelState);
  const [, redraw] = useState(0);
  if (!state.has(name)) state.set(name, first());
  const set = (next: T) => {
    state.set(name, next);
    redraw((n) => n + 1);
  };
  return [state.get(name) as T, set];
}
