/** A button that opens a list of actions; it closes again with Escape, and where the focus leaves it. */

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { onKeys } from "./keys.ts";

export function Menu({ label, children }: { label: string; children: ComponentChildren }) {
  const box = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (box.current) box.current.open = false;
  };
  const leave = ({ relatedTarget }: FocusEvent) => {
    if (!box.current?.contains(relatedTarget as Node | null)) close();
  };
  const keys = onKeys({
    Escape: () => {
      close();
      box.current?.querySelector("summary")?.focus();
    },
  });
  return (
    <details class="jitviz-menu" ref={box} onFocusOut={leave} onKeyDown={keys}>
      <summary aria-label={label}>
        <span class="jitviz-roomy">open</span> <span aria-hidden="true">▾</span>
      </summary>
      <div>{children}</div>
    </details>
  );
}
