/**
 * The panel: what could be saved, then the score, then what is worth doing; time, programs and notes have tabs.
 *
 * In: a `Panel`.  Out: everything that is shown of a recording.
 * Must never: forget the user's choice when the recording grows.
 */

import { useMemo, useState } from "preact/hooks";
import { Cells } from "../findings/cells.tsx";
import { Edits } from "../findings/edits.tsx";
import { Findings } from "../findings/findings.tsx";
import { LinkButton } from "../parts/buttons.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { readLine, type Selected, writeLine } from "../program/highlights.ts";
import { FIRST_PLACE, type Place, readPlace, writePlace } from "../program/place.ts";
import { Program } from "../program/program.tsx";
import type { Goal } from "../program/reading.tsx";
import type { ListingName, Panel, Span } from "../schema.ts";
import { ColumnPage } from "../score/column_page.tsx";
import type { Lit } from "../score/grid.tsx";
import { Leaves } from "../score/leaves.tsx";
import { MODES, type Mode, Scores } from "../score/scores.tsx";
import { type Address, readAddress, useAddress } from "../state/address.ts";
import { Calls } from "../state/calls.ts";
import {
  blamedOn,
  type Choice,
  chooseAgain,
  chooseBeside,
  chooseCall,
  chooseColumn,
  chooseCulprit,
  chooseFirst,
  chooseVersion,
  type Picked,
} from "../state/choice.ts";
import { usePanelState } from "../state/panel_state.ts";
import { ZOOM } from "../time/icicle.tsx";
import { cutAccount, type Slice } from "../time/slices.ts";
import { Time } from "../time/time.tsx";
import { callBeside } from "../timeline/nearest.ts";
import { Timeline } from "../timeline/timeline.tsx";
import { growAccount, type Link, Live, type Progress, useClock } from "./live.tsx";
import { hasNotes, Notes } from "./notes.tsx";
import { Bill, Verdict, VerdictNotes } from "./verdict.tsx";

const TITLES = { score: "Score", time: "Time", program: "Program", notes: "Notes" };
type TabName = keyof typeof TITLES;
/** A cell that takes less has no frame, which would only appear and go. */
const FRAMED_S = 1;

interface Props {
  panel: Panel;
  link: Link;
  progress: Progress | null;
  theme: string;
  /** Whether the address of the page is the panel's own. */
  isPage: boolean;
}

