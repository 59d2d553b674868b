/** A sentence in which backticks mark code. */

import { keepUnits } from "./words.ts";

export function Prose({ text }: { text: string }) {
  const pieces = keepUnits(text).split("`");
  if (pieces.length % 2 === 0) return <>{keepUnits(text)}</>;
  return <>{pieces.map((piece, at) => (at % 2 ? <code key={at}>{piece}</code> : piece))}</>;
}
