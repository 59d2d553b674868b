/** The first lines: what could be saved of how many seconds, what happened, what the last edit did; and one thin bar, behind which stands where the time went. */

import type { ComponentChildren } from "preact";
import { LinkButton } from "../parts/buttons.tsx";
import { Advice, Prose, Sentence } from "../parts/prose.tsx";
import { Term } from "../parts/term.tsx";
import type { AccountView, Panel, Span, What } from "../schema.ts";
import { legendOf } from "../score/marks.ts";
import { usePanelState } from "../state/panel_state.ts";
import { seconds } from "../words/numbers.ts";

interface Props {
  panel: Panel;
  onCulprit(span: Span): void;
  /** Beside the line on the last run: the scores of that run on request. */
  isBefore: boolean;
  onBefore(): void;
  /** Follows what happened. */
  children: ComponentChildren;
}

export function Verdict({ panel, onCulprit, isBefore, onBefore, children }: Props) {
  const { title, subline, since, advice, level } = panel.verdict;
  return (
    <div class={`jitviz-verdict jitviz-level-${level}`}>
      <h2 class="jitviz-title">
        <Sentence spans={title} onCulprit={onCulprit} />
      </h2>
      {!panel.raised && (subline.length > 0 || since.length > 0 || children) && (
        <p class="jitviz-subline">
          <Sentence spans={subline} onCulprit={onCulprit} /> <Sentence spans={since} onCulprit={onCulprit} />{" "}
          {panel.last_scores.length > 0 && (
            <LinkButton aria-expanded={isBefore} onClick={onBefore}>
              {isBefore ? "this run only" : "both runs"}
            </LinkButton>
          )}
          {children}
        </p>
      )}
      {!panel.raised && <Advice text={advice} canCopy />}
    </div>
  );
}

/** What limits the recording, or would only help the next one: at the end, since it is no alarm. */
export function VerdictNotes({ notes }: { notes: readonly string[] }) {
  return notes.map((note) => (
    <p key={note} class="jitviz-also">
      <Prose text={note} />
    </p>
  ));
}

/** The kinds of work that are drawn alike. */
const PARTS: readonly (readonly [string, readonly What[]])[] = [
  ["trace", ["trace", "lower"]],
  ["compile", ["compile", "load", "op_by_op"]],
  ["run", ["run"]],
  ["python", ["python", "jitviz"]],
];

interface BillProps {
  panel: Panel;
  account: AccountView;
  onMore(): void;
}

/** A thin bar: what was avoidable, then the kinds of work. It opens to their names and seconds, and to the signs of the score. */
export function Bill({ panel, account, onMore }: BillProps) {
  const [isOpen, setOpen] = usePanelState("bill open", () => false);
  const kinds = account.bar.filter(({ depth }) => depth === 0);
  const saved = kinds.reduce((sum, { avoidable_s }) => sum + avoidable_s, 0);
  const stretches = PARTS.map(([name, whats]) => {
    const own = kinds.filter(({ what }) => whats.includes(what));
    return [name, own.reduce((sum, part) => sum + part.seconds - part.avoidable_s, 0)] as const;
  });
  const label = `Where ${seconds(account.wall_s)} went`;
  return (
    <>
      <button
        type="button"
        class="jitviz-bill"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {[["save", saved] as const, ...stretches].map(
          ([name, part]) =>
            part > 0 && <i key={name} class={`jitviz-bar-${name}`} style={{ flexGrow: part / account.wall_s }} />,
        )}
      </button>
      {isOpen && (
        <div class="jitviz-behind">
          <ul class="jitviz-key" aria-label={label}>
            {kinds.map(({ what, name, seconds: spent }) => (
              <li key={what}>
                <span class={`jitviz-swatch jitviz-what-${what}`} aria-hidden="true" />
                {name} <b>{seconds(spent)}</b>
              </li>
            ))}
            {account.avoidable && (
              <li>
                <span class="jitviz-swatch jitviz-bar-save" aria-hidden="true" />
                avoidable: {account.avoidable}
              </li>
            )}
            <li>
              <LinkButton onClick={onMore}>by function and line</LinkButton>
            </li>
          </ul>
          <ul class="jitviz-key" aria-label="Signs">
            <li>
              ×57: as many <Term name="hit">hits</Term>
            </li>
            <li>v2: a hit of version 2</li>
            <li>
              <span class="jitviz-swatch jitviz-unknown" aria-hidden="true" />a hit of an unknown version
            </li>
            {legendOf(panel.scores.flatMap(({ columns }) => columns)).map(([sign, words]) => (
              <li key={sign}>
                {sign} {words}
              </li>
            ))}
          </ul>
          {account.beside && <p class="jitviz-faint">{account.beside}</p>}
          {panel.made_with && <p class="jitviz-faint">{panel.made_with}</p>}
        </div>
      )}
    </>
  );
}
