/** Sentences: with code between backticks or in spans, and what stands in or around them: a change, advice, a warning. */

import type { ComponentChildren } from "preact";
import type { Span } from "../schema.ts";
import { cutMiddle, splitChange } from "../words/changes.ts";
import { keepUnits } from "../words/numbers.ts";
import { CopyButton, LinkButton } from "./buttons.tsx";

/** A sentence in which backticks mark code. */
export function Prose({ text }: { text: string }) {
  const pieces = keepUnits(text).split("`");
  if (pieces.length % 2 === 0) return <>{keepUnits(text)}</>;
  return <>{pieces.map((piece, at) => (at % 2 ? <code key={at}>{piece}</code> : piece))}</>;
}

/** A sentence of spans: plain text, code, what changed in bold, and leaves as links. */
export function Sentence({ spans, onCulprit }: { spans: readonly Span[]; onCulprit(span: Span): void }) {
  return (
    <>
      {spans.map((span, index) => {
        const text = keepUnits(span.text);
        if (span.is_strong) return <b key={index}>{text}</b>;
        if (!span.path) return span.is_code ? <code key={index}>{text}</code> : text;
        return (
          <LinkButton key={index} class="jitviz-link jitviz-culprit" title={span.path} onClick={() => onCulprit(span)}>
            <code>{text}</code>
          </LinkButton>
        );
      })}
    </>
  );
}

interface ChangeProps {
  before: string;
  after: string;
  /** Whether long sides are whole; else the middle of what they share is left out, and a hover says all. */
  isWhole?: boolean;
}

/** A value before and after a change; only what differs is bold. */
export function Change({ before, after, isWhole = false }: ChangeProps) {
  if (before === after) return <code>{after}</code>; // two things that read alike
  const [was, is] = isWhole
    ? splitChange(before, after)
    : splitChange(before, after).map((side) => side.map(cutMiddle));
  return (
    <span class="jitviz-change" title={isWhole ? undefined : `${before || "nothing"} → ${after || "nothing"}`}>
      <del>
        <Side parts={was} />
      </del>
      <span aria-hidden="true"> → </span>
      <span class="jitviz-hidden"> became </span>
      <ins>
        <Side parts={is} />
      </ins>
    </span>
  );
}

function Side({ parts: [head, own, tail] = [] }: { parts: readonly string[] | undefined }) {
  return (
    <>
      {head && <span>{head}</span>}
      {own && <b>{own}</b>}
      {(tail || !(head || own)) && <span>{tail || "nothing"}</span>}
    </>
  );
}

/** What to do. */
export function Advice({ text, canCopy = false }: { text: string; canCopy?: boolean }) {
  if (!text) return null;
  return (
    <p class="jitviz-advice">
      <span aria-hidden="true">→ </span>
      <Prose text={text} /> {canCopy && <CopyButton text={text} what="the advice" />}
    </p>
  );
}

interface WarningProps {
  class?: string;
  role?: "alert" | "status";
  children: ComponentChildren;
}

export function Warning({ class: name = "jitviz-note", role, children }: WarningProps) {
  return (
    <p class={name} role={role}>
      <span aria-hidden="true">⚠ </span>
      {children}
    </p>
  );
}

/** What to paste. */
export function Code({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key
    <pre class="jitviz-paste" tabIndex={0}>
      {text}
    </pre>
  );
}
