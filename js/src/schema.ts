// Written by `python -m jitviz.views.typescript` from jitviz/views/schema.py. Do not edit.

/** A column: a plain array in JSON, a typed array where it came as bytes. */
export type Ints = ArrayLike<number>;
export type Floats = ArrayLike<number>;

export type Role = "traced" | "static";

export type Outcome = "hit" | "trace" | "compile" | "inlined" | "error";

export type PhaseName = "trace" | "lower" | "compile";

export type ListingName = "jaxpr" | "stablehlo" | "hlo";

export type HitsSeen = "all" | "some" | "none";

export type Kind = "first" | "shape" | "dtype" | "weak_type" | "prng_key_type" | "leaf_kind" | "static_value" | "static_identity" | "static_eq" | "treedef" | "kwargs_vs_args" | "new_function" | "committed" | "sharding" | "config_context" | "transform" | "cache_cleared" | "unexplained";

export type What = "trace" | "lower" | "compile" | "load" | "op_by_op" | "run" | "python" | "jitviz";

export type FindingKind = "recompile" | "op_by_op" | "slow_trace" | "slow_compile" | "unrolled" | "constant" | "donation" | "not_warmed" | "diverged" | "kept_alive";

export type Level = "empty" | "hits" | "first" | "recompile" | "running" | "error";

export type RowKind = "node" | "leaf" | "gone" | "more";

export type Guess = "hit" | "compile";

export const OUTCOMES = ["hit", "trace", "compile", "inlined", "error"] as const;

export const PHASES = ["trace", "lower", "compile"] as const;

export const WHATS = ["trace", "lower", "compile", "load", "op_by_op", "run", "python", "jitviz"] as const;

export const ROW_KINDS = ["node", "leaf", "gone", "more"] as const;

export const ROLES = ["traced", "static"] as const;

export const FLAGS = ["is_weak_type", "is_committed", "is_donated", "is_dropped", "is_reused", "is_metadata"] as const;

export const DIRECTIONS = ["plain", "forward", "backward"] as const;

/** A piece of a sentence. A code span may name a leaf: the one at `path` of compile number `compile`. `is_strong`
 * is what changed. */
export interface Span {
  text: string;
  is_code: boolean;
  is_strong: boolean;
  path: string;
  compile: number;
}

/** One sentence on the whole recording; `advice` is the one thing to do, `notes` what to keep in mind beside it.
 *
 * `headline` comes before all, where something compiled: how much of the time that took, and in `aside` how much of it
 * was for nothing. Where there are findings as well, these say what the sentence says. */
export interface Verdict {
  level: Level;
  sentence: ReadonlyArray<Span>;
  advice: string;
  notes: ReadonlyArray<string>;
  headline: string;
  aside: string;
}

/** Sums over the recording.
 *
 * `compile_s` is the wall time during which something of a jitted function was traced, lowered or compiled, and
 * `op_by_op_s` that of the `op_by_op` programs outside of any. `avoidable` counts recompiles
 * that are not inherent. `calls` and `hits` are as many as were seen: `hits_seen`. */
export interface Totals {
  functions: number;
  calls: number;
  hits: number;
  traces: number;
  inlined: number;
  errors: number;
  compiles: number;
  recompiles: number;
  avoidable: number;
  failed: number;
  running: number;
  compile_s: number;
  op_by_op: number;
  op_by_op_s: number;
  wall_s: number;
  hits_seen: HitsSeen;
}

/** One number of the summary; `term` is the one of the glossary that explains it. */
export interface Chip {
  value: string;
  label: string;
  term: string;
}

/** A line of the timeline: the calls of one function in one thread, nested in the calls of `depth` others.
 *
 * `function` is its place in `Panel.functions`, -1 where the panel does not show it. `thread` is "" for the main one. */
export interface Lane {
  name: string;
  function: number;
  thread: string;
  depth: number;
}

/** A cell, as a stretch of time. `duration_s` is -1 while it runs. */
export interface Band {
  label: string;
  start_s: number;
  duration_s: number;
}

