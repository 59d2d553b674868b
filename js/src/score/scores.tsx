/**
 * The scores: the most expensive open, the others one line each with their bars; or the same calls by the clock.
 *
 * In: a `Panel` and the chosen column.  Out: a grid for each open score, with the page of its chosen column beneath it.
 */

import type { ComponentChildren } from "preact";
import { Sign } from "../parts/buttons.tsx";
import { useLongList } from "../parts/long_list.tsx";
import { Prose } from "../parts/prose.tsx";
import { Segments } from "../parts/segments.tsx";
import type { Score } from "../schema.ts";
import type { Calls } from "../state/calls.ts";
import { type Choice, chooseColumn } from "../state/choice.ts";
import { usePanelState } from "../state/panel_state.ts";
import { Bar, longest } from "./bars.tsx";
import { Grid, type Lit, labelPx } from "./grid.tsx";

const FEW_BARS = 48; // of a folded score
const FEW_SCORES = 5;
export const MODES = ["by call", "by time"] as const;
export type Mode = (typeof MODES)[number];

interface Props {
  calls: Calls;
  scores: readonly Score[];
  /** Null before anyone chose. */
  choice: Choice | null;
  lit: Lit | null;
  mode: Mode;
  /** The calls by the clock. */
  timeline: ComponentChildren;
  /** Beneath the grid of the chosen column. */
  page: ComponentChildren;
  /** Missing where there is nothing to switch to. */
  onMode?(mode: Mode): void;
  onChoose(choice: Choice | null): void;
  onMore(): void;
}

export function Scores(props: Props) {
  const { calls, scores, choice, mode, page } = props;
  const [open, setOpen] = usePanelState<ReadonlyMap<string, boolean>>("open scores", () => new Map());
  const isOpen = (score: Score, place: number) =>
    open.get(keyOf(score)) ?? (place === 0 || (choice?.score === score && choice.column !== null));
  const functions = scores.filter(({ place }) => place >= 0);
  const { shown, more } = useLongList({
    items: functions,
    most: FEW_SCORES,
    noun: "function",
    name: "scores",
    nMore: calls.panel.n_more_scores,
    sought: choice?.score ? functions.indexOf(choice.score) : -1,
  });
  const { onMode } = props;
  const switcher = onMode && calls.n > 0 && (
    <Segments label="Calls in order, or by the clock" items={MODES} chosen={mode} onChoose={onMode} />
  );
  if (mode === "by time") {
    return (
      <>
        <div class="jitviz-bar">{switcher}</div>
        {props.timeline}
        {page}
      </>
    );
  }
  const blamed = calls.panel.raised ? [calls.panel.raised.path, ...calls.panel.raised.also].filter(Boolean) : [];
  const isHere = (score: Score) => choice?.score === score;
  const label = Math.max(0, ...scores.map((score, place) => labelPx(score, place === 0)));
  const draw = (score: Score) => {
    const place = scores.indexOf(score);
    const isWide = isOpen(score, place);
    const turn = () => setOpen(new Map(open).set(keyOf(score), !isWide));
    if (!isWide) return <Folded key={keyOf(score)} score={score} onOpen={turn} />;
    return (
      <div key={keyOf(score)} class="jitviz-scored">
        <Grid
          score={score}
          name={`score ${keyOf(score)}`}
          chosen={isHere(score) && choice?.column ? score.columns.indexOf(choice.column) : -1}
          path={isHere(score) ? (choice?.path ?? "") : ""}
          lit={props.lit}
          raised={blamed}
          corner={place === 0 && switcher}
          title={
            place > 0 && (
              <button type="button" class="jitviz-unfold" aria-expanded onClick={turn}>
                <Sign name="down" />
                <code>{score.function}</code>
              </button>
            )
          }
          onChoose={(column, path) =>
            props.onChoose(column < 0 && !path ? null : chooseColumn(calls, score, score.columns[column] ?? null, path))
          }
          onMore={props.onMore}
        />
        {score.note && (
          <p class="jitviz-small jitviz-faint">
            <Prose text={score.note} />
          </p>
        )}
        {isHere(score) && page}
      </div>
    );
  };
  return (
    <div style={{ "--jitviz-label": `min(${label}px, 34cqw)` }}>
      {shown.map(draw)}
      {more}
      {scores.filter(({ place }) => place < 0).map(draw)}
    </div>
  );
}

function keyOf({ function: name, place }: Score): string {
  return `${place} ${name}`;
}

/** A score as one line: its bars, and what is told of it. */
function Folded({ score, onOpen }: { score: Score; onOpen(): void }) {
  const { columns, told } = score;
  const most = longest(columns);
  return (
    <div class="jitviz-folded">
      <button
        type="button"
        class="jitviz-unfold"
        aria-expanded={false}
        aria-label={`${score.function}: ${told}`}
        onClick={onOpen}
      >
        <Sign name="right" />
        <code>{score.function}</code>
      </button>
      <span class="jitviz-mini" aria-hidden="true">
        {columns.slice(0, FEW_BARS).map((column, place) => (
          <span key={place} class={`jitviz-mini-${column.kind}`}>
            <Bar column={column} share={column.seconds / most} />
          </span>
        ))}
      </span>
      <span class="jitviz-faint jitviz-small">
        <Prose text={told} />
      </span>
    </div>
  );
}
