/** The first sentence: the seconds, and how many of them were avoidable; findings, if there are any, say the rest. And the summary in numbers. */

import type { ComponentChildren } from "preact";
import { GLOSSARY } from "../glossary.ts";
import { Advice, Prose, Sentence, Warning } from "../parts/prose.tsx";
import { Hint, type TermName } from "../parts/term.tsx";
import type { Chip, Level, Panel, Span } from "../schema.ts";
import { keepUnits } from "../words/numbers.ts";

const SIGNS: Record<Level, string> = {
  empty: "○",
  hits: "✓",
  first: "✓",
  recompile: "↻",
  running: "…",
  error: "✕",
};

interface Props {
  panel: Panel;
  onCulprit(span: Span): void;
  /** Follows the sentence. */
  children: ComponentChildren;
}

export function Headline({ panel, onCulprit, children }: Props) {
  const { headline, aside, rest, sentence, advice, notes, level } = panel.verdict;
  // While a compile goes on, its time does too, in the line below; a second number would not agree.
  const said = panel.is_finished
    ? sentence
    : sentence.map((span) => ({ ...span, text: span.text.replace(/, [\d.]+ \S+ so far/, "") }));
  return (
    <div class={`jitviz-verdict jitviz-level-${level}`}>
      {!headline && (
        <span class="jitviz-sign" aria-hidden="true">
          {SIGNS[level]}
        </span>
      )}
      <div>
        {headline && (
          <p class="jitviz-headline">
            <Prose text={headline} />.{" "}
            {aside.split(/(, )/).map((part, place) => (
              <span key={place} class={part.endsWith("avoidable") ? "jitviz-aside" : ""}>
                {keepUnits(part)}
              </span>
            ))}
            {aside && rest && ", "}
            {keepUnits(rest)}
            {(aside || rest) && "."}
          </p>
        )}
        {sentence.length > 0 && (
          <p class={headline ? "jitviz-sentence jitviz-below" : "jitviz-sentence"}>
            <Sentence spans={said} onCulprit={onCulprit} /> {children}
          </p>
        )}
        <Advice text={advice} canCopy />
        {notes.map((note) => (
          <Warning key={note}>
            <Prose text={note} />
          </Warning>
        ))}
      </div>
    </div>
  );
}

/** Avoidable work has one colour wherever it is named; a failure has another. */
function lookOf({ is_alarming, label }: Chip): string {
  return is_alarming ? (label.startsWith("avoidable") ? "jitviz-aside" : "jitviz-failed") : "";
}

/** The numbers of the summary. */
export function Chips({ chips }: { chips: readonly Chip[] }) {
  return (
    <ul class="jitviz-chips" aria-label="Summary">
      {chips.map((chip) => (
        <li key={chip.label} class={`jitviz-chip ${lookOf(chip)}`}>
          <Hint text={GLOSSARY[chip.term as TermName]?.text ?? ""}>
            <b>{chip.value}</b> {chip.label}
          </Hint>
        </li>
      ))}
    </ul>
  );
}
