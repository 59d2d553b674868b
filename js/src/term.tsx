/**
 * A word with its explanation, on hover or focus.
 *
 * In: a term of the glossary, or any text.  Out: a button that does nothing but explain.
 * Must never: hide a word for which there is no explanation.
 */

import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { GLOSSARY } from "./glossary.ts";
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

const TIP_PX = 260;

export function Hint({ text, children }: { text: string; children: ComponentChildren }) {
  const id = useId();
  const word = useRef<HTMLButtonElement>(null);
  const [side, setSide] = useState<"" | "left" | "right">("");
  const show = () => {
    const place = word.current?.getBoundingClientRect();
    const edge = word.current?.closest(".jitviz")?.getBoundingClientRect();
    setSide(place && edge && place.left + TIP_PX > edge.right ? "right" : "left");
  };
  const hide = () => setSide("");
  return (
    <span class="jitviz-hint" onPointerEnter={show} onPointerLeave={hide}>
      <button
        type="button"
        class="jitviz-term"
        ref={word}
        aria-describedby={id}
        onFocus={show}
        onBlur={hide}
        onKeyDown={side ? onKeys({ Escape: hide }) : undefined}
      >
        {children}
      </button>
      <span role="tooltip" id={id} class={side ? `jitviz-tip jitviz-tip-${side}` : "jitviz-hidden"}>
        {text}
      </span>
    </span>
  );
}