export function PanelView({ panel, link, progress, theme, isPage }: Props) {
  const [linked] = useState(() => (isPage ? readAddress(location.hash) : null));
  const [tab, setTab] = useState<TabName>(() => asTab(linked?.tab));
  const [mode, setMode] = usePanelState<Mode>("mode", () => (linked?.tab === "timeline" ? "by time" : MODES[0]));
  const [chosen, setChosen] = useState<Choice | null>(() => (linked ? goTo(new Calls(panel), linked) : null));
  const [place, setPlace] = useState<Place>(() => readPlace(linked?.place ?? "", FIRST_PLACE));
  const [selected, setSelected] = usePanelState<Selected | null>("selected", () => selectedIn(linked, chosen));
  const [, setGoal] = usePanelState<Goal | null>("program goal", () => null);
  const [lit, setLit] = useState<Lit | null>(null);
  const [isWide, setWide] = useState(false);
  const [isBefore, setBefore] = useState(false);
  const [, setZoomed] = usePanelState(ZOOM, () => 0);
  const [, setWhole] = usePanelState("all leaves", () => false);
  const calls = useMemo(() => new Calls(panel), [panel]);
  const shown = useMemo(() => chosen && chooseAgain(calls, chosen), [calls, chosen]);
  const choice = useMemo(() => shown ?? chooseFirst(calls, panel), [calls, shown, panel]);
  const clock = useClock(panel, progress, !panel.is_finished && link === "live");
  const { now } = clock;
  const marked = useMemo(
    () => blamedOn(choice.home, choice.path).map((version) => calls.callOf(version)),
    [calls, choice.home, choice.path],
  );
  const show = (next: Choice | null) => {
    if (!next) return;
    setChosen(next);
    setTab("score");
  };
  const pick = (picked: Picked) => setChosen(chooseVersion(calls, picked));
  const showText = (picked: Picked, pane: ListingName) => {
    pick(picked);
    setPlace({ ...place, view: "code", pane });
    setTab("program");
  };
  const showTrace = (function_: string) => {
    const slices = panel.account ? cutAccount(panel.account) : [];
    const isIts = ({ what, depth, name }: Slice) => what === "trace" && depth === 2 && name.startsWith(function_);
    setZoomed(Math.max(0, slices.findIndex(isIts)));
    setTab("time");
  };
  const showProgram = (compile: number, source: string) => {
    setChosen((old) => chooseCulprit(calls, { compile, path: "" }) ?? old);
    setPlace({ ...place, view: "code" });
    setGoal({ index: compile, source });
    setTab("program");
  };
  const openTab = (name: TabName) => {
    // A reader of a program keeps it when another one is compiled.
    if (name === "program") setChosen((old) => old ?? choice);
    setTab(name);
  };
  const at = {
    tab: tab === "score" && mode === "by time" ? "timeline" : tab,
    call: shown?.call ?? -1,
    leaf: shown?.path ?? "",
    function: shown?.home?.name ?? "",
    place: "",
    line: "",
  };
  if (tab === "program") {
    at.place = writePlace(place);
    if (selected && selected.index === choice.version?.index) at.line = writeLine(selected.selection);
  }
  useAddress(isPage, at, (to) => {
    const next = goTo(calls, to);
    setTab(asTab(to.tab));
    setMode(to.tab === "timeline" ? "by time" : "by call");
    setChosen(next);
    setPlace(readPlace(to.place, place));
    if (to.place) setSelected(selectedIn(to, next));
  });
  const onCulprit = (span: Span) => show(chooseCulprit(calls, span));
  const isEmpty = panel.scores.length === 0 && calls.n === 0 && panel.op_by_op.length === 0;
  // A cell with only hits is one line.
  const isShort = panel.verdict.level === "hits" && panel.is_finished && panel.failures.length === 0 && !isWide;
  // What stands below a panel does not move while it fills in.
  const isFramed = !panel.is_finished && link === "live" && now >= FRAMED_S;
  // What a choice does not change is not drawn again for it.
  const title = useMemo(
    () => (
      <Verdict panel={panel} onCulprit={onCulprit} isBefore={isBefore} onBefore={() => setBefore(!isBefore)}>
        {isShort && (
          <LinkButton class="jitviz-link jitviz-more" onClick={() => setWide(true)}>
            show the score
          </LinkButton>
        )}
      </Verdict>
    ),
    [calls, isShort, isBefore],
  );
  const live = <Live calls={calls} clock={clock} link={link} progress={progress} />;
  const bill = useMemo(
    () =>
      panel.account && (
        <Bill panel={panel} account={growAccount(calls, panel.account, now, progress)} onMore={() => setTab("time")} />
      ),
    [calls, now],
  );
  const timeline = mode === "by time" && (
    <Timeline
      calls={calls}
      chosen={choice.call}
      marked={marked}
      now={now}
      theme={theme}
      onChoose={(call) => setChosen(chooseBeside(calls, choice, call))}
    />
  );
  const below = useMemo(
    () => (
      <>
        <Findings
          panel={panel}
          onCulprit={onCulprit}
          onLight={setLit}
          onCompile={(compile, path) => show(chooseCulprit(calls, { compile, path }))}
          onProgram={showProgram}
          onTrace={showTrace}
        />
        <VerdictNotes notes={panel.verdict.notes} />
        <Cells cells={panel.cells} findings={panel.findings} />
      </>
    ),
    [calls, place],
  );
  const paged = mode === "by time" ? choice : shown;
  const page = paged && (
    <ColumnPage
      calls={calls}
      choice={paged}
      leaves={<Leaves calls={calls} choice={paged} onLeaf={(path) => setChosen({ ...paged, path })} />}
      onChoose={setChosen}
      onText={showText}
      onStep={(step) => setChosen(stepFrom(calls, paged, step, mode))}
    />
  );
  const scores = (of: Panel["scores"]) => (
    <Scores
      calls={calls}
      scores={of}
      choice={shown}
      lit={lit}
      mode={mode}
      timeline={timeline}
      page={page}
      onMode={setMode}
      onChoose={setChosen}
      onMore={() => {
        setWhole(true);
        setChosen((old) => old ?? choice);
      }}
    />
  );
  const names = (Object.keys(TITLES) as TabName[]).filter((name) => name !== "notes" || hasNotes(panel));
  const titles = Object.fromEntries(names.map((name) => [name, TITLES[name]])) as Record<TabName, string>;
  // A page may have several panels, so each has its cells in its name.
  return (
    <section class={isFramed ? "jitviz-frame" : ""} aria-label={["jitviz", panel.label].filter(Boolean).join(" of ")}>
      {isEmpty || isShort ? (
        <>
          {title}
          {live}
          <VerdictNotes notes={panel.verdict.notes} />
          {isEmpty && <Notes panel={{ ...panel, made_with: "" }} />}
        </>
      ) : (
        <Tabs
          titles={titles}
          badges={{ notes: panel.failures.length + panel.n_more_failures }}
          chosen={tab}
          before={title}
          after={
            <>
              {live}
              {bill}
            </>
          }
          isHeadSmall={tab !== "score"}
          onChoose={openTab}
        >
          {tab === "score" && (
            <Edits>
              {isBefore && <Before panel={panel} calls={calls} />}
              {scores(panel.scores)}
              {below}
            </Edits>
          )}
          {tab === "time" && panel.account && <Time account={panel.account} />}
          {tab === "program" && (
            <Program
              panel={panel}
              choice={choice}
              place={place}
              selected={selected}
              onPlace={setPlace}
              onSelect={setSelected}
              onVersion={pick}
            />
          )}
          {tab === "notes" && <Notes panel={panel} />}
        </Tabs>
      )}
    </section>
  );
}

