/** The line at which a text is opened: the function itself, not the helpers above it. */

import type { Links, ListingName } from "../schema.ts";
import type { Source } from "./source.ts";

const MAIN: Record<ListingName, RegExp> = {
  jaxpr: /^\{ lambda /m,
  stablehlo: /^ *func\.func public @main/m,
  hlo: /^ENTRY /m,
};

/** The line (from 0) of a text at which the function begins. */
export function beginOfText(text: string, name: ListingName): number {
  const at = text.search(MAIN[name]);
  return at < 0 ? 0 : text.slice(0, at).split("\n").length - 1;
}

/** The line of the source at which a function is defined: "In [1]:37", of "In [1]" the line 37. */
export function beginOfSource(links: Links, source: Source, definedAt: string): number {
  const [, file = "", line = ""] = /^(.*):(\d+)$/.exec(definedAt) ?? [];
  return Math.max(0, source.find(links.files.indexOf(file), Number(line)));
}
