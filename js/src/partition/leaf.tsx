/** All details of the active row. */

import type { ComponentChildren } from "preact";
import { CopyButton } from "../parts/buttons.tsx";
import { Change } from "../parts/prose.tsx";
import { KindName, Term } from "../parts/term.tsx";
import type { Row } from "../schema.ts";
import { parts, size } from "../words/numbers.ts";
import { flagsOf, LeafIcon } from "./row.tsx";

export function LeafCard({ row, sharding, children }: { row: Row; sharding: string; children: ComponentChildren }) {
  const where = row.sharding || (row.role === "traced" ? sharding : "");
  return (
    <div class="jitviz-leaf" aria-live="polite">
      <div class="jitviz-path">
        <LeafIcon row={row} />
        <code>{row.path || row.name}</code>
        {row.path && <CopyButton text={row.path} what="the path" />}
      </div>
      <div class="jitviz-facts">
        {row.role && <Term name={row.role} />}
        {row.aval && <code>{row.aval}</code>}
        {row.kind === "leaf" && row.role === "traced" && <span>{size(row.nbytes)}</span>}
        {row.type && <span class="jitviz-faint">{row.type === "NoneType" ? "None" : row.type}</span>}
        {row.kind === "node" && row.traced + row.static > 0 && <span>{parts(row.traced, row.static, row.nbytes)}</span>}
        {where && <span class="jitviz-faint">on {where}</span>}
        {flagsOf(row).map((name) => (
          <Term key={name} name={name} />
        ))}
      </div>
      {row.value && <code class="jitviz-value">{row.value}</code>}
      {row.marks.map((mark) => (
        <div key={mark.kind}>
          <b>
            <KindName kind={mark.kind} />
          </b>{" "}
          {(mark.before || mark.after) && <Change before={mark.before} after={mark.after} />}
        </div>
      ))}
      {children}
    </div>
  );
}
