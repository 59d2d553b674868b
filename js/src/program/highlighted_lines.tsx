/** From one highlighted line of a pane to the next; in a long text they are far apart. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { StepButtons } from "../parts/buttons.tsx";
import { count, grouped } from "../words/numbers.ts";
import type { Editor } from "./editor/editor.ts";

interface Props {
  bits: Uint8Array;
  what: string;
  editor: Editor | null;
}

export function Steps({ bits, what, editor }: Props) {
  const lines = useMemo(() => linesIn(bits), [bits]);
  const [current, setCurrent] = useState(-1);
  useEffect(() => {
    setCurrent(-1);
    editor?.mark({ at: -1 });
  }, [editor, lines]);
  if (!editor || lines.length === 0) return null;
  const go = (step: 1 | -1) => {
    const next = current < 0 && step < 0 ? lines.length - 1 : (current + step + lines.length) % lines.length;
    const line = lines[next] ?? 0;
    setCurrent(next);
    editor.mark({ at: line });
    editor.reveal(line);
  };
  return (
    <span class="jitviz-steps">
      <span role="status">
        {current < 0
          ? `${count(lines.length, "line")} highlighted`
          : `line ${grouped(current + 1)} of ${grouped(lines.length)}`}
      </span>
      <StepButtons of={`highlighted line of ${what}`} onStep={go} />
    </span>
  );
}

function linesIn(bits: Uint8Array): number[] {
  const lines = [];
  for (let line = bits.findIndex((bit) => bit !== 0); line >= 0 && line < bits.length; line += 1) {
    if (bits[line]) lines.push(line);
  }
  return lines;
}