/** Calls and phases as columns: entry i of each `call_...` tuple belongs to call i of the recording.
 *
 * Of very many calls, an entry may be several hits that went alike: `call_count` says how many.
 *
 * Unknown is -1 (a parent, a duration, the call of an ahead-of-time compile) or 0 (a version). `call_outcome` and
 * `phase_name` are positions in `OUTCOMES` and `PHASES`; `call_lane` and `phase_lane` in `lanes`; `call_parent` and
 * `phase_call` in the calls; `phase_compile` in the compiles. `call_ready_s` is when the run of a call begins, -1
 * where it has not; `phase_own_s` is what jitviz itself took after a phase. */
export interface Timeline {
  duration_s: number;
  lanes: ReadonlyArray<Lane>;
  bands: ReadonlyArray<Band>;
  call_lane: Ints;
  call_parent: Ints;
  call_outcome: Ints;
  call_start_s: Floats;
  call_duration_s: Floats;
  call_ready_s: Floats;
  call_version: Ints;
  call_count: Ints;
  phase_compile: Ints;
  phase_call: Ints;
  phase_lane: Ints;
  phase_name: Ints;
  phase_start_s: Floats;
  phase_duration_s: Floats;
  phase_own_s: Floats;
}

/** One way to pad, in words: to which sizes, what it comes to, and the code that does it. */
export interface ChoiceView {
  name: string;
  sizes: string;
  compiles: number;
  padding: string;
  saved: string;
  code: string;
  is_best: boolean;
}

/** One cause, what it cost and what to do about it.
 *
 * `cost` says in words how often and where, unless the sentence does; `effect` what mending it alone saves; `code` is
 * what to paste, or "".
 * `choices` are those of a plan. `compiles` are the compiles that it caused, of which `n_more_compiles` are not named. */
export interface FindingView {
  kind: FindingKind;
  function: string;
  source: string;
  seconds: number;
  count: number;
  summary: ReadonlyArray<Span>;
  cost: string;
  advice: string;
  effect: string;
  code: string;
  choices: ReadonlyArray<ChoiceView>;
  compiles: Ints;
  n_more_compiles: number;
}

/** Seconds of one kind of work (depth 0), and below it of a function, of the stacks of lines that led to it, and of
 * what XLA did meanwhile, where that was profiled. */
export interface Spent {
  what: What;
  depth: number;
  name: string;
  seconds: number;
}

/** Where the wall time went: a tree in preorder, whose rows of depth 0 sum to `wall_s`; most seconds come first.
 *
 * `avoidable_s` are the seconds of recompiles that could be avoided. `beside` says what other threads did meanwhile. */
export interface AccountView {
  wall_s: number;
  avoidable_s: number;
  rows: ReadonlyArray<Spent>;
  n_more: number;
  beside: string;
}

/** A line of a cell: the seconds of compiling that it caused, what its calls came to, and the places in
 * `Panel.findings` of what it is to blame for. */
export interface CellLine {
  number: number;
  text: string;
  seconds: number;
  told: string;
  findings: Ints;
}

/** What a cell says, line by line; of a long one, only the lines round those that compiled something. */
export interface CellView {
  label: string;
  lines: ReadonlyArray<CellLine>;
  n_more_lines: number;
}

/** `duration_s` is None where JAX does not tell it, or while the phase is under way. */
export interface PhaseTime {
  name: PhaseName;
  duration_s: number | null;
}

/** Consecutive calls of a function that went alike: calls number `first` to `last`, counted from 1.
 *
 * `version` is None where it is unknown which compiled version ran; `duration_s` is their sum, None while they are
 * under way. */
export interface Run {
  outcome: Outcome;
  first: number;
  last: number;
  version: number | null;
  duration_s: number | null;
  error: string;
}

/** A line of the user's program from which a function was called; `compile_s` is what it compiled there.
 * `told` says the counts, as far as they were seen. */
export interface CallSite {
  source: string;
  calls: number;
  hits: number;
  compiles: number;
  compile_s: number;
  told: string;
}

