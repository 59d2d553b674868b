/** A value before and after a change. */

export function Change({ before, after }: { before: string; after: string }) {
  return (
    <span>
      <del>{before || "nothing"}</del>
      <span aria-hidden="true"> → </span>
      <span class="jitviz-hidden"> became </span>
      <ins>{after || "nothing"}</ins>
    </span>
  );
}
