/**
 * The line that a finding asks to change: a mark beside the line, and one in the finding. Each leads to the other, and both
 * stand out while one of them is pointed at.
 */

import { type ComponentChildren, createContext } from "preact";
import { useContext, useState } from "preact/hooks";

const Pointed = createContext<[number, (finding: number) => void]>([-1, () => {}]);

/** Around all marks of a panel. */
export function Edits({ children }: { children: ComponentChildren }) {
  return <Pointed.Provider value={useState(-1)}>{children}</Pointed.Provider>;
}

interface Props {
  /** Its place in the panel. */
  finding: number;
  at: "line" | "finding";
  /** What it says after its number. */
  text?: string;
  /** What it does, for a screen reader. */
  label: string;
}

export function EditMark({ finding, at, text = "", label }: Props) {
  const [pointed, point] = useContext(Pointed);
  const leave = () => point(-1);
  return (
    <button
      type="button"
      class={pointed === finding ? "jitviz-edit jitviz-pointed-at" : "jitviz-edit"}
      data-edit={`${at} ${finding}`}
      aria-label={`edit ${finding + 1}${text}, ${label}`}
      onMouseEnter={() => point(finding)}
      onMouseLeave={leave}
      onFocus={() => point(finding)}
      onBlur={leave}
      onClick={(event) => {
        const other = `[data-edit="${at === "line" ? "finding" : "line"} ${finding}"]`;
        event.currentTarget.closest(".jitviz")?.querySelector<HTMLElement>(other)?.focus();
      }}
    >
      edit&nbsp;{finding + 1}
      {text}
    </button>
  );
}
