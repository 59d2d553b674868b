/** Why it compiled: all reasons of each version, with both sides, what to do, and the way to the leaf and the call. */

import { Change } from "./change.tsx";
import { CopyButton } from "./copy.tsx";
import { Prose } from "./prose.tsx";
import type { FunctionView, Panel, Reason, Version } from "./schema.ts";
import { nameFunction, nameVersion, tellOrigin } from "./tell.ts";
import { KindName, Term } from "./term.tsx";
import { count, seconds } from "./words.ts";

interface Props {
  panel: Panel;
  onLeaf(home: FunctionView, version: Version, path: string): void;
}

interface Miss {
  home: FunctionView;
  version: Version;
}

export function Why({ panel, onLeaf }: Props) {
  const all = panel.functions.flatMap((home) => home.versions.map((version) => ({ home, version })));
  const here = all.filter(({ version }) => !version.is_before && version.reasons.length > 0);
  const again = here.filter(({ version }) => version.reasons[0]?.kind !== "first");
  const first = here.filter(({ version }) => version.reasons[0]?.kind === "first");
  again.sort((a, b) => weightOf(b.version) - weightOf(a.version));
  return (
    <>
      {again.length === 0 && <p>Nothing was compiled again: there is no recompile to explain.</p>}
      <div class="jitviz-misses">
        {again.map((miss) => (
          <MissCard key={miss.version.index} {...miss} onLeaf={onLeaf} />
        ))}
      </div>
      {first.length > 0 && (
        <section class="jitviz-miss" aria-label="First compiles">
          <h2>First compiles</h2>
          <ul class="jitviz-plain">
            {first.map(({ home, version }) => (
              <li key={version.index}>
                <button type="button" class="jitviz-link" onClick={() => onLeaf(home, version, "")}>
                  <code>{home.name}</code> {nameVersion(version)}
                </button>{" "}
                <span class="jitviz-faint">
                  {seconds(version.duration_s)}, {tellOrigin(version)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** What can be avoided comes first, the most expensive first. */
function weightOf(version: Version): number {
  return version.duration_s + (version.reasons[0]?.inherent ? 0 : 1e6);
}

function MissCard({ home, version, onLeaf }: Miss & Pick<Props, "onLeaf">) {
  return (
    <section class="jitviz-miss" aria-label={`${nameVersion(version)} of ${nameFunction(home)}`}>
      <h2>
        <code>{home.name}</code> {nameVersion(version)}{" "}
        <span class="jitviz-faint">cost {seconds(version.duration_s)}</span>
      </h2>
      <p class="jitviz-faint">
        <button type="button" class="jitviz-link" onClick={() => onLeaf(home, version, "")}>
          {tellOrigin(version) || "show it"}
        </button>
      </p>
      {version.error && <p class="jitviz-failed">{version.error}</p>}
      <ol class="jitviz-reasons">
        {version.reasons.map((reason, index) => (
          <ReasonItem key={index} reason={reason} onLeaf={() => onLeaf(home, version, reason.path)} />
        ))}
      </ol>
      {version.n_more_reasons > 0 && <p class="jitviz-faint">{count(version.n_more_reasons, "more reason")}</p>}
    </section>
  );
}

function ReasonItem({ reason, onLeaf }: { reason: Reason; onLeaf(): void }) {
  const isLeaf = reason.path !== "" && reason.kind !== "config_context";
  return (
    <li class={reason.inherent ? "jitviz-reason" : "jitviz-reason jitviz-avoidable"}>
      <div class="jitviz-reason-head">
        <b>
          <KindName kind={reason.kind} />
        </b>
        {isLeaf ? (
          <button type="button" class="jitviz-link" onClick={onLeaf}>
            <code>{reason.path}</code>
          </button>
        ) : (
          reason.path && <code>{reason.path}</code>
        )}
        {reason.inherent && <Term name="inherent">expected</Term>}
      </div>
      {(reason.before || reason.after) && (
        <p>
          <Change before={reason.before} after={reason.after} />
        </p>
      )}
      <p>
        <Prose text={reason.summary} />
      </p>
      {reason.advice && (
        <p class="jitviz-advice">
          <span aria-hidden="true">→ </span>
          <Prose text={reason.advice} /> <CopyButton text={reason.advice} what="the advice" />
        </p>
      )}
    </li>
  );
}
