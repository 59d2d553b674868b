/**
 * A word with its explanation, on hover or focus.
 *
 * In: a term of the glossary, or any text.  Out: a button that does nothing but explain.
 * Must never: hide a word for which there is no explanation.
 */

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { GLOSSARY } from "./glossary.ts";
import { useOwnId } from "./id.ts";
import { onKeys } from "./keys.ts";
import type { Kind } from "./schema.ts";

export type TermName = keyof typeof GLOSSARY;

export function Term({ name, children }: { name: TermName; children?: ComponentChildren }) {
  return <Hint text={GLOSSARY[name]}>{children ?? name}</Hint>;
}

/** A kind of reason as people say it, with its explanation. */
export function KindName({ kind }: { kind: Kind }) {
  return <Term name={kind.replaceAll("_", " ") as TermName} />;
}

const TIP_WIDTH_PX = 260;
const TIP_HEIGHT_PX = 80;

export function Hint({ text, children }: { text: string; children: ComponentChildren }) {
  const id = useOwnId();
  const word = useRef<HTMLButtonElement>(null);
  const [sides, setSides] = useState("");
  const show = () => {
    const place = word.current?.getBoundingClientRect();
    const edge = word.current?.closest(".jitviz")?.getBoundingClientRect();
    if (!place || !edge) return;
    // Inside of the panel, since what sticks out of it makes a notebook's output scroll.
    const across = place.left + TIP_WIDTH_PX > edge.right ? "right" : "left";
    const along = place.bottom + TIP_HEIGHT_PX > edge.bottom ? "up" : "down";
    setSides(`jitviz-tip jitviz-tip-${across} jitviz-tip-${along}`);
  };
  const hide = () => setSides("");
  return (
    <span class="jitviz-hint" onPointerEnter={show} onPointerLeave={hide}>
      <button
        type="button"
        class="jitviz-term"
        ref={word}
        aria-describedby={id}
        onFocus={show}
        onBlur={hide}
        onKeyDown={sides ? onKeys({ Escape: hide }) : undefined}
      >
        {children}
      </button>
      <span role="tooltip" id={id} class={sides || "jitviz-hidden"}>
        {text}
      </span>
    </span>
  );
}
