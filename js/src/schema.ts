// Written by `python js/write_types.py` from jitviz/views/schema.py. Do not edit.

/** A column: a plain array in JSON, a typed array where it came as bytes. */
export type Ints = ArrayLike<number>;
export type Floats = ArrayLike<number>;

export type Role = "traced" | "static";

export type Kind = "first" | "transform" | "new_function" | "config_context" | "treedef" | "kwargs_vs_args" | "leaf_kind" | "static_identity" | "static_eq" | "static_value" | "prng_key_type" | "shape" | "dtype" | "weak_type" | "sharding" | "committed" | "cache_cleared" | "unexplained";

export type Outcome = "hit" | "trace" | "compile" | "inlined" | "error";

export type PhaseName = "trace" | "lower" | "compile";

export type ListingName = "jaxpr" | "stablehlo" | "hlo";

export type HitsSeen = "all" | "some" | "none";

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

/** A piece of a sentence. */
export interface Span {
  text: string; // plain text
  is_code: boolean; // set in code type
  path: string; // the leaf that the piece names, or ""
  compile: number; // the compile whose leaf it is, by its number, or -1
}

/** What is said first of a recording. */
export interface Verdict {
  level: Level; // which of the banners it is
  sentence: ReadonlyArray<Span>; // what happened, in one sentence; findings, where there are any, say it instead
  advice: string; // the one thing to do, or ""
  notes: ReadonlyArray<string>; // sentences to keep in mind beside it
  headline: string; // how much of the time was compiling; "" where nothing compiled
  aside: string; // how much of that was for nothing, or ""
  rest: string; // what the rest of it was for, where that is much, or ""
}

/** Sums over the recording. */
export interface Totals {
  calls: number; // calls of jitted functions
  hits: number; // calls that ran an existing version
  traces: number; // calls that traced again and compiled nothing
  inlined: number; // calls inside another trace
  errors: number; // calls that raised
  compiles: number; // executables that were compiled or loaded from disk
  recompiles: number; // compiles for a call of a function that already had a version
  avoidable: number; // recompiles that a change to the program would prevent
  hits_seen: HitsSeen; // whether all hits were seen, some, or none
  functions: number; // jitted functions that were called or compiled
  failed: number; // compiles that raised
  running: number; // compiles that are under way
  compile_s: number; // wall seconds in which a jitted function was traced, lowered or compiled
  op_by_op: number; // programs compiled outside any jit
  op_by_op_s: number; // their seconds, added up
  wall_s: number; // seconds of the cells, or from the start of the recording to its end where it has none
}

/** One number of the summary. */
export interface Chip {
  value: string; // the number as text
  label: string; // what it counts
  term: string; // the entry of the glossary that explains it
}

/** A line of the timeline: the calls of one function in one thread. */
export interface Lane {
  name: string; // of the function
  function: number; // its place in `Panel.functions`, or -1
  thread: string; // "" for the main thread
  depth: number; // how many other calls these are nested in
}

/** A cell, as a stretch of time. */
export interface Band {
  label: string; // "In [3]"
  start_s: number; // when it started
  duration_s: number; // -1 while it runs
}

/** Calls and phases as columns: entry i of each `call_...` tuple belongs to call i of the recording.
 *
 * Of very many calls, an entry may be several hits that went alike. Unknown is -1, but 0 for a version. */
export interface Timeline {
  duration_s: number; // seconds to the end of the recording, or to now
  lanes: ReadonlyArray<Lane>; // one per function and thread
  bands: ReadonlyArray<Band>; // the cells
  call_lane: Ints; // position in `lanes`
  call_parent: Ints; // the call that it was made in, as a position in these columns
  call_outcome: Ints; // position in `OUTCOMES`
  call_start_s: Floats; // when it started
  call_duration_s: Floats; // how long it took
  call_ready_s: Floats; // when its run started
  call_version: Ints; // the version that ran
  call_count: Ints; // how many calls the entry stands for
  phase_compile: Ints; // number of the compile, -1 of a program outside any jit
  phase_call: Ints; // position in the columns of calls
  phase_lane: Ints; // position in `lanes`
  phase_name: Ints; // position in `PHASES`
  phase_start_s: Floats; // when it started
  phase_duration_s: Floats; // how long it took
  phase_own_s: Floats; // what jitviz itself took after it
}

