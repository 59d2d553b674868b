/** The heat strip of a joined source, by one measure. */

import type { Links } from "../schema.ts";
import { count } from "../words/numbers.ts";
import type { Heat } from "./editor/heat.ts";
import type { Source } from "./source.ts";
import { findWork, type Measure, tellShare, tellShort } from "./work.ts";

export function heatsOf(links: Links, source: Source, measure: Measure): (Heat | null)[] {
  const find = findWork(links);
  const column = links.lines[measure];
  const rows = source.line.map((line, at) => (line ? find(source.file[at] ?? -1, line) : -1));
  const most = rows.reduce((so, row) => Math.max(so, column[row] ?? 0), 0);
  return rows.map((row) => {
    const amount = column[row] ?? 0;
    if (row < 0 || amount <= 0) return null;
    const repeats = links.lines.repeats[row] ?? 1;
    const unrolled = repeats > 1 ? `, unrolled ${count(repeats, "time")}` : "";
    return { share: amount / most, short: tellShort(amount), long: `${tellShare(links, measure, amount)}${unrolled}` };
  });
}