/** Why a function compiled: the kind, the user's leaf, both sides, one plain sentence and one thing to do.
 *
 * `path` is "" where no leaf is to blame, and the name of the setting for "config_context".
 * `inherent` is True where anyone would expect the recompile (a train and an eval mode). */
export interface Reason {
  kind: Kind;
  path: string;
  before: string;
  after: string;
  summary: string;
  advice: string;
  inherent: boolean;
}

/** One property of a leaf or node that differs from the version it was compared with. */
export interface Mark {
  kind: Kind;
  before: string;
  after: string;
}

/** One line of a partition tree, in preorder; `depth` counts from the roots.
 *
 * `name` is the last step of `path` (".weight", "[0]"), or the whole path of a root. `traced`, `static` (leaves) and
 * `nbytes` are sums over the subtree. `aval` is JAX's short form ("f32[3,4]"), `value` the bounded text of a static
 * leaf. `is_donated` and the like are False for nodes. `sharding` is "" where it is the common one of the tree.
 * A "gone" row names a path that only the earlier version has; a "more" row stands for what is not drawn. */
export interface Row {
  kind: RowKind;
  depth: number;
  name: string;
  path: string;
  type: string;
  role: Role | null;
  aval: string;
  value: string;
  traced: number;
  static: number;
  nbytes: number;
  sharding: string;
  is_weak_type: boolean;
  is_committed: boolean;
  is_donated: boolean;
  is_dropped: boolean;
  is_reused: boolean;
  is_metadata: boolean;
  marks: ReadonlyArray<Mark>;
}

/** The leaves of an argument list (or of the outputs), traced and static, as a tree in preorder.
 *
 * `is_diff` says that only what changed is drawn. `n_more_leaves` counts the leaves without a row, `n_more_marks` the
 * changes without a mark. `sharding` is that of all leaves that have one, or "". `note` says what could not be seen.
 * `transform` is what shaped the outputs ("grad"). */
export interface Partition {
  rows: ReadonlyArray<Row>;
  traced: number;
  static: number;
  nbytes: number;
  n_more_leaves: number;
  n_more_marks: number;
  is_diff: boolean;
  sharding: string;
  note: string;
  transform: string;
}

/** A text of the program, cut at a line: the first `n_shown` of `n_lines` lines. `expression` gives all of it. */
export interface Listing {
  name: ListingName;
  text: string;
  n_lines: number;
  n_shown: number;
  expression: string;
}

/** One compiled version of a function.
 *
 * `call` is the number of the causing call among the calls of the function, from 1; None for ahead-of-time
 * compiles, and where calls have no numbers.
 * `hits` counts the hits known to have run this version. `compared_with` is the compile that the reasons compare it
 * with, -1 where none of this recording is known. `is_before` marks a version from before the recording, of
 * which only cost and hits are shown. `origin` is "loaded" where JAX found the executable in its cache on disk, which
 * saved `saved_s` seconds where JAX tells it. */
export interface Version {
  index: number;
  version: number;
  status: "running" | "done" | "failed";
  stage: string;
  transform: string;
  source: string;
  call: number | null;
  hits: number;
  duration_s: number;
  phases: ReadonlyArray<PhaseTime>;
  error: string;
  is_before: boolean;
  origin: "compiled" | "loaded";
  saved_s: number | null;
  reasons: ReadonlyArray<Reason>;
  n_more_reasons: number;
  compared_with: number;
  inputs: Partition | null;
  outputs: Partition | null;
  cost: string;
  memory: string;
  listings: ReadonlyArray<Listing>;
}

/** A jitted function: what its calls came to, and its compiled versions, oldest first.
 *
 * `hits_of_unknown_version` is the part of `hits` that no version can be given. `called_with` is the partition of a
 * function that did not compile here. `calls` and `hits` are as many as were seen: `hits_seen`; where none are, calls
 * have no numbers. `told` says all of the counts in one line. */
