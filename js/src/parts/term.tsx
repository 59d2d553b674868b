/**
 * A word with its explanation, on hover or focus.
 *
 * In: a term of the glossary, or any text.  Out: a button that does nothing but explain.
 */

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { GLOSSARY } from "../glossary.ts";
import type { Kind } from "../schema.ts";
import { useOwnId } from "./id.ts";
import { onKeys } from "./keys.ts";
import { Prose } from "./prose.tsx";

export type TermName = keyof typeof GLOSSARY;

export function Term({ name, children }: { name: TermName; children?: ComponentChildren }) {
  return <Hint {...GLOSSARY[name]}>{children ?? name}</Hint>;
}

/** A kind of reason in words, with its explanation. */
export function KindName({ kind }: { kind: Kind }) {
  return <Term name={kind.replaceAll("_", " ") as TermName} />;
}

const TIP_WIDTH_PX = 360;
const TIP_HEIGHT_PX = 150;

interface Props {
  text: string;
  /** Python code that shows it, "" if there is none. */
  example?: string;
  children: ComponentChildren;
}

function Hint({ text, example = "", children }: Props) {
  const id = useOwnId();
  const word = useRef<HTMLButtonElement>(null);
  const [place, setPlace] = useState<Place | null>(null);
  const show = () => setPlace(word.current && placeBeside(word.current));
  const hide = () => setPlace(null);
  return (
    <span class="jitviz-hint" onPointerEnter={show} onPointerLeave={hide}>
      <button
        type="button"
        class="jitviz-term"
        ref={word}
        aria-describedby={id}
        onFocus={show}
        onBlur={hide}
        onKeyDown={place ? onKeys({ Escape: hide }) : undefined}
      >
        {children}
      </button>
      <span
        role="tooltip"
        id={id}
        class={place ? `jitviz-tip jitviz-tip-${place.side}` : "jitviz-hidden"}
        style={place ? { left: `${place.left_px}px` } : undefined}
      >
        <Prose text={text} />
        {example && <code class="jitviz-example">{example}</code>}
      </span>
    </span>
  );
}

/** The place of an explanation, relative to the beginning of its word. */
interface Place {
  side: "up" | "down";
  left_px: number;
}

/** Inside the panel, since anything that sticks out makes the output of a notebook scroll. */
function placeBeside(word: HTMLElement): Place | null {
  const edge = word.closest(".jitviz")?.getBoundingClientRect();
  if (!edge) return null;
  const { left, bottom } = word.getBoundingClientRect();
  const side = bottom + TIP_HEIGHT_PX > edge.bottom ? "up" : "down";
  return { side, left_px: Math.max(edge.left - left, Math.min(-8, edge.right - TIP_WIDTH_PX - left)) };
}
