/**
 * Why it compiled: recompiles by cause, then those without a finding one by one, then the first compiles.
 *
 * In: a `Panel`.  Out: all reasons of each version, with both sides, and links to the leaf and the call.
 */

import { LinkButton } from "../parts/buttons.tsx";
import { LongList } from "../parts/long_list.tsx";
import { Advice, Change, Prose, Sentence } from "../parts/prose.tsx";
import { KindName, Term } from "../parts/term.tsx";
import type { FindingView, Panel, Reason, Version } from "../schema.ts";
import { type Picked, versionsIn } from "../state/choice.ts";
import { count, seconds } from "../words/numbers.ts";
import { nameFindings, nameFunction } from "../words/phrases.ts";

const MOST_CARDS = 6;
const MOST_ROWS = 8;

interface Props {
  panel: Panel;
  onLeaf(picked: Picked, path: string): void;
}

interface Cause {
  name: string;
  finding: FindingView;
  recompiles: Picked[];
}

export function Why({ panel, onLeaf }: Props) {
  const here = versionsIn(panel.functions).filter(({ version }) => !version.is_before && version.reasons.length > 0);
  const again = here.filter(({ version }) => version.reasons[0]?.kind !== "first");
  const first = here.filter(({ version }) => version.reasons[0]?.kind === "first");
  const causes = causesOf(panel, again);
  const grouped = new Set(causes.flatMap(({ recompiles }) => recompiles));
  const alone = again.filter((recompile) => !grouped.has(recompile));
  alone.sort((a, b) => weightOf(b.version) - weightOf(a.version));
  return (
    <>
      {again.length === 0 && <p>Nothing was recompiled.</p>}
      <LongList items={causes} most={MOST_CARDS} noun="cause" name="causes">
        {(cause) => <CauseCard key={cause.name} {...cause} onLeaf={onLeaf} />}
      </LongList>
      <div class="jitviz-why-cards">
        <LongList items={alone} most={MOST_CARDS} noun="recompile" name="why">
          {(recompile) => <VersionCard key={recompile.version.index} {...recompile} onLeaf={onLeaf} />}
        </LongList>
      </div>
      {first.length > 0 && (
        <section class="jitviz-why-card">
          <h2>First compiles</h2>
          <div>
            <LongList items={first} most={MOST_ROWS} noun="first compile" name="why first">
              {({ home, version }) => (
                <p key={version.index}>
                  <LinkButton onClick={() => onLeaf({ home, version }, "")}>
                    <code>{home.name}</code> {version.name}
                  </LinkButton>{" "}
                  <span class="jitviz-faint">
                    {seconds(version.duration_s)}, {version.made}
                  </span>
                </p>
              )}
            </LongList>
          </div>
        </section>
      )}
    </>
  );
}

/** The causes of two or more recompiles. A single recompile has a card of its own, like those without a finding. */
function causesOf({ findings }: Panel, again: readonly Picked[]): Cause[] {
  const byIndex = new Map(again.map((recompile) => [recompile.version.index, recompile]));
  const names = nameFindings(findings);
  return findings.flatMap((finding, place) => {
    const isCause = finding.kind === "recompile" || finding.kind === "not_warmed";
    const recompiles = isCause ? Array.from(finding.compiles).flatMap((index) => byIndex.get(index) ?? []) : [];
    return recompiles.length > 1 ? [{ name: names[place] ?? "", finding, recompiles }] : [];
  });
}