export interface FunctionView {
  name: string;
  api: string;
  defined_at: string;
  calls: number;
  hits: number;
  hits_of_unknown_version: number;
  traces: number;
  inlined: number;
  errors: number;
  compiles: number;
  recompiles: number;
  avoidable: number;
  compile_s: number;
  hits_seen: HitsSeen;
  told: string;
  phases: ReadonlyArray<PhaseTime>;
  runs: ReadonlyArray<Run>;
  n_more_runs: number;
  call_sites: ReadonlyArray<CallSite>;
  n_more_call_sites: number;
  versions: ReadonlyArray<Version>;
  n_more_versions: number;
  called_with: Partition | null;
}

/** What one public function compiled at one line of the user's, outside of any jit; `told` is a sentence. */
export interface OpRow {
  name: string;
  source: string;
  compiles: number;
  loaded: number;
  duration_s: number;
  told: string;
  inputs: ReadonlyArray<string>;
}

/** Ahead-of-time work that is no call: `function` went through `stage` ("lower", "eval_shape", "make_jaxpr"). */
export interface Stage {
  function: string;
  stage: string;
  source: string;
  count: number;
}

/** Did this call hit or compile? `number` is its place among the calls of its function, from 1.
 *
 * `because` is a sentence that goes with the answer. */
export interface CallQuestion {
  function: string;
  number: number;
  source: string;
  truth: Guess;
  because: string;
}

/** Was this leaf traced or static? */
export interface LeafQuestion {
  path: string;
  type: string;
  truth: Role;
  because: string;
}

/** What to guess before looking: a question for each of `calls`, and one on all `leaves` of the first of them.
 *
 * `function` is the one that was called with these leaves. `n_more_calls` and `n_more_leaves` are not in the quiz.
 * `note` says what could not be seen, or is "". */
export interface Quiz {
  calls: ReadonlyArray<CallQuestion>;
  n_more_calls: number;
  function: string;
  leaves: ReadonlyArray<LeafQuestion>;
  n_more_leaves: number;
  note: string;
}

/** Everything that is shown of a recording.
 *
 * `findings` come most seconds first. `limits` are sentences on what cannot be seen here, `failures` what went wrong
 * inside jitviz; `made_with` names the programs and their versions. `quiz` is there if it is to be answered before all
 * of this is looked at. `not_kept` says what of the program texts is gone once the kernel is, or is "". */
export interface Panel {
  label: string;
  is_finished: boolean;
  verdict: Verdict;
  totals: Totals;
  chips: ReadonlyArray<Chip>;
  timeline: Timeline;
  findings: ReadonlyArray<FindingView>;
  n_more_findings: number;
  account: AccountView | null;
  cells: ReadonlyArray<CellView>;
  functions: ReadonlyArray<FunctionView>;
  n_more_functions: number;
  op_by_op: ReadonlyArray<OpRow>;
  n_more_op_by_op: number;
  stages: ReadonlyArray<Stage>;
  limits: ReadonlyArray<string>;
  failures: ReadonlyArray<string>;
  n_more_failures: number;
  made_with: ReadonlyArray<readonly [string, string]>;
  quiz: Quiz | null;
  not_kept: string;
}

/** Rows of a partition tree as columns: entry i of each belongs to row i, `marks` to the rows `marked`.
 *
 * `kind` and `role` are positions in `ROW_KINDS` and `ROLES` (-1: none). Bit i of `flags` is the field `FLAGS[i]` of
 * a row. The texts of a row are positions in `texts`. */
export interface RowColumns {
  kind: Ints;
  depth: Ints;
  name: Ints;
  path: Ints;
  type: Ints;
  role: Ints;
  aval: Ints;
  value: Ints;
  traced: Ints;
  static: Ints;
  nbytes: Floats;
  sharding: Ints;
  flags: Ints;
  marked: Ints;
  marks: ReadonlyArray<ReadonlyArray<Mark>>;
  texts: ReadonlyArray<string>;
}

