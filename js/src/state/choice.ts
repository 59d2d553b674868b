/**
 * The choice that everything follows: a column of a score, with its call and the version that it ran, and a row.
 *
 * In: a `Panel` and what a person clicked on.  Out: `Choice`.
 */

import type { FunctionView, Panel, Score, ScoreColumn, Span, Version } from "../schema.ts";
import type { Calls } from "./calls.ts";

/** A version with its function. */
export interface Picked {
  home: FunctionView;
  version: Version;
}

/** "step, version 2" */
export function namePicked({ home, version }: Picked): string {
  return `${home.name}, ${version.name}`;
}

export function versionsIn(functions: readonly FunctionView[]): Picked[] {
  return functions.flatMap((home) => home.versions.map((version) => ({ home, version })));
}

export interface Choice {
  /** The number of the call in the recording, -1 for none. */
  call: number;
  home: FunctionView | null;
  version: Version | null;
  /** The row to point out, "" for none. */
  path: string;
  score: Score | null;
  column: ScoreColumn | null;
}

const NOTHING: Choice = { call: -1, home: null, version: null, path: "", score: null, column: null };

export function chooseColumn(calls: Calls, score: Score, column: ScoreColumn | null, path = ""): Choice {
  const home = calls.panel.functions[score.place] ?? null;
  const [compile] = Array.from(column?.compiles ?? []);
  const version =
    home?.versions.find(({ index, is_before }) => index === compile && !is_before) ??
    home?.versions.find(({ version }) => column && version === column.version) ??
    null;
  return { call: column?.call ?? -1, home, version, path, score, column };
}

export function chooseCall(calls: Calls, call: number): Choice {
  if (call < 0 || call >= calls.n) return NOTHING;
  const home = calls.functionOf(call);
  const score = scoreOf(calls.panel, home);
  const number = calls.numberInFunction[call] ?? 0;
  const column =
    score?.columns.find((one) => one.call === call) ??
    score?.columns.find(({ first, last }) => first > 0 && first <= number && number <= last) ??
    null;
  return { call, home, version: calls.versionOf(call), path: "", score, column };
}

/** Another call; of the same version, the same leaf is pointed at. */
export function chooseBeside(calls: Calls, old: Choice, call: number): Choice {
  const next = chooseCall(calls, call);
  return next.version && next.version === old.version ? { ...next, path: old.path } : next;
}

export function chooseVersion(calls: Calls, { home, version }: Picked, path = ""): Choice {
  const score = scoreOf(calls.panel, home);
  const column = version.is_before ? undefined : score?.columns.find((one) => hasCompile(one, version.index));
  return { call: calls.callOf(version), home, version, path, score, column: column ?? null };
}

function scoreOf({ scores, functions }: Panel, home: FunctionView | null): Score | null {
  return (home && scores.find(({ place }) => functions[place] === home)) ?? null;
}

export function hasCompile({ compiles }: ScoreColumn, compile: number): boolean {
  return Array.from(compiles).includes(compile);
}

/** The leaf that a span of the verdict names, in the version of that span. */
export function chooseCulprit(calls: Calls, { path, compile }: Pick<Span, "path" | "compile">): Choice | null {
  const all = versionsIn(calls.panel.functions);
  const picked = all.find(({ version }) => version.index === compile && !version.is_before);
  return picked ? chooseVersion(calls, picked, path) : null;
}

/** The versions of a function that were compiled because of this leaf, among other reasons. */
export function blamedOn(home: FunctionView | null, path: string): Version[] {
  if (!home || !path) return [];
  return home.versions.filter(
    (version) => !version.is_before && version.reasons.some((reason) => reason.path === path),
  );
}

/** The choice before anyone chose: the culprit, else what is compiling, else the last compile, else the first call. */
export function chooseFirst(calls: Calls, panel: Panel): Choice {
  const span = panel.findings.flatMap(({ summary }) => summary).find(({ path }) => path);
  const culprit = span ? chooseCulprit(calls, span) : null;
  if (culprit) return culprit;
  const here = versionsIn(panel.functions).filter(({ version }) => !version.is_before);
  const best = here.find(({ version }) => version.status === "running") ?? here.at(-1);
  return best ? chooseVersion(calls, best) : chooseCall(calls, 0);
}

/** The same choice after the panel has changed. */
export function chooseAgain(calls: Calls, old: Choice): Choice {
  const { score, column, path } = old;
  const next = calls.panel.scores.find((one) => one.function === score?.function && one.place === score.place);
  const isSame = (one: ScoreColumn) => one.first === column?.first && one.compiles[0] === column.compiles[0];
  const same = next && column && next.columns.find(isSame);
  if (same && old.call === column.call) return chooseColumn(calls, next, same, path);
  const version = versionsIn(calls.panel.functions).find(
    ({ version }) => version.index === old.version?.index && version.is_before === old.version.is_before,
  );
  if (version && !column) return { ...chooseVersion(calls, version, path), call: old.call };
  if (old.call >= 0 && old.call < calls.n) return { ...chooseCall(calls, old.call), path };
  if (version) return chooseVersion(calls, version, path);
  return chooseFirst(calls, calls.panel);
}
