/**
 * The texts of one program beside its source, linked line by line.
 *
 * In: a version.  Out: panes whose linked lines are highlighted together.
 * Must never: let one text wait for another, or for the links.
 */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { AnswerStatus } from "../parts/answer_status.tsx";
import type { Links, ListingName } from "../schema.ts";
import { type Answer, useAnswer } from "../state/answers.ts";
import { namePicked, type Picked } from "../state/choice.ts";
import { usePanelState } from "../state/panel_state.ts";
import { CallTree } from "./call_tree.tsx";
import { Explanation, tellNames } from "./explanation.tsx";
import { bandsOf, type Highlights, highlight, type Selection, wholeLine } from "./highlights.ts";
import { Hottest } from "./hottest.tsx";
import { type CodeMirror, Pane, useCodeMirror } from "./pane.tsx";
import { nameText, type PaneName, type Place, panesOf } from "./place.ts";
import { beginOfSource, beginOfText, joinSource, type Source } from "./source.ts";
import { heatsOf, MEASURES, type Measure, nameMeasure } from "./work.ts";

interface Props extends Picked {
  place: Place;
  selection: Selection | null;
  onSelect(selection: Selection): void;
  onPlace(place: Place): void;
}

/** A line of the source of a version that is to be shown. */
export interface Goal {
  index: number;
  source: string;
}

const ENDINGS: Record<ListingName, string> = { jaxpr: "jaxpr", stablehlo: "mlir", hlo: "hlo" };

export function Reading({ home, version, place, selection, onSelect, onPlace }: Props) {
  const codeMirror = useCodeMirror();
  const key = `links ${version.index} ${version.status}`;
  const answer = useAnswer("links", { compile: version.index }, key);
  const links = answer.state === "done" ? answer.value : null;
  const source = useMemo(() => (links ? joinSource(links) : null), [links]);
  const bands = useMemo(() => (links && source ? bandsOf(links, source) : null), [links, source]);
  const { measure } = place;
  const setMeasure = (next: Measure) => onPlace({ ...place, measure: next });
  // Until something is selected, the line under the pointer is highlighted.
  const [hovered, setHovered] = useState<Selection | null>(null);
  const shown = selection ?? hovered;
  const highlights = useMemo(
    () => (links && source && shown ? highlight(links, source, shown) : null),
    [links, source, shown],
  );
  const goToSource = (file: number, line: number) => {
    const at = source?.find(file, line) ?? -1;
    if (at < 0) return;
    onSelect(wholeLine("source", at));
    if (!panesOf(place).includes("source")) onPlace({ ...place, pane: "source" });
  };
  const [goal, setGoal] = usePanelState<Goal | null>("program goal", () => null);
  useEffect(() => {
    const [, file = "", line = ""] = /^(.*):(\d+)$/.exec(goal?.source ?? "") ?? [];
    if (!links || goal?.index !== version.index) return;
    goToSource(links.files.indexOf(file), Number(line));
    setGoal(null);
  }, [goal, links]);
  // Without links there is no source to show beside a text.
  const isAlone = answer.state === "refused" && place.layout !== "single";
  const panes = panesOf(place).filter((pane) => !isAlone || pane !== "source");
  const useText = (name: ListingName) => {
    const isShown = panes.includes(name) && version.listings.some((listing) => listing.name === name);
    const key = isShown ? `listing ${version.index} ${name}` : "";
    return useAnswer("listing", { compile: version.index, name }, key);
  };
  const texts = { jaxpr: useText("jaxpr"), stablehlo: useText("stablehlo"), hlo: useText("hlo") };
  const hasText = Object.values(texts).some(({ state }) => state === "done");
  const onHover = (pane: PaneName, line: number) => setHovered(line < 0 ? null : wholeLine(pane, line));
  const shared = { name: `text ${version.index}`, home, version, codeMirror, bands, highlights, selection, onSelect };
  return (
    <div class="jitviz-reading">
      {links && source ? (
        <>
          <Explanation links={links} source={source} selection={selection} highlights={highlights} onGo={goToSource} />
          {links.note && <p class="jitviz-faint">{links.note}</p>}
        </>
      ) : (
        <AnswerStatus
          answer={answer}
          what="the linking of texts and source"
          instead={hasText ? "The texts are not linked to the source." : ""}
        />
      )}
      <AnswerStatus answer={codeMirror} what="the editor" instead={hasText ? "The texts are plain." : ""} />
      <div class={`jitviz-panes jitviz-panes-${panes.length}`}>
        {panes.map((pane) =>
          pane === "source" ? (
            <SourcePane
              key={pane}
              {...shared}
              onHover={(line) => onHover(pane, line)}
              links={links}
              source={source}
              answer={answer}
              measure={measure}
              onMeasure={setMeasure}
            />
          ) : (
            <TextPane
              key={pane}
              {...shared}
              onHover={(line) => onHover(pane, line)}
              pane={pane}
              links={links}
              answer={texts[pane]}
            />
          ),
        )}
      </div>
      {links && source && (
        <div class="jitviz-origin-of-work">
          <Hottest links={links} source={source} measure={measure} onMeasure={setMeasure} onGo={goToSource} />
          <CallTree
            name={`stacks ${version.index}`}
            links={links}
            source={source}
            measure={measure}
            onGo={goToSource}
          />
        </div>
      )}
    </div>
  );
}