/** All rows of a tree; `about` holds its sums and notes, and no rows. */
export interface WholePartition {
  about: Partition;
  rows: RowColumns;
}

/** The trees of a chosen version. `compile` is its number in the recording, -1 where only a call is known. */
export interface Detail {
  compile: number;
  inputs: WholePartition | null;
  outputs: WholePartition | null;
}

/** A stretch of a Python file, or of a cell: its lines from `first` on. `file` is a position in `Links.files`. */
export interface SourceBlock {
  file: number;
  first: number;
  text: string;
}

/** Places in Python source: entry i is a stretch of `file[i]`, and what was called from where.
 *
 * `file` and `function` are positions in the texts of `Links`. Lines count from 1, columns from 0, in characters; an
 * end is exclusive in its column. A column is -1 where it is not known. */
export interface Frames {
  file: Ints;
  function: Ints;
  line: Ints;
  column: Ints;
  end_line: Ints;
  end_column: Ints;
}

/** Call stacks as a tree: entry i is the frame `frame[i]`, called from stack `parent[i]` (-1: from outside).
 *
 * A parent comes before its children. The other columns say what came of the frame itself, calls left out: equations
 * of the jaxpr, operations of the StableHLO and the HLO, floating-point operations and bytes moved by one run. */
export interface Stacks {
  frame: Ints;
  parent: Ints;
  equations: Ints;
  stablehlo_ops: Ints;
  hlo_ops: Ints;
  flops: Floats;
  nbytes: Floats;
}

/** Where the lines of one program text come from: entry i says that line `line[i]` (from 0) came from `stack[i]`.
 *
 * A line has several entries where several operations were fused into it, and none where it holds no operation; -1 is
 * the stack of what the compiler inserted or rewrote without a place in the source. `direction` is a position in
 * `DIRECTIONS`, `name` one in `Links.names`. Entries go by line. */
export interface Origins {
  line: Ints;
  stack: Ints;
  direction: Ints;
  name: Ints;
}

/** What one line of Python became, the functions that it calls included; columns as in `Stacks`.
 *
 * `repeats` is how often the line ran while the function was traced: more than once in a loop that was unrolled. */
export interface LineWork {
  file: Ints;
  line: Ints;
  equations: Ints;
  stablehlo_ops: Ints;
  hlo_ops: Ints;
  flops: Floats;
  nbytes: Floats;
  repeats: Ints;
}

/** One thing to do about a line that makes much of a program: a sentence on what is, and one on what to do. */
export interface WorkAdvice {
  file: number;
  line: number;
  summary: string;
  advice: string;
}

/** What ties the Python source of a compile to its program texts, and how the work spreads over it.
 *
 * Totals are over the whole program. `note` says what could not be linked, or is "". */
export interface Links {
  files: ReadonlyArray<string>;
  functions: ReadonlyArray<string>;
  names: ReadonlyArray<string>;
  sources: ReadonlyArray<SourceBlock>;
  frames: Frames;
  stacks: Stacks;
  jaxpr: Origins;
  stablehlo: Origins;
  hlo: Origins;
  lines: LineWork;
  equations: number;
  stablehlo_ops: number;
  hlo_ops: number;
  flops: number;
  nbytes: number;
  advice: ReadonlyArray<WorkAdvice>;
  note: string;
}

/** Where two texts differ: entry i says that lines `before[i]` to `before_end[i]` (from 0, exclusive) of the one
 * stand in place of lines `after[i]` to `after_end[i]` of the other. */
export interface Hunks {
  before: Ints;
  before_end: Ints;
  after: Ints;
  after_end: Ints;
}

/** Two program texts compared; names of variables do not count. `summary` tells in words what is different. */
export interface Difference {
  hunks: Hunks;
  summary: ReadonlyArray<string>;
}

/** XLA's memory statistics of an executable, in bytes. */
export interface Memory {
  argument: number;
  output: number;
  temporary: number;
  alias: number;
  generated_code: number;
}

/** An array that was closed over and is part of the program. `name` is what the function calls it, or "". */
export interface ConstantView {
  name: string;
  aval: string;
  nbytes: number;
}