function CauseCard({ name, finding, recompiles, onLeaf }: Cause & Pick<Props, "onLeaf">) {
  const [recompile] = recompiles;
  const onCulprit = (path: string) => recompile && onLeaf(recompile, path);
  const rest = finding.count - recompiles.length;
  return (
    <section class="jitviz-why-card">
      <h2>
        <Sentence spans={finding.summary} onCulprit={({ path }) => onCulprit(path)} />{" "}
        <span class="jitviz-faint">cost {seconds(finding.seconds)}</span>
      </h2>
      <Advice text={finding.advice} />
      <div class="jitviz-caused">
        <LongList items={recompiles} most={MOST_ROWS} noun="recompile" name={`why ${name}`}>
          {(recompile) => <VersionLine key={recompile.version.index} {...recompile} onLeaf={onLeaf} />}
        </LongList>
      </div>
      {rest > 0 && <p class="jitviz-faint">{count(rest, "more recompile")} of this cause</p>}
    </section>
  );
}

/** One of many recompiles that share a cause: its version, and what changed. */
function VersionLine({ home, version, onLeaf }: Picked & Pick<Props, "onLeaf">) {
  return (
    <section class="jitviz-caused-line" aria-label={`${version.name} of ${nameFunction(home)}`}>
      <LinkButton title={version.made} onClick={() => onLeaf({ home, version }, "")}>
        {version.name}
      </LinkButton>
      <span>{seconds(version.duration_s)}</span>
      <span>
        {version.reasons.map((reason, index) => (
          <span class="jitviz-mark" key={index}>
            {isLeafOf(reason) ? (
              <LinkButton onClick={() => onLeaf({ home, version }, reason.path)}>
                <code>{reason.path}</code>
              </LinkButton>
            ) : (
              <KindName kind={reason.kind} />
            )}{" "}
            {(reason.before || reason.after) && <Change before={reason.before} after={reason.after} />}
          </span>
        ))}
        {version.n_more_reasons > 0 && (
          <span class="jitviz-faint"> {count(version.n_more_reasons, "more reason")}</span>
        )}
      </span>
    </section>
  );
}

function isLeafOf({ path, kind }: Reason): boolean {
  return path !== "" && kind !== "config_context";
}

/** Sorts avoidable recompiles first, and the most expensive first. */
function weightOf(version: Version): number {
  return version.duration_s + (version.reasons[0]?.inherent ? 0 : 1e6);
}

function VersionCard({ home, version, onLeaf }: Picked & Pick<Props, "onLeaf">) {
  return (
    <section class="jitviz-why-card" aria-label={`${version.name} of ${nameFunction(home)}`}>
      <h2>
        <code>{home.name}</code> {version.name} <span class="jitviz-faint">cost {seconds(version.duration_s)}</span>
      </h2>
      <p class="jitviz-faint">
        <LinkButton onClick={() => onLeaf({ home, version }, "")}>{version.made || "show it"}</LinkButton>
      </p>
      {version.error && <p class="jitviz-failed">{version.error}</p>}
      <ol>
        {version.reasons.map((reason, index) => (
          <ReasonItem key={index} reason={reason} onLeaf={() => onLeaf({ home, version }, reason.path)} />
        ))}
      </ol>
      {version.n_more_reasons > 0 && <p class="jitviz-faint">{count(version.n_more_reasons, "more reason")}</p>}
      {version.judged && <p class="jitviz-judged">{version.judged}</p>}
    </section>
  );
}

function ReasonItem({ reason, onLeaf }: { reason: Reason; onLeaf(): void }) {
  const isLeaf = isLeafOf(reason);
  return (
    <li class={reason.inherent ? "jitviz-reason" : "jitviz-reason jitviz-avoidable"}>
      <div class="jitviz-reason-head">
        <b>
          <KindName kind={reason.kind} />
        </b>
        {isLeaf ? (
          <LinkButton onClick={onLeaf}>
            <code>{reason.path}</code>
          </LinkButton>
        ) : (
          reason.path && <code>{reason.path}</code>
        )}
        {reason.inherent && reason.kind !== "first" && <Term name="inherent">expected</Term>}
      </div>
      {(reason.before || reason.after) && (
        <p>
          <Change before={reason.before} after={reason.after} />
        </p>
      )}
      <p>
        <Prose text={reason.summary} />
      </p>
      <Advice text={reason.advice} canCopy />
    </li>
  );
}