/** One way to pad, in words. */
export interface ChoiceView {
  name: string; // what it is called
  sizes: string; // to which sizes it pads
  compiles: number; // versions that are left
  padding: string; // elements added per element ("12%")
  saved: string; // seconds of compiling that it saves, as text
  code: string; // what does it; "" where the finding has it
  is_best: boolean; // the one to take
}

/** One cause, what it cost and what to do about it. */
export interface FindingView {
  kind: FindingKind; // what kind of cause
  function: string; // the function that it is about, or ""
  source: string; // the line to blame, or ""
  seconds: number; // what it cost
  count: number; // how often it happened
  summary: ReadonlyArray<Span>; // what happened, in one sentence
  cost: string; // how often and where, unless the sentence says so
  advice: string; // what to do
  effect: string; // what fixing it alone saves
  code: string; // what to paste, or ""
  choices: ReadonlyArray<ChoiceView>; // the ways to pad of a plan, or none
  compiles: Ints; // some of the compiles that it caused, by their numbers
}

/** Seconds of one kind of work (depth 0), or of a part of it: a function, then lines and XLA's passes. */
export interface Spent {
  what: What; // the kind of work
  depth: number; // 0 for a kind of work
  name: string; // of the kind, function, line or pass
  seconds: number; // those below it included
  is_avoidable: boolean; // whether it is what avoidable recompiles took, of all kinds
}

/** Where the wall time went: as a bar, and as a tree in preorder, most seconds first. */
export interface AccountView {
  wall_s: number; // what the bar and the rows of depth 0 sum to
  bar: ReadonlyArray<Spent>; // kinds of work, compiling first, avoidable recompiles apart; below each its functions
  rows: ReadonlyArray<Spent>; // the tree
  n_more: number; // rows that are not listed
  beside: string; // what other threads did meanwhile, or ""
}

/** A line of a cell. */
export interface CellLine {
  number: number; // from 1
  text: string; // what it says
  seconds: number; // of compiling that it caused
  told: string; // what its calls came to
  findings: Ints; // what it is to blame for, by place in `Panel.findings`
}

/** What a cell says, line by line; of a long one, only the lines round those that compiled something. */
export interface CellView {
  label: string; // "In [3]"
  lines: ReadonlyArray<CellLine>; // in order
  n_more_lines: number; // lines that are not shown
}

/** How long a phase took. */
export interface PhaseTime {
  name: PhaseName; // which phase
  duration_s: number | null; // None while it is under way, or where JAX does not tell
}

/** Consecutive calls of a function that went alike. */
export interface Run {
  outcome: Outcome; // what became of them
  first: number; // number of the first among the calls of the function, from 1
  last: number; // number of the last
  version: number | null; // which version ran, where that is known
  duration_s: number | null; // their seconds together, None while they are under way
  error: string; // what it raised, or ""
}

/** A line of the user's program from which a function was called. */
export interface CallSite {
  source: string; // file and line
  compile_s: number; // seconds of the compiles that it caused
  told: string; // the counts in words, as far as they were seen
}

/** Why a function compiled. */
export interface Reason {
  kind: Kind; // what changed
  path: string; // the user's leaf, the name of a setting ("config_context"), or "" where neither is to blame
  before: string; // what it was
  after: string; // what it is now
  summary: string; // one plain sentence
  advice: string; // one thing to do, or ""
  inherent: boolean; // anyone would expect the recompile (a train and an eval mode)
  often: string; // the sentence for many such recompiles, where `summary` tells more of this one
  could_be_traced: boolean; // a static number, which could be an array if the program only computes with it
}

/** One property of a leaf or node that differs from the version it was compared with. */
export interface Mark {
  kind: Kind; // which property
  before: string; // what it was
  after: string; // what it is now
}