/** `count` leaves whose texts differ in their indices alone: "blocks[0..11].weight". */
export interface Alike {
  text: string;
  count: number;
}

/** An input that lowering treated in its own way, and why; or `count` of them, as in `Alike`. */
export interface LostInput {
  path: string;
  aval: string;
  why: string;
  count: number;
}

/** What one compiled version costs, and what lowering did to its inputs and outputs.
 *
 * `flops`, `moved` and `intensity` are texts, "" for what is not known. `dropped` are inputs that the
 * program does not use, `reused` donated inputs whose buffer became an output, `not_reused` the other donated ones,
 * `forwarded` outputs that are returned unchanged, `static_outputs` those that are no arrays. `kept` says what the
 * caches keep alive of the function, "" where that is nothing. `warnings` are sentences. */
export interface ProgramFacts {
  flops: string;
  moved: string;
  intensity: string;
  memory: Memory | null;
  constants: ReadonlyArray<ConstantView>;
  n_more_constants: number;
  constant_nbytes: number;
  donated: ReadonlyArray<Alike>;
  reused: ReadonlyArray<Alike>;
  not_reused: ReadonlyArray<LostInput>;
  dropped: ReadonlyArray<LostInput>;
  forwarded: ReadonlyArray<Alike>;
  static_outputs: ReadonlyArray<Alike>;
  kept: string;
  warnings: ReadonlyArray<string>;
}

/** A jaxpr as a picture: its DOT text, and its SVG where an engine drew it.
 *
 * Entry i of `node`, `node_line` ties the element with the id `node[i]` to line `node_line[i]` (from 0) of the jaxpr.
 * `cluster` are the ids of what can be opened or closed, `cluster_open` those that are open. `note` says what was left
 * closed because there is too much of it. */
export interface GraphView {
  dot: string;
  svg: string;
  node: ReadonlyArray<string>;
  node_line: Ints;
  cluster: ReadonlyArray<string>;
  cluster_open: ReadonlyArray<string>;
  n_nodes: number;
  note: string;
}

/** Which fields of an interface hold others, alone or in lists. */
export const INSIDE: Record<string, Record<string, string>> = {
  Verdict: {"sentence": "Span"},
  Timeline: {"lanes": "Lane", "bands": "Band"},
  FindingView: {"summary": "Span", "choices": "ChoiceView"},
  AccountView: {"rows": "Spent"},
  CellView: {"lines": "CellLine"},
  Row: {"marks": "Mark"},
  Partition: {"rows": "Row"},
  Version: {"phases": "PhaseTime", "reasons": "Reason", "inputs": "Partition", "outputs": "Partition", "listings": "Listing"},
  FunctionView: {"phases": "PhaseTime", "runs": "Run", "call_sites": "CallSite", "versions": "Version", "called_with": "Partition"},
  Quiz: {"calls": "CallQuestion", "leaves": "LeafQuestion"},
  Panel: {"verdict": "Verdict", "totals": "Totals", "chips": "Chip", "timeline": "Timeline", "findings": "FindingView", "account": "AccountView", "cells": "CellView", "functions": "FunctionView", "op_by_op": "OpRow", "stages": "Stage", "quiz": "Quiz"},
  RowColumns: {"marks": "Mark"},
  WholePartition: {"about": "Partition", "rows": "RowColumns"},
  Detail: {"inputs": "WholePartition", "outputs": "WholePartition"},
  Links: {"sources": "SourceBlock", "frames": "Frames", "stacks": "Stacks", "jaxpr": "Origins", "stablehlo": "Origins", "hlo": "Origins", "lines": "LineWork", "advice": "WorkAdvice"},
  Difference: {"hunks": "Hunks"},
  ProgramFacts: {"memory": "Memory", "constants": "ConstantView", "donated": "Alike", "reused": "Alike", "not_reused": "LostInput", "dropped": "LostInput", "forwarded": "Alike", "static_outputs": "Alike"},
};

