/** Why a version was compiled: all of its reasons with both sides and what to do, how it was judged, and what XLA says of it. */

import { LinkButton } from "../parts/buttons.tsx";
import { Advice, Change, Prose } from "../parts/prose.tsx";
import { KindName, Term } from "../parts/term.tsx";
import type { Reason } from "../schema.ts";
import type { Picked } from "../state/choice.ts";
import { count, seconds } from "../words/numbers.ts";

/** Whether the reason is a leaf of the arguments, which the partition shows. */
function isLeafOf({ path, kind }: Reason): boolean {
  return path !== "" && kind !== "config_context";
}

export function Reasons({
  version,
  hits,
  onLeaf,
}: Pick<Picked, "version"> & { hits: string; onLeaf(path: string): void }) {
  const spent = version.phases.map(
    ({ name, duration_s }) => `${name} ${duration_s === null ? "…" : seconds(duration_s)}`,
  );
  const isAvoidable = version.judged.startsWith("avoidable");
  return (
    <div class="jitviz-reasons">
      {version.error && (
        <p class="jitviz-failed">
          <Prose text={version.error} />
        </p>
      )}
      <ol>
        {version.reasons.map((reason, index) => (
          <ReasonItem key={index} reason={reason} isAvoidable={isAvoidable} onLeaf={() => onLeaf(reason.path)} />
        ))}
      </ol>
      {version.n_more_reasons > 0 && <p class="jitviz-faint">{count(version.n_more_reasons, "more reason")}</p>}
      {version.judged && <p class="jitviz-judged">{version.judged}</p>}
      <p class="jitviz-faint">
        {[version.made, ...spent, `hits: ${hits}`, version.cost, version.memory].filter(Boolean).join(" · ")}
      </p>
    </div>
  );
}

interface ItemProps {
  reason: Reason;
  /** Whether its version was. */
  isAvoidable: boolean;
  onLeaf(): void;
}

function ReasonItem({ reason, isAvoidable, onLeaf }: ItemProps) {
  const { before, after, summary } = reason;
  const isRepeated = before !== "" && after !== "" && summary.includes(before) && summary.includes(after);
  return (
    <li class={isAvoidable && !reason.inherent ? "jitviz-reason jitviz-avoidable" : "jitviz-reason"}>
      <div class="jitviz-reason-head">
        <b>
          <KindName kind={reason.kind} />
        </b>
        {isLeafOf(reason) ? (
          <LinkButton onClick={onLeaf}>
            <code>{reason.path}</code>
          </LinkButton>
        ) : (
          reason.path && <code>{reason.path}</code>
        )}
        {reason.inherent && reason.kind !== "first" && <Term name="inherent">expected</Term>}
      </div>
      {(before || after) && (
        <p>
          <Change before={before} after={after} isWhole />
        </p>
      )}
      {!isRepeated && (
        <p>
          <Prose text={summary} />
        </p>
      )}
      <Advice text={reason.advice} canCopy />
    </li>
  );
}