/** One line of a partition tree, in preorder. */
export interface Row {
  kind: RowKind; // "gone": only the earlier version has the path; "more": stands for rows that are not drawn
  depth: number; // steps from a root
  name: string; // the last step of `path` (".weight", "[0]"), or the whole path of a root
  path: string; // key path of the leaf or node
  type: string; // class of the leaf or node
  role: Role | null; // None for nodes
  aval: string; // JAX's short form ("f32[3,4]"), "" for static leaves and nodes
  value: string; // bounded text of a static leaf
  traced: number; // traced leaves in the subtree
  static: number; // static leaves in the subtree
  nbytes: number; // bytes of the arrays in the subtree
  sharding: string; // "" where it is the common one of the tree
  is_weak_type: boolean; // JAX may convert its dtype, as that of a Python scalar
  is_committed: boolean; // bound to its devices
  is_donated: boolean; // its buffer may be reused
  is_dropped: boolean; // an input that the program does not use
  is_reused: boolean; // its buffer became an output
  is_metadata: boolean; // static, and part of the treedef
  marks: ReadonlyArray<Mark>; // what changed
}

/** The leaves of an argument list or of the outputs, traced and static, as a tree. */
export interface Partition {
  rows: ReadonlyArray<Row>; // the tree in preorder
  traced: number; // traced leaves
  static: number; // static leaves
  nbytes: number; // bytes of the arrays
  n_more_leaves: number; // leaves without a row
  n_more_marks: number; // changes without a mark
  is_diff: boolean; // only what changed is drawn
  sharding: string; // that of all leaves that have one, or ""
  note: string; // what could not be seen, or ""
  transform: string; // what shaped the outputs ("grad"), or ""
}

/** The beginning of a program text, cut at a line. */
export interface Listing {
  name: ListingName; // which text
  text: string; // its first lines
  n_lines: number; // lines of all of it
  n_shown: number; // lines of `text`
  expression: string; // what gives all of it in Python, behind `rec.`
}

/** One compiled version of a function. */
export interface Version {
  index: number; // its number among the compiles of the recording, from 0; of `is_before`, among the earlier ones
  version: number; // its number in the function, from 1
  status: "running" | "done" | "failed"; // whether it is compiled
  stage: string; // "call", or what was asked for ahead of time ("lower")
  transform: string; // what JAX made of the function from outside ("vmap"), or ""
  source: string; // the user's line that caused it
  call: number | null; // the causing call among those of the function, from 1; None ahead of time or where hits are not seen
  hits: number; // calls known to have run it later
  duration_s: number; // seconds of its phases together
  phases: ReadonlyArray<PhaseTime>; // its phases, in order
  error: string; // what it raised, or ""
  is_before: boolean; // compiled before the recording: only its cost and hits are shown
  origin: "compiled" | "loaded"; // "loaded": from JAX's cache on disk
  saved_s: number | null; // seconds that loading saved, where JAX tells
  reasons: ReadonlyArray<Reason>; // why it was compiled, the cause first
  n_more_reasons: number; // reasons that are not listed
  compared_with: number; // the compile that the reasons compare it with, or -1
  inputs: Partition | null; // its arguments
  outputs: Partition | null; // what it returns
  cost: string; // XLA's estimate in words, or ""
  memory: string; // XLA's sizes in words, or ""
  listings: ReadonlyArray<Listing>; // its program texts
}

/** A jitted function: its calls, and its compiled versions, oldest first.
 *
 * Calls have no numbers if no hits are seen. */
export interface FunctionView {
  name: string; // as a person would call it
  api: string; // how it was jitted ("jax.jit")
  defined_at: string; // file and line of its definition, or ""
  hits_seen: HitsSeen; // whether all of its hits were seen, some, or none
  hits_of_unknown_version: number; // hits whose version is not known
  compile_s: number; // wall seconds of its compiles
  told: string; // the outcomes of its calls in one line
  phases: ReadonlyArray<PhaseTime>; // seconds by phase, over all versions
  runs: ReadonlyArray<Run>; // its calls in order
  n_more_runs: number; // runs that are not listed
  call_sites: ReadonlyArray<CallSite>; // where it was called, the most expensive line first
  n_more_call_sites: number; // lines that are not listed
  versions: ReadonlyArray<Version>; // those from before that ran here, then those compiled here
  n_more_versions: number; // versions that are not listed
  called_with: Partition | null; // its arguments, where it did not compile here
}

