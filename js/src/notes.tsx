/** What stands beside the calls: programs outside any jit, ahead-of-time work, what could not be seen, what went wrong. */

import type { ComponentChildren } from "preact";
import { Prose } from "./prose.tsx";
import type { Panel } from "./schema.ts";
import { count, grouped, seconds } from "./words.ts";

export function Notes({ panel }: { panel: Panel }) {
  const { stages, limits, failures } = panel;
  return (
    <div class="jitviz-notes">
      {failures.length > 0 && (
        <Note title="Capture failed">
          {failures.map((failure, index) => (
            <li key={index}>{failure}</li>
          ))}
          {panel.n_more_failures > 0 && <li>{grouped(panel.n_more_failures)} more</li>}
        </Note>
      )}
      {limits.length > 0 && (
        <Note title="Limits">
          {limits.map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </Note>
      )}
      {panel.not_kept && (
        <Note title="Left out">
          <li>{panel.not_kept}</li>
        </Note>
      )}
      {panel.op_by_op.length > 0 && (
        <Note title="Compiled outside any jit">
          {panel.op_by_op.map((row) => (
            <li key={`${row.source} ${row.name}`}>
              <Prose text={row.told} />: {seconds(row.duration_s)}
              {row.disk && ` (${row.disk})`}
            </li>
          ))}
          {panel.n_more_op_by_op > 0 && <li>{count(panel.n_more_op_by_op, "more line")}</li>}
        </Note>
      )}
      {stages.length > 0 && (
        <Note title="Ahead of time">
          {stages.map((stage) => (
            <li key={`${stage.function} ${stage.stage} ${stage.source}`}>
              {stage.stage} of <code>{stage.function}</code>
              {stage.count > 1 && ` ${grouped(stage.count)}×`}
              {stage.source && ` at ${stage.source}`}; no call
            </li>
          ))}
        </Note>
      )}
      {panel.made_with.length > 0 && (
        <Note title="Environment">
          <li>{panel.made_with.map(([name, version]) => `${name} ${version}`).join(" · ")}</li>
        </Note>
      )}
    </div>
  );
}

function Note({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul class="jitviz-plain">{children}</ul>
    </section>
  );
}
