/** Sentences in which backticks mark code. */

import { keepUnits } from "../words/numbers.ts";
import { CopyButton } from "./copy.tsx";

export function Prose({ text }: { text: string }) {
  const pieces = keepUnits(text).split("`");
  if (pieces.length % 2 === 0) return <>{keepUnits(text)}</>;
  return <>{pieces.map((piece, at) => (at % 2 ? <code key={at}>{piece}</code> : piece))}</>;
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