/** What one public function compiled at one line of the user's, outside any jit. */
export interface OpRow {
  name: string; // the function ("jnp.median")
  source: string; // the user's line
  disk: string; // what JAX's cache on disk held of them ("2 loaded from disk, 3.0 s saved")
  duration_s: number; // their seconds
  told: string; // the row as a sentence
}

/** Ahead-of-time work that is no call. */
export interface Stage {
  function: string; // its name
  stage: string; // "lower", "eval_shape" or "make_jaxpr"
  source: string; // the user's line
  count: number; // how often
}

/** Did this call hit or compile? */
export interface CallQuestion {
  function: string; // its name
  number: number; // the call among those of its function, from 1
  source: string; // the user's line
  truth: Guess; // the answer
  because: string; // a sentence that goes with it
}

/** Was this leaf traced or static? */
export interface LeafQuestion {
  path: string; // key path
  type: string; // class of the leaf
  truth: Role; // the answer
  because: string; // a sentence that goes with it
}

/** What to guess before looking. */
export interface Quiz {
  calls: ReadonlyArray<CallQuestion>; // one question each
  n_more_calls: number; // calls that are not asked about
  function: string; // the one that was called with `leaves`
  leaves: ReadonlyArray<LeafQuestion>; // leaves of the first call, one question each
  n_more_leaves: number; // leaves that are not asked about
  note: string; // what could not be seen, or ""
}

/** Everything that is shown of a recording. */
export interface Panel {
  label: string; // what the recording is called
  is_finished: boolean; // nothing more comes
  verdict: Verdict; // what is said first
  totals: Totals; // sums over the recording
  chips: ReadonlyArray<Chip>; // the summary
  timeline: Timeline; // calls and phases
  findings: ReadonlyArray<FindingView>; // what is worth doing, most seconds first
  n_more_findings: number; // findings that are not shown
  account: AccountView | null; // where the wall time went
  cells: ReadonlyArray<CellView>; // those that compiled something
  functions: ReadonlyArray<FunctionView>; // in the order that they came
  n_more_functions: number; // functions that are not shown
  op_by_op: ReadonlyArray<OpRow>; // what compiled outside any jit, by line
  n_more_op_by_op: number; // lines that are not shown
  stages: ReadonlyArray<Stage>; // ahead-of-time work
  limits: ReadonlyArray<string>; // sentences on what cannot be seen here
  failures: ReadonlyArray<string>; // what went wrong inside jitviz
  n_more_failures: number; // failures that are not listed
  made_with: ReadonlyArray<readonly [string, string]>; // programs and their versions
  quiz: Quiz | null; // to answer before all of this is looked at
  not_kept: string; // which program texts are gone once the kernel is, or ""
}

/** Rows of a partition tree as columns: entry i of each belongs to row i. Texts are positions in `texts`. */
export interface RowColumns {
  kind: Ints; // position in `ROW_KINDS`
  depth: Ints; // steps from a root
  name: Ints; // text
  path: Ints; // text
  type: Ints; // text
  role: Ints; // position in `ROLES`, or -1
  aval: Ints; // text
  value: Ints; // text
  traced: Ints; // traced leaves in the subtree
  static: Ints; // static leaves in the subtree
  nbytes: Floats; // bytes of the arrays in the subtree
  sharding: Ints; // text
  flags: Ints; // bit i is the field `FLAGS[i]` of a row
  marked: Ints; // the rows that have marks
  marks: ReadonlyArray<ReadonlyArray<Mark>>; // the marks of each of them
  texts: ReadonlyArray<string>; // each text once
}

/** All rows of a tree. */
export interface WholePartition {
  about: Partition; // its sums and notes, and no rows
  rows: RowColumns; // the rows
}

/** The trees of a chosen version. */
export interface Detail {
  inputs: WholePartition | null; // the arguments
  outputs: WholePartition | null; // what it returns
}