/** What a field is where a message leaves it out. */
export const DEFAULTS: Record<string, Record<string, unknown>> = {
  Span: {"is_code": false, "is_strong": false, "path": "", "compile": -1},
  Verdict: {"advice": "", "notes": [], "headline": "", "aside": ""},
  ChoiceView: {"is_best": false},
  FindingView: {"advice": "", "effect": "", "code": "", "choices": [], "compiles": [], "n_more_compiles": 0},
  AccountView: {"avoidable_s": 0.0, "rows": [], "n_more": 0, "beside": ""},
  CellLine: {"seconds": 0.0, "told": "", "findings": []},
  CellView: {"n_more_lines": 0},
  Run: {"error": ""},
  Reason: {"advice": "", "inherent": false},
  Row: {"type": "", "role": null, "aval": "", "value": "", "traced": 0, "static": 0, "nbytes": 0, "sharding": "", "is_weak_type": false, "is_committed": false, "is_donated": false, "is_dropped": false, "is_reused": false, "is_metadata": false, "marks": []},
  Partition: {"rows": [], "traced": 0, "static": 0, "nbytes": 0, "n_more_leaves": 0, "n_more_marks": 0, "is_diff": false, "sharding": "", "note": "", "transform": ""},
  Version: {"error": "", "is_before": false, "origin": "compiled", "saved_s": null, "reasons": [], "n_more_reasons": 0, "compared_with": -1, "inputs": null, "outputs": null, "cost": "", "memory": "", "listings": []},
  FunctionView: {"runs": [], "n_more_runs": 0, "call_sites": [], "n_more_call_sites": 0, "versions": [], "n_more_versions": 0, "called_with": null},
  OpRow: {"inputs": []},
  Quiz: {"note": ""},
  Panel: {"findings": [], "n_more_findings": 0, "account": null, "cells": [], "functions": [], "n_more_functions": 0, "op_by_op": [], "n_more_op_by_op": 0, "stages": [], "limits": [], "failures": [], "n_more_failures": 0, "made_with": [], "quiz": null, "not_kept": ""},
  Frames: {"file": [], "function": [], "line": [], "column": [], "end_line": [], "end_column": []},
  Stacks: {"frame": [], "parent": [], "equations": [], "stablehlo_ops": [], "hlo_ops": [], "flops": [], "nbytes": []},
  Origins: {"line": [], "stack": [], "direction": [], "name": []},
  LineWork: {"file": [], "line": [], "equations": [], "stablehlo_ops": [], "hlo_ops": [], "flops": [], "nbytes": [], "repeats": []},
  Links: {"equations": 0, "stablehlo_ops": 0, "hlo_ops": 0, "flops": 0.0, "nbytes": 0.0, "advice": [], "note": ""},
  Hunks: {"before": [], "before_end": [], "after": [], "after_end": []},
  Memory: {"argument": 0, "output": 0, "temporary": 0, "alias": 0, "generated_code": 0},
  Alike: {"count": 1},
  LostInput: {"count": 1},
  ProgramFacts: {"constants": [], "n_more_constants": 0, "constant_nbytes": 0, "donated": [], "reused": [], "not_reused": [], "dropped": [], "forwarded": [], "static_outputs": [], "kept": "", "warnings": []},
  GraphView: {"svg": "", "node": [], "node_line": [], "cluster": [], "cluster_open": [], "n_nodes": 0, "note": ""},
};

/** How the columns of `Timeline` are laid out in bytes. */
export const TIMELINE_COLUMNS = {
  call_lane: "int32",
  call_parent: "int32",
  call_outcome: "int32",
  call_start_s: "float64",
  call_duration_s: "float64",
  call_ready_s: "float64",
  call_version: "int32",
  call_count: "int32",
  phase_compile: "int32",
  phase_call: "int32",
  phase_lane: "int32",
  phase_name: "int32",
  phase_start_s: "float64",
  phase_duration_s: "float64",
  phase_own_s: "float64",
} as const;
