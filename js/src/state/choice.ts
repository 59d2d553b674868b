/**
 * The choice that timeline, tree and reasons all follow: a call, the version that it ran, and a leaf of its tree.
 *
 * In: a `Panel` and what a person clicked on.  Out: `Choice`.
 */

import type { FunctionView, Panel, Span, Version } from "../schema.ts";
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
  /** The leaf to point out, "" for none. */
  path: string;
}

const NOTHING: Choice = { call: -1, home: null, version: null, path: "" };

export function chooseCall(calls: Calls, call: number): Choice {
  if (call < 0 || call >= calls.n) return NOTHING;
  return { call, home: calls.functionOf(call), version: calls.versionOf(call), path: "" };
}

export function chooseVersion(calls: Calls, { home, version }: Picked, path = ""): Choice {
  return { call: calls.callOf(version), home, version, path };
}

/** Another call; of the same version, the same leaf is pointed at. */
export function chooseBeside(calls: Calls, old: Choice, call: number): Choice {
  const next = chooseCall(calls, call);
  return next.version && next.version === old.version ? { ...next, path: old.path } : next;
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
  const spans = [...panel.verdict.sentence, ...panel.findings.flatMap(({ summary }) => summary)];
  const span = spans.find(({ path }) => path);
  const culprit = span ? chooseCulprit(calls, span) : null;
  if (culprit) return culprit;
  const here = versionsIn(panel.functions).filter(({ version }) => !version.is_before);
  const best = here.find(({ version }) => version.status === "running") ?? here.at(-1);
  return best ? chooseVersion(calls, best) : chooseCall(calls, 0);
}

/** The same choice after the panel has changed. */
export function chooseAgain(calls: Calls, old: Choice): Choice {
  const same = versionsIn(calls.panel.functions).find(
    ({ version }) => version.index === old.version?.index && version.is_before === old.version.is_before,
  );
  if (same) return { ...old, ...same };
  if (old.call >= 0 && old.call < calls.n) return { ...chooseCall(calls, old.call), path: old.path };
  return chooseFirst(calls, calls.panel);
}
