/** Notes on the recording: ahead-of-time work, limits of the capture, and errors in it. */

import { Prose } from "../parts/prose.tsx";
import type { Panel } from "../schema.ts";
import { grouped } from "../words/numbers.ts";

export function hasNotes({ limits, failures, n_more_failures, stages, not_kept }: Panel): boolean {
  return [limits, failures, stages, not_kept].some(({ length }) => length > 0) || n_more_failures > 0;
}

export function Notes({ panel }: { panel: Panel }) {
  const { limits, failures, n_more_failures, stages, not_kept, made_with } = panel;
  return (
    <div class="jitviz-notes">
      <Note title="Capture failed" items={[...failures, n_more_failures > 0 && `${grouped(n_more_failures)} more`]} />
      <Note title="Limits" items={limits} />
      <Note title="Left out" items={[not_kept]} />
      <Note title="Ahead of time" items={stages} />
      <Note title="Environment" items={[made_with]} />
    </div>
  );
}

/** A list under a heading, if there is anything in it. */
function Note({ title, items }: { title: string; items: readonly (string | false)[] }) {
  const said = items.flatMap((item) => item || []);
  if (said.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {said.map((item, index) => (
          <li key={index}>
            <Prose text={item} />
          </li>
        ))}
      </ul>
    </section>
  );
}
