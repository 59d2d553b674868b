/**
 * The line that a finding asks to change: a mark beside the line, and one in the finding. Each leads to the other, and both
 * stand out while one of them is pointed at.
 */

import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FindingView } from "../schema.ts";
import { sayFinding } from "../words/phrases.ts";

/** Where a mark is: of which finding, by its place in the panel, and at which end. */
interface Mark {
  finding: number;
  at: "line" | "finding";
}

interface State {
  /** The finding that is pointed at, -1 for none. */
  pointed: number;
  point(finding: number): void;
  /** The mark that takes the focus as soon as it is there: what it is folded into unfolds for it. */
  sought: Mark | null;
  seek(mark: Mark | null): void;
}

const Marks = createContext<State>({ pointed: -1, point: () => {}, sought: null, seek: () => {} });

export const FEW = 5; // findings, of more those that are alike are told as one

/** Whose mark stands for a finding's: of those that are told as one and ask to change the same lines, the first one's. */
export function markOf(findings: readonly FindingView[], place: number): number {
  const keyOf = (finding: FindingView) => [sayFinding(finding), finding.edits, finding.is_also].join(" ");
  const finding = findings[place];
  if (!finding || findings.filter(({ is_also }) => !is_also).length <= FEW) return place;
  return findings.findIndex((other) => keyOf(other) === keyOf(finding));
}

/** Around all marks of a panel. */
export function Edits({ children }: { children: ComponentChildren }) {
  const [pointed, point] = useState(-1);
  const [sought, seek] = useState<Mark | null>(null);
  return <Marks.Provider value={{ pointed, point, sought, seek }}>{children}</Marks.Provider>;
}

/** The finding that someone goes to, -1 for none. */
export function useSought(): number {
  const { sought } = useContext(Marks);
  return sought?.at === "finding" ? sought.finding : -1;
}

interface Props extends Mark {
  /** What it says after its number. */
  text?: string;
  /** What it does, for a screen reader. */
  label: string;
}

export function EditMark({ finding, at, text = "", label }: Props) {
  const { pointed, point, sought, seek } = useContext(Marks);
  const mark = useRef<HTMLButtonElement>(null);
  const isSought = sought?.finding === finding && sought.at === at;
  useLayoutEffect(() => {
    if (!isSought) return;
    mark.current?.focus();
    seek(null);
  }, [isSought]);
  const leave = () => point(-1);
  return (
    <button
      type="button"
      class={pointed === finding ? "jitviz-edit jitviz-pointed-at" : "jitviz-edit"}
      ref={mark}
      aria-label={`edit ${finding + 1}${text}, ${label}`}
      onMouseEnter={() => point(finding)}
      onMouseLeave={leave}
      onFocus={() => point(finding)}
      onBlur={leave}
      onClick={() => seek({ finding, at: at === "line" ? "finding" : "line" })}
    >
      edit&nbsp;{finding + 1}
      {text}
    </button>
  );
}
