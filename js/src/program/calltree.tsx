/**
 * The same by call stack: who called what, and how much came of it.
 *
 * In: `Links` and a measure.  Out: a tree that opens step by step; clicking a step goes to its line.
 * Must never: draw what is not open.
 */

import { useMemo } from "preact/hooks";
import { useKept } from "../kept.ts";
import type { Links } from "../schema.ts";
import { grouped } from "../words.ts";
import { expressionOf } from "./lit.ts";
import type { Source } from "./source.ts";
import { type Measure, nameMeasure, namePlace, sumStacks, tellShare, tellShort } from "./work.ts";

interface Props {
  /** What is kept of it goes by this name. */
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
  const tree = useMemo(() => growTree(links, measure), [links, measure]);
  if (!tree.children.has(-1)) return null;
  return (
    <section class="jitviz-calltree" aria-label="Call stacks">
      <h2>
        By call stack <span class="jitviz-faint">{nameMeasure(measure)}, calls included</span>
      </h2>
      <Steps tree={{ ...props, ...tree, lines }} of={-1} />
    </section>
  );
}

function growTree(links: Links, measure: Measure): Pick<Tree, "sums" | "children"> {
  const sums = sumStacks(links, measure);
  const children = new Map<number, number[]>();
  for (let stack = 0; stack < sums.length; stack += 1) {
    if (!sums[stack]) continue;
    const parent = links.stacks.parent[stack] ?? -1;
    const siblings = children.get(parent);
    if (siblings) siblings.push(stack);
    else children.set(parent, [stack]);
  }
  for (const siblings of children.values()) siblings.sort((a, b) => (sums[b] ?? 0) - (sums[a] ?? 0));
  return { sums, children };
}

function Steps({ tree, of }: { tree: Tree; of: number }) {
  const [isAll, setAll] = useKept(`${tree.name} all ${of}`, () => false);
  const steps = tree.children.get(of) ?? [];
  return (
    <ul>
      {steps.slice(0, isAll ? steps.length : MOST).map((stack) => (
        <Step key={stack} tree={tree} stack={stack} isOpenAtFirst={steps.length === 1} />
      ))}
      {steps.length > MOST && !isAll && (
        <li>
          <button type="button" class="jitviz-link" onClick={() => setAll(true)}>
            {grouped(steps.length - MOST)} more
          </button>
        </li>
      )}
    </ul>
  );
}

function Step({ tree, stack, isOpenAtFirst }: { tree: Tree; stack: number; isOpenAtFirst: boolean }) {
  const [isOpen, setOpen] = useKept(`${tree.name} ${stack}`, () => isOpenAtFirst);
  const { links, source, measure, sums, children, onGo } = tree;
  const frame = links.stacks.frame[stack] ?? -1;
  const [file, line] = [links.frames.file[frame] ?? -1, links.frames.line[frame] ?? 0];
  const place = namePlace(links, file, line);
  const amount = sums[stack] ?? 0;
  return (
    <li>
      <div class="jitviz-step">
        {children.has(stack) ? (
          <button
            type="button"
            class="jitviz-tool jitviz-opener"
            aria-expanded={isOpen}
            aria-label={`calls at ${place}`}
            onClick={() => setOpen(!isOpen)}
          >
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d={isOpen ? "M4 6l4 4l4-4" : "M6 4l4 4l-4 4"} />
            </svg>
          </button>
        ) : (
          <span class="jitviz-opener" />
        )}
        <span class="jitviz-step-heat" title={tellShare(links, measure, amount)}>
          <span style={{ width: `${(100 * amount) / (links[measure] || 1)}%` }} />
          <b>{tellShort(amount)}</b>
        </span>
        {source.find(file, line) < 0 ? (
          place
        ) : (
          <button type="button" class="jitviz-link" onClick={() => onGo(file, line)}>
            {place}
          </button>
        )}
        <code class="jitviz-faint">{links.functions[links.frames.function[frame] ?? -1]}</code>
        <code class="jitviz-step-words">{wordsOf(tree, frame)}</code>
      </div>
      {isOpen && children.has(stack) && <Steps tree={tree} of={stack} />}
    </li>
  );
}

/** The expression of a frame, which tells several calls on one line apart; of one that goes on, its first line. */
function wordsOf({ links, source, lines }: Tree, frame: number): string {
  const [found] = expressionOf(links, source, frame);
  if (!found) return "";
  const isWhole = found.line === found.endLine;
  return (lines[found.line] ?? "").slice(found.column, isWhole ? found.endColumn : undefined) + (isWhole ? "" : " …");
}