/** A stretch of a Python file, or of a cell. */
export interface SourceBlock {
  file: number; // position in `Links.files`
  first: number; // number of its first line
  text: string; // its lines
}

/** Places in Python source: entry i is a stretch of `file[i]`. Columns are -1 where they are not known. */
export interface Frames {
  file: Ints; // position in `Links.files`
  function: Ints; // position in `Links.functions`
  line: Ints; // from 1
  column: Ints; // from 0, in characters
  end_line: Ints; // from 1
  end_column: Ints; // exclusive
}

/** Call stacks as a tree, each parent before its children. Counts are of the frame itself, calls left out. */
export interface Stacks {
  frame: Ints; // position in `Links.frames`
  parent: Ints; // the stack that called it, or -1
  equations: Ints; // of the jaxpr
  stablehlo_ops: Ints; // operations of the StableHLO
  hlo_ops: Ints; // operations of the optimised HLO
  flops: Floats; // floating-point operations of one run
  nbytes: Floats; // bytes moved by one run
}

/** Where the lines of one program text come from, by line.
 *
 * A line has several entries where several operations were fused into it, and none where it holds no operation. */
export interface Origins {
  line: Ints; // of the text, from 0
  stack: Ints; // position in `Links.stacks`; -1 for what the compiler inserted
  direction: Ints; // position in `DIRECTIONS`
  name: Ints; // position in `Links.names`
}

/** What one line of Python became, the functions that it calls included. */
export interface LineWork {
  file: Ints; // position in `Links.files`
  line: Ints; // from 1
  equations: Ints; // of the jaxpr
  stablehlo_ops: Ints; // operations of the StableHLO
  hlo_ops: Ints; // operations of the optimised HLO
  flops: Floats; // floating-point operations of one run
  nbytes: Floats; // bytes moved by one run
  repeats: Ints; // how often it ran while the function was traced: more than once in an unrolled loop
}

/** One thing to do about a line that makes much of a program. */
export interface WorkAdvice {
  file: number; // position in `Links.files`
  line: number; // from 1
  summary: string; // what is
  advice: string; // what to do
}

/** What ties the Python source of a compile to its program texts, and how the work spreads over it. */
export interface Links {
  files: ReadonlyArray<string>; // each file once
  functions: ReadonlyArray<string>; // each function name once
  names: ReadonlyArray<string>; // each name stack of an operation once
  sources: ReadonlyArray<SourceBlock>; // what is known of the source
  frames: Frames; // places in it
  stacks: Stacks; // calls of places
  jaxpr: Origins; // where its lines come from
  stablehlo: Origins; // where its lines come from
  hlo: Origins; // where its lines come from
  lines: LineWork; // the work by line
  equations: number; // of the whole jaxpr
  stablehlo_ops: number; // of the whole program
  hlo_ops: number; // of the whole program
  flops: number; // of one run of the whole program
  nbytes: number; // moved by one run of it
  advice: ReadonlyArray<WorkAdvice>; // what to do about its lines
  note: string; // what could not be linked, or ""
}

/** Where two texts differ: lines of the one stand in place of lines of the other. Lines count from 0. */
export interface Hunks {
  before: Ints; // first line in the one text
  before_end: Ints; // exclusive
  after: Ints; // first line in the other text
  after_end: Ints; // exclusive
}

/** Two program texts compared; names of variables do not count. */
export interface Difference {
  hunks: Hunks; // where they differ
  summary: ReadonlyArray<string>; // what is different, in words
}

/** XLA's memory statistics of an executable, in bytes. */
export interface Memory {
  argument: number; // the inputs
  output: number; // the outputs, those that reuse an input included
  temporary: number; // what is held while it runs
  alias: number; // the part of the outputs that reuses inputs
  generated_code: number; // the program itself
}

/** An array that was closed over and is part of the program. */
export interface ConstantView {
  name: string; // what the function calls it, or ""
  aval: string; // JAX's short form ("f32[3,4]")
  nbytes: number; // its size
}

/** Leaves whose texts differ in their indices alone. */
export interface Alike {
  text: string; // "blocks[0..11].weight"
  count: number; // how many they are
}