interface PaneProps extends Picked {
  name: string;
  codeMirror: Answer<CodeMirror>;
  bands: Record<PaneName, Uint8Array> | null;
  highlights: Highlights | null;
  selection: Selection | null;
  onSelect(selection: Selection): void;
  onHover(line: number): void;
}

function TextPane({
  pane,
  links,
  answer,
  home,
  version,
  ...rest
}: PaneProps & { pane: ListingName; links: Links | null; answer: Answer<{ text: string }> }) {
  if (answer.state !== "done") {
    return (
      <EmptyPane pane={pane}>
        {answer.state === "none" && `${version.name} has no ${nameText(pane)}.`}
        <AnswerStatus answer={answer} what="the text" />
      </EmptyPane>
    );
  }
  return (
    <Pane
      {...rest}
      pane={pane}
      text={answer.value.text}
      of={namePicked({ home, version })}
      begin={beginOfText(answer.value.text, pane)}
      fileName={`${home.name}.v${version.version}.${ENDINGS[pane]}`}
      tellLine={(line) => (links ? tellNames(links, { pane, from: line, to: line, above: -1 }) : "")}
    />
  );
}

/** A pane without a text, and why. */
function EmptyPane({ pane, children }: { pane: PaneName; children: ComponentChildren }) {
  return (
    <section class={`jitviz-pane jitviz-pane-${pane}`} aria-label={nameText(pane)}>
      <div class="jitviz-pane-head">
        <b>{nameText(pane)}</b>
      </div>
      <div class="jitviz-faint jitviz-pane-none">{children}</div>
    </section>
  );
}

interface SourceProps extends PaneProps {
  links: Links | null;
  source: Source | null;
  answer: Answer<Links>;
  measure: Measure;
  onMeasure(measure: Measure): void;
}

function SourcePane({ links, source, answer, measure, onMeasure, home, version, ...rest }: SourceProps) {
  const heats = useMemo(() => (links && source ? heatsOf(links, source, measure) : []), [links, source, measure]);
  if (!links || !source?.text) {
    return (
      <EmptyPane pane="source">
        {links ? "The source of this program was not recorded." : answer.state === "waiting" && "loading …"}
      </EmptyPane>
    );
  }
  const tellLine = (line: number) => {
    const place = `${links.files[source.file[line] ?? -1]}:${source.line[line]}`;
    return heats[line] ? `${place}: ${heats[line].long}` : "";
  };
  return (
    <Pane
      {...rest}
      pane="source"
      text={source.text}
      of={namePicked({ home, version })}
      begin={beginOfSource(links, source, home.defined_at)}
      fileName={`${home.name}.py`}
      source={source}
      heats={heats}
      tellLine={tellLine}
    >
      <select
        class="jitviz-select"
        aria-label="heat by"
        value={measure}
        onChange={(event) => onMeasure(event.currentTarget.value as Measure)}
      >
        {MEASURES.map((other) => (
          <option key={other} value={other}>
            {nameMeasure(other)}
          </option>
        ))}
      </select>
      {source.headings.length > 1 && (
        <select
          class="jitviz-select"
          aria-label="file"
          value=""
          onChange={(event) => rest.onSelect(wholeLine("source", Number(event.currentTarget.value)))}
        >
          <option value="" disabled>
            {source.headings.length} files
          </option>
          {source.headings.map(({ file, at }) => (
            <option key={at} value={at}>
              {links.files[file]}
            </option>
          ))}
        </select>
      )}
    </Pane>
  );
}
