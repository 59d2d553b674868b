/** A sentence in which backticks mark code. */

export function Prose({ text }: { text: string }) {
  const pieces = text.split("`");
  if (pieces.length % 2 === 0) return <>{text}</>;
  return <>{pieces.map((piece, at) => (at % 2 ? <code key={at}>{piece}</code> : piece))}</>;
}