/** An input that lowering treated in its own way. */
export interface LostInput {
  path: string; // key path, or several as in `Alike`
  aval: string; // JAX's short form
  why: string; // a sentence without its end
  count: number; // how many they are
}

/** What one compiled version costs, and what lowering did to its inputs and outputs. */
export interface ProgramFacts {
  flops: string; // floating-point operations in words, or ""
  moved: string; // bytes moved in words, or ""
  intensity: string; // one by the other in words, or ""
  memory: Memory | null; // XLA's sizes
  constants: ReadonlyArray<ConstantView>; // closed-over arrays, the largest first
  n_more_constants: number; // arrays that are not listed
  constant_nbytes: number; // bytes of all of them
  donated: ReadonlyArray<Alike>; // inputs whose buffer may be reused
  reused: ReadonlyArray<Alike>; // those whose buffer became an output
  not_reused: ReadonlyArray<LostInput>; // the other donated ones
  n_more_not_reused: number; // those that are not listed
  dropped: ReadonlyArray<LostInput>; // inputs that the program does not use
  n_more_dropped: number; // those that are not listed
  forwarded: ReadonlyArray<Alike>; // outputs that are returned unchanged
  static_outputs: ReadonlyArray<Alike>; // outputs that are no arrays
  kept: string; // what the caches keep alive of the function, or ""
  warnings: ReadonlyArray<string>; // sentences
}

/** A jaxpr as a picture. */
export interface GraphView {
  dot: string; // its DOT text
  svg: string; // its picture, where an engine drew it
  node: ReadonlyArray<string>; // ids of elements
  node_line: Ints; // the line of the jaxpr of each, from 0
  cluster: ReadonlyArray<string>; // ids of what can be opened or closed
  cluster_open: ReadonlyArray<string>; // those that are open
  n_nodes: number; // elements that are drawn
  note: string; // what was left closed because there is too much of it, or ""
}

/** Which fields of an interface hold others, alone or in lists. */
export const INSIDE: Record<string, Record<string, string>> = {
  Verdict: {"sentence": "Span"},
  Timeline: {"lanes": "Lane", "bands": "Band"},
  FindingView: {"summary": "Span", "choices": "ChoiceView"},
  AccountView: {"bar": "Spent", "rows": "Spent"},
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
  Span: {"is_code": false, "path": "", "compile": -1},
  Verdict: {"advice": "", "notes": [], "headline": "", "aside": "", "rest": ""},
  ChoiceView: {"is_best": false},
  FindingView: {"advice": "", "effect": "", "code": "", "choices": [], "compiles": []},
  Spent: {"is_avoidable": false},
  AccountView: {"bar": [], "rows": [], "n_more": 0, "beside": ""},
  CellLine: {"seconds": 0.0, "told": "", "findings": []},
  CellView: {"n_more_lines": 0},
  Run: {"error": ""},
  Reason: {"advice": "", "inherent": false, "often": "", "could_be_traced": false},
  Row: {"type": "", "role": null, "aval": "", "value": "", "traced": 0, "static": 0, "nbytes": 0, "sharding": "", "is_weak_type": false, "is_committed": false, "is_donated": false, "is_dropped": false, "is_reused": false, "is_metadata": false, "marks": []},
  Partition: {"rows": [], "traced": 0, "static": 0, "nbytes": 0, "n_more_leaves": 0, "n_more_marks": 0, "is_diff": false, "sharding": "", "note": "", "transform": ""},
  Version: {"error": "", "is_before": false, "origin": "compiled", "saved_s": null, "reasons": [], "n_more_reasons": 0, "compared_with": -1, "inputs": null, "outputs": null, "cost": "", "memory": "", "listings": []},
  FunctionView: {"runs": [], "n_more_runs": 0, "call_sites": [], "n_more_call_sites": 0, "versions": [], "n_more_versions": 0, "called_with": null},
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
  ProgramFacts: {"constants": [], "n_more_constants": 0, "constant_nbytes": 0, "donated": [], "reused": [], "not_reused": [], "n_more_not_reused": 0, "dropped": [], "n_more_dropped": 0, "forwarded": [], "static_outputs": [], "kept": "", "warnings": []},
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
