/**
 * The work by call stack: who called what, and how much work it made.
 *
 * In: `Links` and a measure.  Out: a tree that opens step by step; clicking a step goes to its line.
 */

import { useMemo } from "preact/hooks";
import { Sign } from "../parts/buttons.tsx";
import { useLongList } from "../parts/long_list.tsx";
import type { Links } from "../schema.ts";
import { usePanelState } from "../state/panel_state.ts";
import { SourceLink } from "./explanation.tsx";
import { expressionOf } from "./highlights.ts";
import type { Source } from "./source.ts";
import { growStacks, type Measure, nameMeasure, namePlace, tellShare, tellShort } from "./work.ts";

interface Props {
  /** Its state is kept under this name. */
  name: string;
  links: Links;
  source: Source;
  measure: Measure;
  onGo(file: number, line: number): void;
}

interface Tree extends Props {
  lines: readonly string[];
  sums: Float64Array;
  children: Map<number, number[]>;
}

const MOST = 12;

export function CallTree(props: Props) {
  const { links, source, measure } = props;
  const lines = useMemo(() => source.text.split("\n"), [source]);
  const tree = useMemo(() => growStacks(links, measure), [links, measure]);
  if (!tree.children.has(-1)) return null;
  return (
    <section class="jitviz-calltree">
      <h2>
        By call stack <span class="jitviz-faint">{nameMeasure(measure)}, calls included</span>
      </h2>
      <Steps tree={{ ...props, ...tree, lines }} of={-1} />
    </section>
  );
}

function Steps({ tree, of }: { tree: Tree; of: number }) {
  const steps = tree.children.get(of) ?? [];
  const { shown, more } = useLongList({ items: steps, most: MOST, noun: "step", name: `${tree.name} ${of}` });
  return (
    <ul>
      {shown.map((stack) => (
        <Step key={stack} tree={tree} stack={stack} isOpenAtFirst={steps.length === 1} />
      ))}
      {more && <li>{more}</li>}
    </ul>
  );
}

function Step({ tree, stack, isOpenAtFirst }: { tree: Tree; stack: number; isOpenAtFirst: boolean }) {
  const [isOpen, setOpen] = usePanelState(`${tree.name} ${stack}`, () => isOpenAtFirst);
  const { links, measure, sums, children } = tree;
  const frame = links.stacks.frame[stack] ?? -1;
  const [file, line] = [links.frames.file[frame] ?? -1, links.frames.line[frame] ?? 0];
  const amount = sums[stack] ?? 0;
  return (
    <li>
      <div class="jitviz-step">
        {children.has(stack) ? (
          <button
            type="button"
            class="jitviz-tool jitviz-opener"
            aria-expanded={isOpen}
            aria-label={`calls at ${namePlace(links, file, line)}`}
            onClick={() => setOpen(!isOpen)}
          >
            <Sign name={isOpen ? "down" : "right"} />
          </button>
        ) : (
          <span class="jitviz-opener" />
        )}
        <span class="jitviz-step-heat" title={tellShare(links, measure, amount)}>
          <span style={{ width: `${(100 * amount) / (links[measure] || 1)}%` }} />
          <b>{tellShort(amount)}</b>
        </span>
        <SourceLink {...tree} file={file} line={line} />
        <code class="jitviz-faint">{links.functions[links.frames.function[frame] ?? -1]}</code>
        <code class="jitviz-step-words">{wordsOf(tree, frame)}</code>
      </div>
      {isOpen && children.has(stack) && <Steps tree={tree} of={stack} />}
    </li>
  );
}

/** The expression of a frame, which distinguishes several calls on one line; only its first line if it is longer. */
function wordsOf({ links, source, lines }: Tree, frame: number): string {
  const [place] = expressionOf(links, source, frame);
  if (!place) return "";
  const isWhole = place.line === place.endLine;
  return (lines[place.line] ?? "").slice(place.column, isWhole ? place.endColumn : undefined) + (isWhole ? "" : " …");
}
