/** A sentence of spans: code, what changed, and leaves as links. */

import type { Span } from "../schema.ts";

export function Said({ spans, onCulprit }: { spans: readonly Span[]; onCulprit(span: Span): void }) {
  return (
    <>
      {spans.map((span, index) => (
        <Piece key={index} span={span} onCulprit={onCulprit} />
      ))}
    </>
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
  if (span.is_strong) return <b>{span.text}</b>;
  return span.is_code ? <code>{span.text}</code> : span.text;
}
