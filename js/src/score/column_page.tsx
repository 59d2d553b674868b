/**
 * The page of a column: what the call was, why it compiled with both sides and what to do, its program, all of its leaves;
 * of a row, what it was in each call.
 *
 * In: a `Choice`.  Out: what stands beneath the score.
 */

import type { ComponentChildren } from "preact";
import { GLOSSARY } from "../glossary.ts";
import { Reasons } from "../panel/reasons.tsx";
import { AnswerStatus } from "../parts/answer_status.tsx";
import { CopyButton, LinkButton } from "../parts/buttons.tsx";
import { Prose } from "../parts/prose.tsx";
import { Term, type TermName } from "../parts/term.tsx";
import { nameText } from "../program/place.ts";
import type { FunctionView, ListingName, Score, ScoreColumn } from "../schema.ts";
import { useAnswer } from "../state/answers.ts";
import type { Calls } from "../state/calls.ts";
import { type Choice, chooseColumn, hasCompile, type Picked } from "../state/choice.ts";
import { usePanelState } from "../state/panel_state.ts";
import { atLeast, count, seconds } from "../words/numbers.ts";
import { tellCall } from "../words/phrases.ts";
import { Grid } from "./grid.tsx";
import { rowOfPath } from "./looks.ts";

interface Props {
  calls: Calls;
  choice: Choice;
  /** Every leaf of the call, shown on request. */
  leaves: ComponentChildren;
  onChoose(choice: Choice | null): void;
  onText(picked: Picked, name: ListingName): void;
  /** To the call or column before, or after. */
  onStep(step: 1 | -1): void;
}

export function ColumnPage({ calls, choice, leaves, onChoose, onText, onStep }: Props) {
  const { score, column, path, home, version } = choice;
  const [isWhole, setWhole] = usePanelState("all leaves", () => false);
  if (!score && choice.call < 0 && !home) return null;
  const go = (next: ScoreColumn) => score && onChoose(chooseColumn(calls, score, next, path));
  const label = column?.label ?? (choice.call >= 0 ? tellCall(calls, choice.call) : path);
  const isCall = column !== null || choice.call >= 0 || version !== null;
  const compiler =
    score &&
    column &&
    column.compiles.length === 0 &&
    version &&
    score.columns.find((one) => hasCompile(one, version.index));
  return (
    <div class="jitviz-page">
      <div class="jitviz-bar">
        <h2>
          {home && isCall && <code>{home.name}</code>} {label}
          {column?.source && (
            <span class="jitviz-faint">
              {" "}
              at <code>{column.source}</code>
            </span>
          )}
          {column?.thread && <span class="jitviz-faint"> in {column.thread}</span>}
          {column?.marks
            .filter((mark) => !column.label.includes(mark))
            .map((mark) => (
              <Mark key={mark} name={mark} />
            ))}
        </h2>
        <span class="jitviz-tools">
          <button type="button" aria-label="previous call" onClick={() => onStep(-1)}>
            ←
          </button>
          <button type="button" aria-label="next call" onClick={() => onStep(1)}>
            →
          </button>
          <button type="button" aria-label="close" title="close (Escape)" onClick={() => onChoose(null)}>
            ✕
          </button>
        </span>
      </div>
      {path && score && <LeafLine score={score} path={path} onColumn={go} />}
      {column?.error && (
        <p class="jitviz-failed">
          <Prose text={column.error} />
        </p>
      )}
      {compiler && (
        <p class="jitviz-faint">
          It ran what <LinkButton onClick={() => go(compiler)}>{compiler.label.split(":")[0]}</LinkButton> compiled.
        </p>
      )}
      {column && !column.is_known && home?.unknown_version && (
        <p class="jitviz-faint">It ran {home.unknown_version}: which one is not known.</p>
      )}
      {column?.kind === "many" && <Each calls={calls} choice={choice} column={column} onChoose={onChoose} />}
      {home && version && !version.is_before && (!column || column.compiles.length > 0) && (
        <Reasons
          version={version}
          hits={atLeast(version.hits, home.hits_seen)}
          onLeaf={(leaf) => onChoose({ ...choice, path: leaf })}
        />
      )}
      {score && score.place < 0 && <Programs calls={calls} source={column?.source ?? ""} />}
      {isCall && score?.place !== -1 && (
        <p class="jitviz-tools">
          {home &&
            version?.listings.map(({ name, n_lines }) => (
              <button
                key={name}
                type="button"
                aria-label={`${nameText(name)} of ${version.name}`}
                title={count(n_lines, "line")}
                onClick={() => onText({ home, version }, name)}
              >
                {nameText(name)}
              </button>
            ))}
          <button type="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            all leaves of this call
          </button>
        </p>
      )}
      {isCall && isWhole && leaves}
      {home && isCall && <AboutFunction home={home} />}
    </div>
  );
}

