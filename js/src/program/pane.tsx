/**
 * One text with its tools (search, fold, copy, download), its highlights, and the names of its lines.
 *
 * In: a text, CodeMirror once it is there, the highlights.  Out: the selection.
 * Must never: hide a text because CodeMirror is not there.
 */

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { CopyButton, download, StepButtons, Tool } from "../parts/buttons.tsx";
import { type Answer, useAsk, useLoaded } from "../state/answers.ts";
import { usePanelState } from "../state/panel_state.ts";
import { loadChunk } from "../wire/chunk.ts";
import { count, grouped } from "../words/numbers.ts";
import type { Editor, Stand } from "./editor/editor.ts";
import type { Heats } from "./editor/heat.ts";
import { type Highlights, type Selection, STRONG } from "./highlights.ts";
import { nameText, type PaneName } from "./place.ts";
import { Search } from "./search.tsx";
import type { Source } from "./source.ts";

interface Props {
  /** Its state is kept under this name. */
  name: string;
  pane: PaneName;
  text: string;
  /** The version of the text, for screen readers: "step, version 2". */
  of: string;
  fileName: string;
  /** The line that it opens at, where nothing is selected. */
  begin: number;
  codeMirror: Answer<CodeMirror>;
  /** The colour of each line, by pane. */
  bands: Record<PaneName, Uint8Array> | null;
  highlights: Highlights | null;
  selection: Selection | null;
  /** As in `EditorOptions`. */
  source?: Source;
  heats?: Heats;
  /** What a line is named, for the foot of the pane. */
  tellLine(line: number): string;
  onSelect(selection: Selection): void;
  /** The line under the pointer, -1 for none. */
  onHover(line: number): void;
  /** Stands in the head, before the search box. */
  children?: ComponentChildren;
}

export type CodeMirror = typeof import("../bundles/code.ts");

/** What draws texts, once it is loaded. */
export function useCodeMirror(): Answer<CodeMirror> {
  const ask = useAsk();
  return useLoaded(() => loadChunk<CodeMirror>("code", ask), "chunk code");
}

/** How a pane was left. */
interface Left {
  text: string;
  stand: Stand | null;
  selection: Selection | null;
}

export function Pane(props: Props) {
  const { name, pane, text, of, codeMirror, highlights, selection, heats, children } = props;
  const [left] = usePanelState(`${name} ${pane}`, (): Left => ({ text: "", stand: null, selection: null }));
  const [editor, setEditor] = useState<Editor | null>(null);
  const [hovered, setHovered] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const own = useRef<Selection | null>(null);
  // The editor outlives a render; it always calls the newest callbacks.
  const now = useRef(props);
  now.current = props;
  const what = `the ${nameText(pane)}`;
  const bits = highlights?.bits[pane] ?? NO_BITS;

  useEffect(() => {
    if (codeMirror.state !== "done" || !box.current) return;
    const stand = left.text === text ? left.stand : null;
    if (stand) own.current = left.selection;
    const opened = codeMirror.value.openEditor({
      parent: box.current,
      text,
      pane,
      label: `${nameText(pane)} of ${of}`,
      source: now.current.source ?? null,
      left: stand,
      onSelect(next) {
        own.current = next;
        now.current.onSelect(next);
      },
      onHover(next) {
        setHovered(next);
        now.current.onHover(next);
      },
      onFind: () => field.current?.focus(),
    });
    if (!stand && !now.current.selection) opened.begin(now.current.begin);
    setEditor(opened);
    return () => {
      Object.assign(left, { text, stand: opened.stand(), selection: now.current.selection });
      setEditor(null);
      opened.destroy();
    };
  }, [codeMirror.state, pane, text]);

  // Before the browser paints, so that selection and highlights change together.
  useLayoutEffect(() => {
    const isMine = selection?.pane === pane;
    const [from, to] = isMine ? [selection.from, selection.to] : [-1, -1];
    editor?.mark({ bits, from, to, expressions: pane === "source" ? (highlights?.expressions ?? []) : [] });
    if (!editor || !selection || selection === own.current) return;
    if (isMine) editor.choose(selection.from);
    else if (firstOf(bits) >= 0) editor.reveal(firstOf(bits));
  }, [editor, highlights, selection]);

  useEffect(() => {
    if (heats) editor?.heat(heats);
  }, [editor, heats]);

  useEffect(() => editor?.mark({ bands: props.bands?.[pane] ?? NO_BITS }), [editor, props.bands]);

  const line = hovered >= 0 ? hovered : selection?.pane === pane ? selection.from : -1;
  return (
    <section class={`jitviz-pane jitviz-pane-${pane}`} aria-label={nameText(pane)}>
      <div class="jitviz-pane-head">
        <b>{nameText(pane)}</b>
        {children ?? <span class="jitviz-faint jitviz-length">{count(lengthOf(text), "line")}</span>}
        <Search text={text} what={what} editor={editor} field={field} />
        <span class="jitviz-pane-tools">
          <Tool sign="fold all" label={`fold all of ${what}`} isDisabled={!editor} onClick={() => editor?.foldAll()} />
          <Tool
            sign="unfold all"
            label={`unfold all of ${what}`}
            isDisabled={!editor}
            onClick={() => editor?.unfoldAll()}
          />
          <CopyButton text={text} what={what} />
          <Tool sign="download" label={`download ${what}`} onClick={() => download(text, props.fileName)} />
        </span>
      </div>
      {codeMirror.state === "done" ? (
        <div class="jitviz-pane-body" ref={box} />
      ) : (
        <PlainText text={text} label={`${nameText(pane)} of ${of}`} codeMirror={codeMirror} />
      )}
      <div class="jitviz-pane-foot jitviz-faint">
        <span class="jitviz-line-words">{line >= 0 && props.tellLine(line)}</span>
        <Steps bits={bits} what={what} editor={editor} />
      </div>
    </section>
  );
}

const NO_BITS = new Uint8Array(0);

/** How much plain text is drawn without CodeMirror; more would block the browser. */
const MOST_PLAIN = 400_000;

function PlainText({ text, label, codeMirror }: { text: string; label: string; codeMirror: Answer<CodeMirror> }) {
  return (
    <>
      {codeMirror.state === "waiting" && (
        <p class="jitviz-faint" role="status">
          loading …
        </p>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: the same to those who hear it as what will stand in its place */}
      <div
        class="jitviz-text jitviz-pane-body"
        role="textbox"
        aria-multiline="true"
        aria-readonly="true"
        aria-label={label}
        tabIndex={0}
      >
        <pre>{text.slice(0, MOST_PLAIN)}</pre>
        {text.length > MOST_PLAIN && <p class="jitviz-faint">Copy or download the text to read the rest.</p>}
      </div>
    </>
  );
}

/** The line to show first: the first strongly highlighted one, else the first weakly highlighted one. */
function firstOf(bits: Uint8Array): number {
  const strong = bits.findIndex((bit) => (bit & STRONG) !== 0);
  return strong >= 0 ? strong : bits.findIndex((bit) => bit !== 0);
}

function lengthOf(text: string): number {
  let lines = text.endsWith("\n") || !text ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

interface StepsProps {
  bits: Uint8Array;
  what: string;
  editor: Editor | null;
}

/** From one highlighted line of a pane to the next; in a long text they are far apart. */
function Steps({ bits, what, editor }: StepsProps) {
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
