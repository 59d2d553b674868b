/**
 * Explains a selection: what a line of source became, or where a line of a text came from, call by call.
 *
 * In: the highlights.  Out: sentences, with links to the lines that they name.
 * Must never: leave a selection unexplained; if the compiler recorded no source line, this says so.
 */

import { LinkButton } from "../parts/buttons.tsx";
import { Term } from "../parts/term.tsx";
import type { Links } from "../schema.ts";
import { count, grouped } from "../words/numbers.ts";
import { entriesOf, framesOf, type Highlights, type Selection } from "./highlights.ts";
import { nameText, TEXTS } from "./place.ts";
import type { Source } from "./source.ts";
import { namePlace } from "./work.ts";

interface Props {
  links: Links;
  source: Source;
  selection: Selection | null;
  highlights: Highlights | null;
  /** Goes to a line of the source, by file and line. */
  onGo(file: number, line: number): void;
}

const MOST_STACKS = 8;
const NOTHING =
  "JAX attributes no operation to this line. It may attribute inlined code and backward rules to the call instead.";

export function Explanation({ links, source, selection, highlights, onGo }: Props) {
  return (
    <div class="jitviz-explanation">
      <div class="jitviz-explanation-words" role="status">
        {!selection || !highlights ? (
          <p class="jitviz-faint">
            Lines of one colour belong together: a line of the source, and what it became. Select a line or an
            expression to follow it.
          </p>
        ) : selection.pane === "source" ? (
          <p>{tellSource(links, source, selection, highlights)}</p>
        ) : (
          <Origin {...{ links, source, selection, highlights, onGo }} />
        )}
      </div>
      <ul class="jitviz-legend" aria-label="Passes">
        <li>
          <span class="jitviz-pass jitviz-forward">▸</span> <Term name="forward pass">forward</Term>
        </li>
        <li>
          <span class="jitviz-pass jitviz-backward">◂</span> <Term name="backward pass">backward</Term>
        </li>
        <li>
          <span class="jitviz-pass jitviz-both">◆</span> both
        </li>
      </ul>
    </div>
  );
}

/** "In [3]:12: 40 equations, 12 of them backward; 31 lines of StableHLO; 9 of HLO" */
export function tellSource(
  links: Links,
  source: Source,
  { from, to, endColumn }: Selection,
  { counts }: Highlights,
): string {
  const place = namePlace(links, source.file[from] ?? -1, source.line[from] ?? 0);
  if (!source.line[from]) return links.files[source.file[from] ?? -1] ?? "";
  const lines = to > from && source.line[to] ? `${place}–${source.line[to]}` : place;
  const what = `${lines}${endColumn >= 0 ? ", this expression" : ""}`;
  if (TEXTS.every((name) => counts[name].all === 0)) return `${what}: ${NOTHING}`;
  const [equations, stablehlo, hlo] = TEXTS.map((name) => counts[name]) as [Count, Count, Count];
  // Each equation is one line; lines that XLA fused, and those of shared functions, belong to several places.
  const parts = [
    `${count(equations.all, "equation")}${tellPasses(equations)}`,
    `${count(stablehlo.all, "line")} of StableHLO${tellPasses(stablehlo)}`,
    `${grouped(hlo.all)} of HLO${tellPasses(hlo)}`,
  ];
  return `${what}: ${parts.join("; ")}`;
}

type Count = Highlights["counts"]["hlo"];

function tellPasses({ all, backward }: Count): string {
  if (backward === 0) return "";
  return backward === all ? ", backward" : `, ${grouped(backward)} of them backward`;
}

function Origin({ selection, highlights, ...rest }: Props & { selection: Selection; highlights: Highlights }) {
  const { stacks, isInserted, isUnplaced } = highlights;
  const place = `${nameText(selection.pane)}, line ${grouped(selection.from + 1)}`;
  const where = selection.to > selection.from ? `${place}–${grouped(selection.to + 1)}` : place;
  const isNone = stacks.length === 0 && !isInserted && !isUnplaced;
  return (
    <>
      <p>
        {where}
        {isNone && ": no operation on this line."}
        {stacks.length === 0 && isInserted && ": inserted or rewritten by the compiler, without a source line."}
        {stacks.length === 0 && isUnplaced && !isInserted && ": the compiler kept no source line for it."}
        {stacks.length === 1 && " came from"}
        {stacks.length > 1 && `: combines operations from ${grouped(stacks.length)} places in the source`}
        {stacks.length > 0 && isInserted && "; some of it was inserted or rewritten by the compiler"}
      </p>
      {stacks.length > 0 && (
        <ul class="jitviz-origins">
          {stacks.slice(0, MOST_STACKS).map((stack) => (
            <li key={stack}>
              <Crumbs {...rest} stack={stack} />
            </li>
          ))}
          {stacks.length > MOST_STACKS && <li class="jitviz-faint">{grouped(stacks.length - MOST_STACKS)} more</li>}
        </ul>
      )}
    </>
  );
}

/** A call stack, outermost first; each step leads to its line, if that is in the source pane. */
function Crumbs({ links, source, stack, onGo }: Pick<Props, "links" | "source" | "onGo"> & { stack: number }) {
  const { frames, functions } = links;
  const steps = framesOf(links, stack);
  return (
    <ol class="jitviz-crumbs" aria-label="Call stack">
      {steps.map((frame, index) => {
        const [file, line] = [frames.file[frame] ?? -1, frames.line[frame] ?? 0];
        return (
          <li key={index}>
            <SourceLink {...{ links, source, file, line, onGo }} isHere={index === steps.length - 1} />{" "}
            <code class="jitviz-faint">{functions[frames.function[frame] ?? -1]}</code>
          </li>
        );
      })}
    </ol>
  );
}

/** The name stacks of a line, as JAX wrote them: "transpose(jvp(loss))/dot_general". */
export function tellNames(links: Links, selection: Pick<Selection, "pane" | "from" | "to" | "above">): string {
  if (selection.pane === "source") return "";
  const origins = links[selection.pane];
  const names = new Set<string>();
  let isInserted = false;
  for (const entry of entriesOf(origins, selection)) {
    const name = links.names[origins.name[entry] ?? -1];
    if (name) names.add(name);
    else if ((origins.stack[entry] ?? -1) < 0) isInserted = true;
  }
  const words = [...names].slice(0, 4);
  if (names.size > 4) words.push(`${grouped(names.size - 4)} more`);
  if (isInserted) words.push("inserted or rewritten by the compiler");
  return words.join(" · ");
}

interface LinkProps {
  links: Links;
  source: Source;
  file: number;
  line: number;
  /** Whether this is where the reader is. */
  isHere?: boolean;
  onGo(file: number, line: number): void;
}

/** A line of source by name, as a link to it where the source pane shows it. */
export function SourceLink({ links, source, file, line, isHere, onGo }: LinkProps) {
  const name = namePlace(links, file, line);
  if (source.find(file, line) < 0) return name;
  return (
    <LinkButton aria-current={isHere ? "location" : undefined} onClick={() => onGo(file, line)}>
      {name}
    </LinkButton>
  );
}
