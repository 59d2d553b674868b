/** Notes on the recording: programs outside any jit, ahead-of-time work, limits of the capture, and errors in it. */

import type { ComponentChildren } from "preact";
import { Prose } from "./prose.tsx";
import type { Panel } from "./schema.ts";
import { count, grouped, seconds } from "./words.ts";

export function Notes({ panel }: { panel: Panel }) {
  const { limits, failures, n_more_failures, op_by_op, n_more_op_by_op, not_kept, made_with } = panel;
  const outside = op_by_op.map(({ told, duration_s, disk }) => (
    <>
      <Prose text={told} />: {seconds(duration_s)}
      {disk && ` (${disk})`}
    </>
  ));
  const stages = panel.stages.map((one) => (
    <>
      {one.stage} of <code>{one.function}</code>
      {one.count > 1 && ` ${grouped(one.count)}×`}
      {one.source && ` at ${one.source}`}; no call
    </>
  ));
  return (
    <div class="jitviz-notes">
      <Note title="Capture failed" items={[...failures, n_more_failures > 0 && `${grouped(n_more_failures)} more`]} />
      <Note title="Limits" items={limits} />
      <Note title="Left out" items={[not_kept]} />
      <Note
        title="Compiled outside any jit"
        items={[...outside, n_more_op_by_op > 0 && count(n_more_op_by_op, "more line")]}
      />
      <Note title="Ahead of time" items={stages} />
      <Note title="Environment" items={[made_with.map(([name, version]) => `${name} ${version}`).join(" · ")]} />
    </div>
  );
}

/** A list under a heading, if there is anything in it. */
function Note({ title, items }: { title: string; items: readonly ComponentChildren[] }) {
  const said = items.filter(Boolean);
  if (said.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {said.map((item, index) => (
          <li key={index}>{typeof item === "string" ? <Prose text={item} /> : item}</li>
        ))}
      </ul>
    </section>
  );
}
