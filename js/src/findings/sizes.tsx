/**
 * Sizes as an instrument: how many calls came with each size, and lines that can be moved; every call is padded up to the
 * next line. Compiles, padding, seconds and the code to paste follow.
 *
 * In: a finding with a plan.  Out: a picture whose lines are dragged, or moved by arrow keys; + adds one, Delete removes it.
 * Must never: let the last line be below the largest size, or promise what the plan does not know.
 */

import { useRef } from "preact/hooks";
import { CopyText } from "../parts/buttons.tsx";
import { onKeys } from "../parts/keys.ts";
import { Code } from "../parts/prose.tsx";
import { percent } from "../program/work.ts";
import type { FindingView, PlanView } from "../schema.ts";
import { usePanelState } from "../state/panel_state.ts";
import { count, seconds } from "../words/numbers.ts";

const WIDTH = 1000;
const HEIGHT = 132;
const FLOOR = 112;
const SIDE = 20;

/** What a choice of sizes comes to. */
export interface Outcome {
  compiles: number;
  /** Elements added per element. */
  padding: number;
  saved_s: number;
}

/** Pads each call up to the next line: the first of a group with a size compiles, and the seconds of the others are saved. */
function padTo(lines: readonly number[], plan: PlanView): Outcome {
  const programs = new Set<string>();
  const here = Array.from(plan.seconds).filter((spent) => spent >= 0).length;
  let [compiles, whole, extra, saved_s] = [plan.compiles - here, 0, 0, 0];
  for (const [at, size] of Array.from(plan.size).entries()) {
    const line = lines.find((one) => one >= size) ?? size;
    const program = `${plan.group[at]} ${line}`;
    const spent = plan.seconds[at] ?? -1;
    if (spent >= 0 && programs.has(program)) saved_s += spent;
    else if (spent >= 0) compiles += 1;
    programs.add(program);
    whole += (plan.calls[at] ?? 0) * size;
    extra += (plan.calls[at] ?? 0) * (line - size);
  }
  return { compiles, padding: whole ? extra / whole : 0, saved_s };
}

/** How many calls came with each size, by size. */
function countCalls({ size, calls }: PlanView): [number, number][] {
  const counts = new Map<number, number>();
  for (const [at, one] of Array.from(size).entries()) counts.set(one, (counts.get(one) ?? 0) + (calls[at] ?? 0));
  return [...counts].sort(([a], [b]) => a - b);
}

function codeFor(lines: readonly number[], code: string): string {
  return code.replace(/^SIZES = .*$/m, `SIZES = (${lines.join(", ")}${lines.length === 1 ? "," : ""})`);
}

interface Props {
  finding: FindingView;
  plan: PlanView;
  /** Its state is kept under this name. */
  name: string;
}

export function Sizes({ finding, plan, name }: Props) {
  const came = countCalls(plan);
  const [least, most] = [came[0]?.[0] ?? 1, came.at(-1)?.[0] ?? 1];
  const best = finding.choices.find(({ is_best }) => is_best) ?? finding.choices[0];
  const [lines, setLines] = usePanelState<readonly number[]>(`lines of ${name}`, () =>
    Array.from(best?.lines ?? [most]),
  );
  const picture = useRef<SVGSVGElement>(null);
  const tallest = Math.max(...came.map(([, calls]) => calls), 1);
  const room = (WIDTH - 2 * SIDE) / (most - least + 1);
  const x = (size: number) => SIDE + (size - least + 0.5) * room;
  const put = (next: readonly number[]) =>
    setLines([...new Set([...next.filter((line) => line < most), Math.max(most, ...next)])].sort((a, b) => a - b));
  const move = (place: number, to: number) => {
    const line = Math.round(place === lines.length - 1 ? Math.max(most, to) : Math.min(Math.max(to, least), most - 1));
    put(lines.map((old, at) => (at === place ? line : old)));
  };
  const drag = (place: number) => (event: PointerEvent) => {
    const box = picture.current?.getBoundingClientRect();
    if (!box) return;
    event.preventDefault();
    (event.currentTarget as SVGElement).focus();
    const watch = new AbortController();
    const follow = ({ clientX }: PointerEvent) =>
      move(place, least - 0.5 + (((clientX - box.left) / box.width) * WIDTH - SIDE) / room);
    addEventListener("pointermove", follow, { signal: watch.signal });
    addEventListener("pointerup", () => watch.abort(), { signal: watch.signal });
  };
  const { compiles, padding, saved_s } = padTo(lines, plan);
  const code = codeFor(lines, finding.code || best?.code || "");
  return (
    <div class="jitviz-sizes">
      <svg ref={picture} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-label="calls by size, with lines to pad to">
        {lines.map((line, place) => {
          const from = place > 0 ? x(lines[place - 1] ?? 0) : SIDE;
          return (
            <rect
              key={line}
              class={place % 2 ? "jitviz-pad jitviz-pad-odd" : "jitviz-pad"}
              x={from}
              y={8}
              width={Math.max(0, x(line) - from)}
              height={FLOOR - 8}
            />
          );
        })}
        {came.map(([size, calls]) => {
          const tall = (calls / tallest) * (FLOOR - 24);
          const wide = Math.min(16, room * 0.7);
          return (
            <rect key={size} class="jitviz-came" x={x(size) - wide / 2} y={FLOOR - tall} width={wide} height={tall}>
              <title>{`${count(calls, "call")} with ${size}`}</title>
            </rect>
          );
        })}
        {lines.map((line, place) => (
          <g
            key={place}
            tabIndex={0}
            role="slider"
            aria-label={`pad to, line ${place + 1} of ${lines.length}`}
            aria-valuemin={least}
            aria-valuemax={most}
            aria-valuenow={line}
            onPointerDown={drag(place)}
            onKeyDown={onKeys({
              ArrowLeft: () => move(place, line - 1),
              ArrowRight: () => move(place, line + 1),
              "+": () => put([...lines, Math.round((line + (lines[place - 1] ?? least)) / 2)]),
              Delete: () => place < lines.length - 1 && put(lines.filter((_, at) => at !== place)),
            })}
          >
            <line x1={x(line)} x2={x(line)} y1={8} y2={FLOOR} />
            <circle cx={x(line)} cy={8} r={7} />
            <text x={x(line)} y={HEIGHT - 4} text-anchor="middle">
              {line}
            </text>
          </g>
        ))}
      </svg>
      <ul class="jitviz-key" aria-live="polite">
        <li>
          compiles{" "}
          <b>
            {plan.compiles} → {compiles}
          </b>
        </li>
        <li>
          saves <b class="jitviz-saved">{seconds(saved_s)}</b>
        </li>
        <li>
          padding <b>{percent(padding)}</b>
        </li>
        <li class="jitviz-faint">drag a line, or move it with ← and →; + adds one, Delete removes it</li>
      </ul>
      <p class="jitviz-tools">
        {finding.choices.map((choice) => (
          <button
            key={choice.name}
            type="button"
            aria-pressed={Array.from(choice.lines).join() === lines.join()}
            onClick={() => put(Array.from(choice.lines))}
          >
            {choice.name}
          </button>
        ))}
        <CopyText text={code}>copy code</CopyText>
      </p>
      <Code text={code} />
    </div>
  );
}
