/** The state of the program tab: which view, which text, how many texts at once, and which measure of work. */

import type { ListingName } from "../schema.ts";
import type { Measure } from "./work.ts";

export type ViewName = "code" | "graph" | "diff" | "cost";
export type PaneName = "source" | ListingName;
/** One text, the source beside one text, or all four. */
export type Layout = "single" | "side by side" | "all";

export interface Place {
  view: ViewName;
  pane: PaneName;
  layout: Layout;
  measure: Measure;
}

export const FIRST_PLACE: Place = { view: "code", pane: "jaxpr", layout: "side by side", measure: "equations" };

export const TEXTS: readonly ListingName[] = ["jaxpr", "stablehlo", "hlo"];

const TITLES: Record<PaneName, string> = { source: "Source", jaxpr: "jaxpr", stablehlo: "StableHLO", hlo: "HLO" };

const VIEW_NAMES: readonly ViewName[] = ["code", "graph", "diff", "cost"];
const PANES: readonly PaneName[] = ["source", ...TEXTS];

export function nameText(name: PaneName): string {
  return TITLES[name];
}

/** A place as an address has it: "code jaxpr". */
export function writePlace({ view, pane }: Place): string {
  return `${view} ${pane}`;
}

/** The place that such a text names; what it does not name stays. */
export function readPlace(text: string, old: Place): Place {
  const words = text.split(" ");
  const view = VIEW_NAMES.find((name) => words.includes(name)) ?? old.view;
  const pane = PANES.find((name) => words.includes(name)) ?? old.pane;
  return { ...old, view, pane };
}

/** The panes to draw; beside the source is a text, never the source again. */
export function panesOf({ pane, layout }: Place): PaneName[] {
  if (layout === "all") return ["source", ...TEXTS];
  if (layout === "side by side") return ["source", pane === "source" ? "jaxpr" : pane];
  return [pane];
}
