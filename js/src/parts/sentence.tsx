/** A sentence of spans: plain text, code, what changed in bold, and leaves as links. */

import type { Span } from "../schema.ts";
import { keepUnits } from "../words/numbers.ts";

export function Sentence({ spans, onCulprit }: { spans: readonly Span[]; onCulprit(span: Span): void }) {
  return (
    <>
      {spans.map((span, index) => (
        <Piece key={index} span={span} onCulprit={onCulprit} />
      ))}
    </>
  );
}

function Piece({ span, onCulprit }: { span: Span; onCulprit(span: Span): void }) {
  const text = keepUnits(span.text);
  if (span.path) {
    return (
      <button type="button" class="jitviz-link jitviz-culprit" title={span.path} onClick={() => onCulprit(span)}>
        <code>{text}</code>
      </button>
    );
  }
  if (span.is_strong) return <b>{text}</b>;
  return span.is_code ? <code>{text}</code> : text;
}