/** The scores of the last run of the cell, above those of this one. */
function Before({ panel, calls }: { panel: Panel; calls: Calls }) {
  return (
    <div class="jitviz-before">
      <h2>the last run</h2>
      <Scores
        calls={calls}
        scores={panel.last_scores}
        choice={null}
        lit={null}
        mode="by call"
        timeline={null}
        page={null}
        onChoose={() => {}}
        onMore={() => {}}
      />
      <h2>this run</h2>
    </div>
  );
}

/** The column beside, or by the clock the call beside. */
function stepFrom(calls: Calls, from: Choice, step: 1 | -1, mode: Mode): Choice {
  const { score, column, call, path } = from;
  if (mode === "by time" || !score || !column) return chooseBeside(calls, from, callBeside(calls, call, step));
  const next = score.columns[score.columns.indexOf(column) + step] ?? column;
  return chooseColumn(calls, score, next, path);
}

function asTab(name = ""): TabName {
  return Object.hasOwn(TITLES, name) ? (name as TabName) : "score";
}

/** The call of an address, else the newest version of its function, and its leaf; null where the panel has neither. */
function goTo(calls: Calls, { call, leaf, function: name }: Address): Choice | null {
  if (call >= 0 && call < calls.n) return { ...chooseCall(calls, call), path: leaf };
  const home = calls.panel.functions.find((home) => home.name === name);
  const version = home?.versions.at(-1);
  return home && version ? chooseVersion(calls, { home, version }, leaf) : null;
}

function selectedIn(at: Address | null, choice: Choice | null): Selected | null {
  const selection = readLine(at?.line ?? "");
  return selection && choice?.version ? { index: choice.version.index, selection } : null;
}
