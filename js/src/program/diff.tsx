/**
 * Two programs compared: their differences in words, and side by side.
 *
 * In: a version to begin with.  Out: its text beside that of another version, of this function or another one.
 * Must never: compare the texts itself; Python finds the hunks, and ignores the names of variables.
 */

import { useEffect, useRef, useState } from "preact/hooks";
import { AnswerStatus } from "../parts/answer_status.tsx";
import { StepButtons } from "../parts/buttons.tsx";
import { Segments } from "../parts/segments.tsx";
import type { Difference, ListingName, Panel } from "../schema.ts";
import { useAnswer } from "../state/answers.ts";
import { namePicked, type Picked, versionsIn } from "../state/choice.ts";
import { usePanelState } from "../state/panel_state.ts";
import { count } from "../words/numbers.ts";
import type { Merge } from "./editor/merge.ts";
import { useCodeMirror } from "./pane.tsx";
import { hasTexts, VersionPicker } from "./picker.tsx";
import { nameText, TEXTS } from "./place.ts";

interface Props {
  panel: Panel;
  picked: Picked;
  name: ListingName;
  onText(name: ListingName): void;
}

export function Diff({ panel, picked, name, onText }: Props) {
  const { index } = picked.version;
  const [other, setOther] = usePanelState<Picked | null>(`diff from, at ${index}`, () => null);
  const [after, setAfter] = usePanelState<Picked>(`diff to, at ${index}`, () => picked);
  const [isCollapsed, setCollapsed] = usePanelState("diff of what changed", () => true);
  const before = other ?? versionBefore(panel, after);
  return (
    <div class="jitviz-diff">
      <div class="jitviz-bar">
        <span class="jitviz-tools">
          <VersionPicker panel={panel} label="from" picked={before} onPick={setOther} />
          <VersionPicker panel={panel} label="to" picked={after} onPick={setAfter} />
        </span>
        <span class="jitviz-tools">
          <Segments label="Text" items={TEXTS} chosen={name} nameItem={nameText} onChoose={onText} />
          <button type="button" aria-pressed={!isCollapsed} onClick={() => setCollapsed(!isCollapsed)}>
            all lines
          </button>
        </span>
      </div>
      {before ? (
        <Compared
          key={`${before.version.index} ${after.version.index} ${name} ${isCollapsed}`}
          {...{ before, after, name, isCollapsed }}
        />
      ) : (
        <p class="jitviz-faint">There is only one version. Choose another function to compare it with.</p>
      )}
    </div>
  );
}

/** The version that its reasons compare with, else the one before, else any other one, of its function before others. */
function versionBefore(panel: Panel, { home, version }: Picked): Picked | null {
  const others = home.versions.filter((other) => hasTexts(other) && other.index !== version.index);
  const compared = others.find(({ index }) => index === version.compared_with);
  const near = compared ?? others.findLast(({ index }) => index < version.index) ?? others[0];
  if (near) return { home, version: near };
  return (
    versionsIn(panel.functions).find((other) => hasTexts(other.version) && other.version.index !== version.index) ??
    null
  );
}

interface ComparedProps {
  before: Picked;
  after: Picked;
  name: ListingName;
  isCollapsed: boolean;
}

function Compared({ before, after, name, isCollapsed }: ComparedProps) {
  const codeMirror = useCodeMirror();
  const numbers = { before: before.version.index, after: after.version.index };
  const key = `difference ${numbers.before} ${numbers.after} ${name}`;
  const answer = useAnswer("difference", { ...numbers, name }, key);
  const left = useText(numbers.before, name);
  const right = useText(numbers.after, name);
  const box = useRef<HTMLDivElement>(null);
  const [stood] = usePanelState(`${key} ${isCollapsed} place`, () => ({ top: 0 }));
  const [merge, setMerge] = useState<Merge | null>(null);
  const isReady = [codeMirror, answer, left, right].every(({ state }) => state === "done");
  useEffect(() => {
    if (codeMirror.state !== "done" || answer.state !== "done" || left.state !== "done" || right.state !== "done")
      return;
    if (!box.current) return;
    const opened = codeMirror.value.openMerge({
      parent: box.current,
      name,
      before: left.value.text,
      after: right.value.text,
      labels: [before, after].map((picked) => `${nameText(name)} of ${namePicked(picked)}`) as [string, string],
      hunks: answer.value.hunks,
      isCollapsed,
      top: stood.top,
      onScroll(top) {
        stood.top = top;
      },
    });
    setMerge(opened);
    return () => opened.destroy();
  }, [isReady]);
  return (
    <>
      {[answer, left, right, codeMirror].map((one, index) => (
        <AnswerStatus key={index} answer={one} what="the comparison" />
      ))}
      {answer.state === "done" && <Summary difference={answer.value} merge={merge} />}
      {isReady && (
        <div class="jitviz-diff-heads" aria-hidden="true">
          <b>{namePicked(before)}</b>
          <b>{namePicked(after)}</b>
        </div>
      )}
      <div class="jitviz-merge" ref={box} />
    </>
  );
}

function useText(compile: number, name: ListingName) {
  return useAnswer("listing", { compile, name }, `listing ${compile} ${name}`);
}

function Summary({ difference, merge }: { difference: Difference; merge: Merge | null }) {
  const n = difference.hunks.before.length;
  return (
    <div class="jitviz-summary">
      <ul>
        {difference.summary.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <span class="jitviz-tools">
        <span class="jitviz-faint">{n ? count(n, "hunk") : "no difference"}</span>
        <StepButtons of="hunk" isDisabled={!merge || !n} onStep={(step) => merge?.step(step)} />
      </span>
    </div>
  );
}
