/** Signs of a leaf: filled is traced, a ring is static, an arrow out of it is donated. */

import type { Row } from "../schema.ts";

export function LeafIcon({ row }: { row: Row }) {
  if (row.kind === "gone") return <Sign class="jitviz-gone" d="M4 4l8 8M12 4l-8 8" title="removed" />;
  if (row.role === "static")
    return <Sign class="jitviz-static" d="M8 3.6a4.4 4.4 0 1 0 0 8.8a4.4 4.4 0 1 0 0-8.8z" title="static" />;
  if (row.role !== "traced") return null;
  return row.is_donated ? (
    <Sign
      class="jitviz-traced jitviz-filled jitviz-donated"
      d="M4.6 4.4a3.6 3.6 0 1 0 0 7.2a3.6 3.6 0 1 0 0-7.2zM10 8h5M12.4 5.4L15 8l-2.6 2.6"
      title="traced, donated"
    />
  ) : (
    <Sign class="jitviz-traced jitviz-filled" d="M8 3.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9z" title="traced" />
  );
}

function Sign({ class: name, d, title }: { class: string; d: string; title: string }) {
  return (
    <svg class={`jitviz-icon ${name}`} viewBox="0 0 16 16" role="img" aria-label={title}>
      <path d={d} />
    </svg>
  );
}