function Mark({ name }: { name: string }) {
  return <span class="jitviz-tag">{Object.hasOwn(GLOSSARY, name) ? <Term name={name as TermName} /> : name}</span>;
}

/** A leaf through all calls: what it was, and where it changed. */
function LeafLine({ score, path, onColumn }: { score: Score; path: string; onColumn(column: ScoreColumn): void }) {
  const row = score.rows[rowOfPath(score, path)];
  if (!row)
    return (
      <p>
        <code>{path}</code>
      </p>
    );
  return (
    <p class="jitviz-leaf-line">
      <code>{row.path}</code> <CopyButton text={row.path} what="the path" />{" "}
      <code class="jitviz-faint">{row.type}</code>{" "}
      {row.marks.map((mark) => (
        <Mark key={mark} name={mark} />
      ))}
      {row.cells
        .filter(({ told, text, column }) => told || text || column === 0)
        .map(({ column, told, text, role, is_cause }) => {
          const of = score.columns[column];
          return (
            of && (
              <span key={column}>
                <LinkButton onClick={() => onColumn(of)}>{of.label.split(":")[0]}</LinkButton>:{" "}
                <code>{told || text || role}</code>
                {is_cause && <span class="jitviz-faint">, made it compile</span>}
              </span>
            )
          );
        })}
    </p>
  );
}

/** Each call of a column that stands for several. */
function Each({
  calls,
  choice,
  column,
  onChoose,
}: { calls: Calls; choice: Choice; column: ScoreColumn } & Pick<Props, "onChoose">) {
  const [open, setOpen] = usePanelState("call of many", () => ({ key: "", at: -1 }));
  const { first, last } = column;
  const key = `score ${choice.score?.place} ${first} ${last}`;
  const answer = useAnswer("score", { function: choice.score?.place ?? -1, first, last, under: null }, key);
  if (answer.state !== "done") return <AnswerStatus answer={answer} what="each of these calls" />;
  const score = answer.value;
  const at = open.key === key ? open.at : -1;
  const inner = score.columns[at];
  return (
    <>
      <Grid score={score} name={key} chosen={at} path={choice.path} onChoose={(next) => setOpen({ key, at: next })} />
      {inner && (
        <ColumnPage
          calls={calls}
          choice={chooseColumn(calls, score, inner, "")}
          leaves={null}
          onText={() => {}}
          onStep={(step) => setOpen({ key, at: Math.min(Math.max(at + step, 0), score.columns.length - 1) })}
          onChoose={(next) =>
            next?.column
              ? setOpen({ key, at: score.columns.indexOf(next.column) })
              : next
                ? onChoose(next)
                : setOpen({ key, at: -1 })
          }
        />
      )}
    </>
  );
}

/** What one line compiled outside any jit, or all lines. */
function Programs({ calls, source }: { calls: Calls; source: string }) {
  const rows = calls.panel.op_by_op.filter((row) => !source || row.source === source);
  return (
    <ul>
      {rows.map((row) => (
        <li key={`${row.name} ${row.source}`}>
          <b>{seconds(row.seconds)}</b> <code>{row.name}</code>{" "}
          <span class="jitviz-faint">
            {row.source}, <Prose text={row.told} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Where it was defined and called, and what its calls did. */
function AboutFunction({ home }: { home: FunctionView }) {
  const { hits_of_unknown_version: hits, call_sites, n_more_call_sites } = home;
  const sites = call_sites.map(
    ({ source, told, compile_s }) =>
      `\`${source}\` (${told}${compile_s > 0 ? `, ${seconds(compile_s)} compiling` : ""})`,
  );
  if (n_more_call_sites > 0) sites.push(count(n_more_call_sites, "more line"));
  return (
    <p class="jitviz-faint">
      <code>{home.name}</code>{" "}
      {[home.api, home.defined_at && `defined at ${home.defined_at}`].filter(Boolean).join(" · ")}:{" "}
      <Prose text={home.told} />
      {hits > 0 && `, ${count(hits, "hit")} of ${home.unknown_version || "an unknown version"}`}
      {sites.length > 0 && <Prose text={`; called from ${sites.join(", ")}`} />}
    </p>
  );
}
