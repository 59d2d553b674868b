/** The verdict: one sentence, with the culprit in it as a link to its leaf; what to do; what to keep in mind. */

import { CopyButton } from "./copy.tsx";
import { Prose } from "./prose.tsx";
import type { Level, Span, Verdict } from "./schema.ts";

const SIGNS: Record<Level, string> = {
  empty: "○",
  hits: "✓",
  first: "✓",
  recompile: "↻",
  running: "…",
  error: "✕",
};

interface Props {
  verdict: Verdict;
  onCulprit(span: Span): void;
}

export function VerdictLine({ verdict, onCulprit }: Props) {
  return (
    <div class={`jitviz-verdict jitviz-level-${verdict.level}`}>
      <span class="jitviz-sign" aria-hidden="true">
        {SIGNS[verdict.level]}
      </span>
      <div>
        <p class="jitviz-sentence">
          {verdict.sentence.map((span, index) => (
            <Piece key={index} span={span} onCulprit={onCulprit} />
          ))}
        </p>
        {verdict.advice && (
          <p class="jitviz-advice">
            <span aria-hidden="true">→ </span>
            <Prose text={verdict.advice} /> <CopyButton text={verdict.advice} what="the advice" />
          </p>
        )}
        {verdict.notes.map((note) => (
          <p class="jitviz-note" key={note}>
            <span aria-hidden="true">⚠ </span>
            {note}
          </p>
        ))}
      </div>
    </div>
  );
}

function Piece({ span, onCulprit }: { span: Span; onCulprit(span: Span): void }) {
  if (span.path) {
    return (
      <button type="button" class="jitviz-link jitviz-culprit" title={span.path} onClick={() => onCulprit(span)}>
        <code>{span.text}</code>
      </button>
    );
  }
  return span.is_code ? <code>{span.text}</code> : span.text;
}
