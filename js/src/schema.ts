// Written by `python js/write_types.py` from jitviz/views/schema.py. Do not edit.

/** A column: a plain array in JSON, a typed array where it came as bytes. */
export type Ints = ArrayLike<number>;
export type Floats = ArrayLike<number>;

export type Role = "traced" | "static";
export type FindingKind = "recompile" | "op_by_op" | "slow_trace" | "slow_compile" | "unrolled" | "constant" | "donation" | "not_warmed" | "diverged" | "kept_alive" | "eager_loop" | "unused_jit" | "stale" | "traced_once";
export type What = "trace" | "lower" | "compile" | "load" | "op_by_op" | "run" | "python" | "jitviz";
export type Kind = "first" | "transform" | "new_function" | "config_context" | "treedef" | "kwargs_vs_args" | "leaf_kind" | "static_identity" | "static_eq" | "static_value" | "prng_key_type" | "shape" | "dtype" | "weak_type" | "sharding" | "memory_kind" | "committed" | "cache_cleared" | "unexplained";
export type HitsSeen = "all" | "some" | "none";
export type ListingName = "jaxpr" | "stablehlo" | "hlo";
export type PhaseName = "trace" | "lower" | "compile";
export type Level = "empty" | "hits" | "first" | "recompile" | "running" | "error";
export type RowKind = "node" | "leaf" | "gone" | "more";
export type ColumnKind = "compile" | "trace" | "hits" | "inlined" | "error" | "running" | "ahead" | "many" | "programs";
export type CellRole = "traced" | "static" | "mixed" | "absent";
export type ScoreRowKind = "node" | "leaf" | "group" | "fields" | "cause" | "line" | "more";

export const OUTCOMES = ["hit", "trace", "compile", "inlined", "error"] as const;
export const PHASES = ["trace", "lower", "compile"] as const;
export const WHATS = ["trace", "lower", "compile", "load", "op_by_op", "run", "python", "jitviz"] as const;
export const ROW_KINDS = ["node", "leaf", "gone", "more"] as const;
export const ROLES = ["traced", "static"] as const;
export const FLAGS = ["is_weak_type", "is_donated", "is_reused", "is_committed", "is_dropped", "is_metadata"] as const;
export const DIRECTIONS = ["plain", "forward", "backward"] as const;

/** What a flag is called. */
export const FLAG_WORDS = {"is_weak_type": "weak type", "is_donated": "donated", "is_reused": "reused", "is_committed": "committed", "is_dropped": "not used", "is_metadata": "metadata"} as const;

/** A piece of a sentence. */
export interface Span {
  text: string; // plain text
  is_code: boolean; // whether it is code
  is_strong: boolean; // whether it is emphasised, as what changed is
  path: string; // the leaf that it names, or ""
  compile: number; // the number of the compile that the leaf belongs to, or -1
}

/** The summary of a recording, at the top of every display. */
export interface Verdict {
  level: Level; // the worst that happened
  title: ReadonlyArray<Span>; // the most important of it in one line; what could be saved is strong
  subline: ReadonlyArray<Span>; // what happened, in a sentence below the title
  since: ReadonlyArray<Span>; // what changed since the last run of this cell, or nothing
  advice: string; // the one thing to do, or ""
  notes: ReadonlyArray<string>; // warnings, such as an incomplete recording
}

/** A line of the timeline: the calls of one function in one thread. */
export interface Lane {
  name: string; // name of the function
  function: number; // its place in `Panel.functions`, or -1
  thread: string; // "" for the main thread
  depth: number; // the number of calls around these calls
}

/** A cell, as a stretch of time. */
export interface Band {
  label: string; // "In [3]"
  start_s: number; // when it started
  duration_s: number; // -1 while it runs
}

/** Calls and phases as columns: entry i of each `call_...` tuple belongs to call i of the recording. In a recording
 * of very many calls, an entry may represent several similar hits. -1 means unknown; 0 for a version. */
export interface Timeline {
  duration_s: number; // seconds to the end of the recording, or to now
  lanes: ReadonlyArray<Lane>; // one per function and thread
  bands: ReadonlyArray<Band>; // the cells
  call_lane: Ints; // position in `lanes`
  call_parent: Ints; // the call around it, as a position in these columns
  call_outcome: Ints; // position in `OUTCOMES`
  call_start_s: Floats; // when it started
  call_duration_s: Floats; // how long it took
  call_ready_s: Floats; // when its run started
  call_version: Ints; // the version that ran
  call_count: Ints; // the number of calls that the entry represents
  signed_calls: Ints; // the calls of unknown versions whose arguments are known, as positions
  phase_compile: Ints; // number of the compile, or -1 for a program outside any jit
  phase_call: Ints; // position in the columns of calls
  phase_lane: Ints; // position in `lanes`
  phase_what: Ints; // position in `WHATS`: a phase, or another kind of work
  phase_start_s: Floats; // when it started
  phase_duration_s: Floats; // how long it took
  phase_own_s: Floats; // jitviz's own time after it
}

/** A call that was no plain hit, or consecutive calls that were alike; outside any jit, consecutive programs. */
export interface ScoreColumn {
  kind: ColumnKind; // "many": several calls that compiled for the same causes, with the hits between them
  first: number; // number of its first call in the function, from 1; 0 without a number
  last: number; // number of its last call
  count: number; // its calls, 0 ahead of time; outside any jit its programs
  name: string; // what stands beneath it: the version that it compiled ("2"), "×57", "v3"
  label: string; // what it is, in words: "call 4: compile, version 2, 3.2 s"
  version: number; // the version that ran; 0 for none, several, or an unknown one
  is_known: boolean; // whether it is known which version ran
  compiles: Ints; // the numbers of its compiles in the recording
  call: number; // the position of its first call in the columns of `Timeline`, or -1
  seconds: number; // seconds of its compiles; of other calls, their run
  told: string; // the same in words, "" for a moment
  trace_s: number; // seconds of tracing
  lower_s: number; // seconds of lowering
  compile_s: number; // seconds of compiling, or of loading from disk
  run_s: number; // seconds of running programs, 0 if that is unknown
  avoidable_s: number; // the avoidable part of `seconds`
  marks: ReadonlyArray<string>; // what else there is to say, in words that the glossary explains: "stale"
  error: string; // what was raised, or ""
  source: string; // the line that called
  thread: string; // "" for the main thread
}

/** A cell that differs from the one before it in its row, or that made the call compile. */
export interface ScoreCell {
  column: number; // position in `Score.columns`
  role: CellRole; // what the leaf is from here on
  text: string; // what is written in it: "128", "weak", "True"
  told: string; // the whole change: "f32[128,784] → f32[96,784]"
  is_cause: boolean; // whether it made the call compile
  is_blamed: boolean; // whether it made the call raise
}

/** A leaf or node of the arguments, through all calls. */
export interface ScoreRow {
  kind: ScoreRowKind; // "group": siblings that are alike, once; "cause": what is no leaf, but made a call compile
  depth: number; // steps from a root
  name: string; // the last step of `path`, or the whole path of a root; of a group "[0..5]"
  path: string; // key path, or ""
  type: string; // what it is: "f32[·,784]", "6 × Linear"
  varies: string; // what it was, one after the other: "128 | 96", or ""
  traced: number; // traced leaves in it
  static: number; // static leaves in it
  is_open: boolean; // whether the rows beneath it are shown at first
  has_changed: boolean; // whether it changed, or something beneath it
  marks: ReadonlyArray<string>; // properties, in the words of `FLAG_WORDS`
  cells: ReadonlyArray<ScoreCell>; // where it changed; in between, it is as in the cell before
}

/** The calls of a function across, the leaves of its arguments down, the seconds above. */
export interface Score {
  function: string; // its name, or "outside any jit"
  place: number; // its place in `Panel.functions`, or -1
  told: string; // its calls, compiles and seconds in one line
  calls: number; // calls that were seen; -1 if hits are not seen
  compiles: number; // executables that were compiled or loaded from disk
  seconds: number; // seconds of its compiles
  api: string; // the wrapper that jitted it ("jax.jit")
  avoidable_s: number; // the avoidable part of `seconds`
  columns: ReadonlyArray<ScoreColumn>; // its calls in order
  rows: ReadonlyArray<ScoreRow>; // the tree of its arguments in preorder
  note: string; // what could not be seen, or ""
}

/** An exception that left what was recorded. One of a kind that is not known has its own text, and its line. */
export interface RaisedView {
  kind: string; // of exception ("branch"), or ""
  error: string; // its type
  message: string; // what it says itself
  source: string; // the user's line
  line: string; // the text of that line
  function: string; // the function that was traced or called, or ""
  path: string; // the leaf to blame, or ""
  also: ReadonlyArray<string>; // other leaves that the value depends on
  summary: ReadonlyArray<Span>; // what happened, in at most 20 words
  detail: ReadonlyArray<Span>; // which leaf, from where, and what an earlier call did
  advice: ReadonlyArray<Span>; // one thing to write instead
  code: string; // the line as it could be written, or ""
}

/** One way to pad, in words. */
export interface ChoiceView {
  name: string; // its name ("powers of two")
  sizes: string; // the sizes that it pads to
  compiles: number; // the remaining versions
  padding: string; // elements added per element ("12%", "10% to 23%")
  run: string; // what running them would have cost ("12 ms more to run"), or ""
  saved: string; // seconds of compiling that it saves, as text
  code: string; // code to paste, or "" if it is that of the finding
  is_best: boolean; // whether it is the best choice
  lines: Ints; // `sizes` as numbers
}

/** What came with each size: entry i of each column belongs to a version. */
export interface PlanView {
  size: Ints; // its size
  calls: Ints; // calls that ran it
  group: Ints; // equal for versions that are one program once they have one size
  seconds: Floats; // seconds of its compile, -1 for an earlier cell's
  compiles: number; // compiles of the function in this cell
}

/** One cause, its cost, and what to do about it. */
export interface FindingView {
  kind: FindingKind; // the kind of cause
  function: string; // the function that it is about, or ""
  source: string; // the line that caused it, or ""
  seconds: number; // its cost
  saves_s: number; // what fixing it alone saves, 0 if that is unknown; findings come in this order
  count: number; // how often it happened
  summary: ReadonlyArray<Span>; // what happened, in one sentence
  cost: string; // how often and where, unless the sentence says so
  advice: string; // what to do
  effect: string; // what fixing it alone saves
  code: string; // code to paste, or ""
  choices: ReadonlyArray<ChoiceView>; // ways to pad, if that helps
  compiles: Ints; // numbers of some compiles that it caused
  edits: ReadonlyArray<string>; // the lines that it asks to change, as far as they are known
  plan: PlanView | null; // what came with each size, if padding helps
  number: number; // its number in `rec.findings`, from 1
  is_also: boolean; // whether it is no counted cause of this cell: disk, first compiles, memory, estimates
  cause: ReadonlyArray<Span>; // what happened, in at most 12 words
  brief: string; // what to do, in at most 15 words, or ""
  paths: ReadonlyArray<string>; // the rows of a score that it is about
}

/** Seconds of one kind of work (depth 0), or of a part of it: a function, then lines. */
export interface Spent {
  what: What; // the kind of work
  depth: number; // 0 for a kind of work
  name: string; // name of the kind, function, line or pass
  seconds: number; // its seconds, including all rows below it
  avoidable_s: number; // of the bar: the part of `seconds` that avoidable recompiles took
}

/** Where the wall time went: as a bar, and as a tree in preorder, most seconds first. */
export interface AccountView {
  wall_s: number; // the sum of the bar, and of the rows of depth 0
  bar: ReadonlyArray<Spent>; // kinds of work, whole, and their functions, compiling first
  avoidable: string; // what of it was avoidable ("3.5 s: 3.0 s XLA, 500 ms tracing"), or ""
  rows: ReadonlyArray<Spent>; // the tree
  n_more: number; // rows that are not listed
  beside: string; // what other threads did meanwhile, or ""
  processes: ReadonlyArray<string>; // of a merged recording: the sum of all processes, then where the time of each went
}

/** A line of a cell. */
export interface CellLine {
  number: number; // from 1
  text: string; // its text
  seconds: number; // wall seconds of it, whatever they were for, with what it called
  told: string; // the outcomes of its calls
  findings: Ints; // the findings about it, as places in `Panel.findings`
  beneath: number; // the part of `seconds` that lines beneath it called
  edits: Ints; // the findings that ask to change it, as places in `Panel.findings`
  python_s: number; // the part of `seconds` that is Python
  trace_s: number; // the part of `seconds` that is tracing and lowering
  compile_s: number; // the part of `seconds` that is compiling or loading, outside any jit too
  run_s: number; // the part of `seconds` that is running programs
}

/** A cell, line by line; of a long cell, only the lines near those that compiled something. */
export interface CellView {
  label: string; // "In [3]"
  lines: ReadonlyArray<CellLine>; // in order
  n_more_lines: number; // lines that are not shown
}

/** The time of a phase. */
export interface PhaseTime {
  name: PhaseName; // which phase
  duration_s: number | null; // None while it is running, or if JAX does not report it
}

/** A line of the user's program that called a function. */
export interface CallSite {
  source: string; // file and line
  compile_s: number; // seconds of the compiles that it caused
  told: string; // the outcomes of its calls in words
}

/** Why a function compiled. */
export interface Reason {
  kind: Kind; // what changed
  path: string; // the user's leaf, the name of a setting ("config_context"), or "" for other causes
  before: string; // what it was
  after: string; // what it is now
  summary: string; // one plain sentence
  advice: string; // one thing to do, or ""
  inherent: boolean; // anyone would expect the recompile (a train and an eval mode)
  often: string; // the sentence for many such recompiles, if `summary` is more specific to this one
  shape_before: Ints; // of an array whose shape, dtype or placement changed, as it was
  shape: Ints; // of the array now
}

/** A property of a leaf or node that differs from the compared version. */
export interface Mark {
  kind: Kind; // which property
  before: string; // what it was
  after: string; // what it is now
}

/** One line of a partition tree, in preorder. */
export interface Row {
  kind: RowKind; // "gone": only the earlier version has the path; "more": represents hidden rows
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
  sharding: string; // "" if the whole tree has the same sharding
  is_weak_type: boolean; // JAX may convert its dtype, like that of a Python scalar
  is_committed: boolean; // bound to its devices
  is_donated: boolean; // its buffer may be reused
  is_dropped: boolean; // an input that the program does not use
  is_reused: boolean; // its buffer became an output
  is_metadata: boolean; // static, and part of the treedef
  marks: ReadonlyArray<Mark>; // its changes
}

/** The leaves of an argument list or of the outputs, traced and static, as a tree. */
export interface Partition {
  rows: ReadonlyArray<Row>; // the tree in preorder
  traced: number; // traced leaves
  static: number; // static leaves
  nbytes: number; // bytes of the arrays
  n_more_leaves: number; // leaves without a row
  n_more_marks: number; // changes without a mark
  is_diff: boolean; // only changes are drawn
  sharding: string; // the sharding of all leaves, or ""
  note: string; // what could not be seen, or ""
  transform: string; // the transform that shaped the outputs ("grad"), or ""
}

/** XLA's memory statistics of an executable, in bytes. */
export interface Memory {
  argument: number; // the inputs
  output: number; // the outputs, including those that reuse an input
  temporary: number; // scratch space while it runs
  alias: number; // the part of the outputs that reuses inputs
  generated_code: number; // the program itself
}

/** A program text. */
export interface Listing {
  name: ListingName; // which text
  n_lines: number; // its lines
}

/** One compiled version of a function. */
export interface Version {
  index: number; // its number among the recording's compiles, or if `is_before` among the earlier ones, from 0
  version: number; // its number in the function, from 1
  name: string; // "version 2", with the transform or the stage if it is not an ordinary call
  made: string; // how it came about ("loaded from disk by call 3 at train.py:7, 2.0 s saved")
  status: "running" | "done" | "failed"; // how far it is
  source: string; // the source line that caused it
  call: number | null; // the number of the call that caused it, from 1; None ahead of time or if hits are not seen
  hits: number; // later calls that are known to have run it
  duration_s: number; // total seconds of its phases
  phases: ReadonlyArray<PhaseTime>; // its phases, in order
  error: string; // the error that it raised, or ""
  is_before: boolean; // compiled before the recording: its program was not kept
  reasons: ReadonlyArray<Reason>; // why it was compiled, the cause first
  n_more_reasons: number; // reasons that are not listed
  judged: string; // whether a recompile was avoidable, and how its program differs ("avoidable: the same program …")
  compared_with: number; // the compile that the reasons compare it with, or -1
  inputs: Partition | null; // its arguments; of an earlier version, only if several ran
  outputs: Partition | null; // its results
  cost: string; // XLA's estimate in words, or ""
  memory: string; // XLA's memory sizes in words, or ""
  flops: number | null; // floating-point operations of one run, by XLA's estimate
  moved: number | null; // bytes that one run moves, by XLA's estimate
  sizes: Memory | null; // the numbers of `memory`
  listings: ReadonlyArray<Listing>; // its program texts
}

/** A jitted function: its calls, and its compiled versions, oldest first. Calls have no numbers if no hits are
 * seen. */
export interface FunctionView {
  name: string; // its name for people
  api: string; // the wrapper that jitted it ("jax.jit")
  defined_at: string; // file and line of its definition, or ""
  hits_seen: HitsSeen; // whether all of its hits were seen, some, or none
  hits_of_unknown_version: number; // hits whose version is not known
  unknown_version: string; // what they may have run ("one of versions 1–2"), or ""
  compile_s: number; // seconds of its compiles
  told: string; // the outcomes of its calls in one line
  phases: ReadonlyArray<PhaseTime>; // seconds by phase, over all versions
  call_sites: ReadonlyArray<CallSite>; // the lines that called it, the most expensive first
  n_more_call_sites: number; // lines that are not listed
  versions: ReadonlyArray<Version>; // earlier versions that ran here, then those compiled here
  n_more_versions: number; // versions that are not listed
  called_with: Partition | null; // its arguments, if it did not compile here
  called_with_call: number; // number of the only call with these arguments; 0 if all have them, -1 without a number
}

/** The programs of one public function that one line compiled outside any jit. */
export interface OpRow {
  name: string; // the public function
  source: string; // the line
  seconds: number; // their seconds
  count: number; // how many there are
  told: string; // how often, and in what they differ ("2 times, once per dtype of its input")
}

/** What made a call compile? Right are the rows of the score that have a cause in its column. */
export interface QuizQuestion {
  column: number; // position in the columns of the score
  text: string; // "what made call 3 compile"
  answer: string; // "`x` f32[3] → f32[4]"
}

/** Questions to answer before looking at the panel. */
export interface Quiz {
  score: number; // position in `Panel.scores`
  questions: ReadonlyArray<QuizQuestion>; // in the order of the calls
  choices: ReadonlyArray<string>; // paths, for where the score is not drawn
}

/** Everything that is shown of a recording. */
export interface Panel {
  label: string; // the name of the recording
  is_finished: boolean; // whether the recording has ended
  verdict: Verdict; // the summary
  compiles: number; // executables that were compiled or loaded from disk
  timeline: Timeline; // calls and phases
  scores: ReadonlyArray<Score>; // of each function, the most expensive first; then what ran outside any jit
  n_more_scores: number; // functions without a score
  last_scores: ReadonlyArray<Score>; // those of the last run of this cell, if it is known
  raised: RaisedView | null; // the exception that left what was recorded
  findings: ReadonlyArray<FindingView>; // what is worth doing, most seconds first
  n_more_findings: number; // findings that are not shown
  also: string; // the findings that are no counted causes of this cell, in one line, or ""
  account: AccountView | null; // where the wall time went
  cells: ReadonlyArray<CellView>; // cells that compiled something
  functions: ReadonlyArray<FunctionView>; // in the order of their first call or compile
  n_more_functions: number; // functions that are not shown
  op_by_op: ReadonlyArray<OpRow>; // programs compiled outside any jit, by line
  n_more_op_by_op: number; // lines that are not shown
  stages: ReadonlyArray<string>; // ahead-of-time work, a sentence for each line
  limits: ReadonlyArray<string>; // sentences on what cannot be seen here
  failures: ReadonlyArray<string>; // errors inside jitviz
  n_more_failures: number; // failures that are not listed
  made_with: string; // packages with their versions
  quiz: Quiz | null; // questions to answer before looking at the rest
  not_kept: string; // the program texts that are lost without the kernel, or ""
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
  about: Partition; // its sums and notes, without rows
  rows: RowColumns; // the rows
}

/** The trees of a chosen version. */
export interface Detail {
  inputs: WholePartition | null; // the arguments
  outputs: WholePartition | null; // the results
}

/** A stretch of a Python file, or of a cell. */
export interface SourceBlock {
  file: number; // position in `Links.files`, its number in the places
  first: number; // number of its first line
  text: string; // its lines
}

/** Places in Python source: entry i is a stretch of `file[i]`. A column of -1 is unknown. */
export interface Frames {
  file: Ints; // position in `Links.files`
  function: Ints; // position in `Links.functions`
  line: Ints; // from 1
  column: Ints; // from 0, in characters
  end_line: Ints; // from 1
  end_column: Ints; // exclusive
}

/** Call stacks as a tree, each parent before its children. The counts of a frame exclude the frames it calls. */
export interface Stacks {
  frame: Ints; // position in `Links.frames`
  parent: Ints; // the stack that called it, or -1
  equations: Ints; // equations of the jaxpr
  stablehlo_ops: Ints; // operations of the StableHLO
  hlo_ops: Ints; // operations of the optimised HLO
}

/** Where the lines of one program text come from, by line. A line with several fused operations has several entries;
 * a line without an operation has none. */
export interface Origins {
  line: Ints; // line of the text, from 0
  stack: Ints; // position in `Links.stacks`; -1 for operations that the compiler inserted
  direction: Ints; // position in `DIRECTIONS`
  name: Ints; // position in `Links.names`
}

/** The work of each line of Python, including the functions that it calls. */
export interface LineWork {
  file: Ints; // position in `Links.files`
  line: Ints; // from 1
  equations: Ints; // equations of the jaxpr
  stablehlo_ops: Ints; // operations of the StableHLO
  hlo_ops: Ints; // operations of the optimised HLO
  repeats: Ints; // how often it ran during tracing: more than once in an unrolled loop
}

/** Advice on a line that makes up much of a program. */
export interface WorkAdvice {
  file: number; // position in `Links.files`
  line: number; // from 1
  summary: string; // what the line does
  advice: string; // what to do about it
}

/** The links between the Python source of a compile and its program texts, and the work of each line. */
export interface Links {
  files: ReadonlyArray<string>; // each file once
  functions: ReadonlyArray<string>; // each function name once
  names: ReadonlyArray<string>; // each name stack of an operation once
  sources: ReadonlyArray<SourceBlock>; // the known source
  frames: Frames; // places in the source
  stacks: Stacks; // call stacks
  jaxpr: Origins; // where the lines of the jaxpr come from
  stablehlo: Origins; // where the lines of the StableHLO come from
  hlo: Origins; // where the lines of the HLO come from
  lines: LineWork; // the work by line
  equations: number; // equations of the whole jaxpr
  stablehlo_ops: number; // operations of the whole StableHLO
  hlo_ops: number; // operations of the whole optimised HLO
  advice: ReadonlyArray<WorkAdvice>; // advice on its lines
  note: string; // what could not be linked, or ""
}

/** Where two texts differ: some lines of the first are replaced by lines of the second. Lines count from 0. */
export interface Hunks {
  before: Ints; // first line in the first text
  before_end: Ints; // exclusive
  after: Ints; // first line in the second text
  after_end: Ints; // exclusive
}

/** The difference between two program texts; names of variables do not count. */
export interface Difference {
  hunks: Hunks; // where they differ
  summary: ReadonlyArray<string>; // the differences in words
}

/** An array that was closed over and is part of the program. */
export interface Constant {
  name: string; // its name in the function, or ""
  aval: string; // JAX's short form ("f32[3,4]")
  nbytes: number; // its size
}

/** Leaves whose texts differ only in their indices. */
export interface Alike {
  text: string; // "blocks[0..11].weight"
  count: number; // number of leaves
}

/** An input that lowering dropped, or whose donated buffer was not reused. */
export interface LostInput {
  path: string; // key path, or several merged as in `Alike`
  aval: string; // JAX's short form
  why: string; // the reason, as a sentence without a full stop
  count: number; // number of inputs
}

/** The cost of one compiled version, and what lowering did to its inputs and outputs. */
export interface ProgramFacts {
  flops: string; // floating-point operations in words, or ""
  moved: string; // bytes moved in words, or ""
  memory: Memory | null; // XLA's memory sizes
  constants: ReadonlyArray<Constant>; // closed-over arrays, the largest first
  n_more_constants: number; // arrays that are not listed
  constant_nbytes: number; // bytes of all of them
  donated: ReadonlyArray<Alike>; // inputs whose buffer may be reused
  reused: ReadonlyArray<Alike>; // donated inputs whose buffer became an output
  not_reused: ReadonlyArray<LostInput>; // the other donated inputs
  n_more_not_reused: number; // donated inputs that are not listed
  dropped: ReadonlyArray<LostInput>; // inputs that the program does not use
  n_more_dropped: number; // dropped inputs that are not listed
  forwarded: ReadonlyArray<Alike>; // outputs that are unchanged inputs
  static_outputs: ReadonlyArray<Alike>; // outputs that are not arrays
  kept: string; // what JAX's caches keep alive for the function, or ""
  warnings: ReadonlyArray<string>; // sentences
}

/** A jaxpr as a picture. */
export interface GraphView {
  dot: string; // its DOT text
  svg: string; // its picture, or "" if no engine drew it
  node: ReadonlyArray<string>; // ids of nodes and clusters
  node_line: Ints; // the line of the jaxpr of each, from 0
  cluster: ReadonlyArray<string>; // ids of the parts that can be opened or closed
  cluster_open: ReadonlyArray<string>; // ids of the open parts
  n_nodes: number; // number of nodes
  note: string; // the parts that were left closed for their size, or ""
}

/** Which fields of an interface hold others, alone or in lists. */
export const INSIDE: Record<string, Record<string, string>> = {
  Verdict: {"title": "Span", "subline": "Span", "since": "Span"},
  Timeline: {"lanes": "Lane", "bands": "Band"},
  ScoreRow: {"cells": "ScoreCell"},
  Score: {"columns": "ScoreColumn", "rows": "ScoreRow"},
  RaisedView: {"summary": "Span", "detail": "Span", "advice": "Span"},
  FindingView: {"summary": "Span", "choices": "ChoiceView", "plan": "PlanView", "cause": "Span"},
  AccountView: {"bar": "Spent", "rows": "Spent"},
  CellView: {"lines": "CellLine"},
  Row: {"marks": "Mark"},
  Partition: {"rows": "Row"},
  Version: {"phases": "PhaseTime", "reasons": "Reason", "inputs": "Partition", "outputs": "Partition", "sizes": "Memory", "listings": "Listing"},
  FunctionView: {"phases": "PhaseTime", "call_sites": "CallSite", "versions": "Version", "called_with": "Partition"},
  Quiz: {"questions": "QuizQuestion"},
  Panel: {"verdict": "Verdict", "timeline": "Timeline", "scores": "Score", "last_scores": "Score", "raised": "RaisedView", "findings": "FindingView", "account": "AccountView", "cells": "CellView", "functions": "FunctionView", "op_by_op": "OpRow", "quiz": "Quiz"},
  RowColumns: {"marks": "Mark"},
  WholePartition: {"about": "Partition", "rows": "RowColumns"},
  Detail: {"inputs": "WholePartition", "outputs": "WholePartition"},
  Links: {"sources": "SourceBlock", "frames": "Frames", "stacks": "Stacks", "jaxpr": "Origins", "stablehlo": "Origins", "hlo": "Origins", "lines": "LineWork", "advice": "WorkAdvice"},
  Difference: {"hunks": "Hunks"},
  ProgramFacts: {"memory": "Memory", "constants": "Constant", "donated": "Alike", "reused": "Alike", "not_reused": "LostInput", "dropped": "LostInput", "forwarded": "Alike", "static_outputs": "Alike"},
};

/** What a field is where a message leaves it out. */
export const DEFAULTS: Record<string, Record<string, unknown>> = {
  Span: {"is_code": false, "is_strong": false, "path": "", "compile": -1},
  Verdict: {"subline": [], "since": [], "advice": "", "notes": []},
  ScoreColumn: {"version": 0, "is_known": true, "compiles": [], "call": -1, "seconds": 0.0, "told": "", "trace_s": 0.0, "lower_s": 0.0, "compile_s": 0.0, "run_s": 0.0, "avoidable_s": 0.0, "marks": [], "error": "", "source": "", "thread": ""},
  ScoreCell: {"text": "", "told": "", "is_cause": false, "is_blamed": false},
  ScoreRow: {"type": "", "varies": "", "traced": 0, "static": 0, "is_open": false, "has_changed": false, "marks": [], "cells": []},
  Score: {"api": "", "avoidable_s": 0.0, "columns": [], "rows": [], "note": ""},
  RaisedView: {"function": "", "path": "", "also": [], "summary": [], "detail": [], "advice": [], "code": ""},
  ChoiceView: {"is_best": false, "lines": []},
  FindingView: {"advice": "", "effect": "", "code": "", "choices": [], "compiles": [], "edits": [], "plan": null, "number": 0, "is_also": false, "cause": [], "brief": "", "paths": []},
  Spent: {"avoidable_s": 0.0},
  AccountView: {"bar": [], "avoidable": "", "rows": [], "n_more": 0, "beside": "", "processes": []},
  CellLine: {"seconds": 0.0, "told": "", "findings": [], "beneath": 0.0, "edits": [], "python_s": 0.0, "trace_s": 0.0, "compile_s": 0.0, "run_s": 0.0},
  CellView: {"n_more_lines": 0},
  Reason: {"advice": "", "inherent": false, "often": "", "shape_before": [], "shape": []},
  Row: {"type": "", "role": null, "aval": "", "value": "", "traced": 0, "static": 0, "nbytes": 0, "sharding": "", "is_weak_type": false, "is_committed": false, "is_donated": false, "is_dropped": false, "is_reused": false, "is_metadata": false, "marks": []},
  Partition: {"rows": [], "traced": 0, "static": 0, "nbytes": 0, "n_more_leaves": 0, "n_more_marks": 0, "is_diff": false, "sharding": "", "note": "", "transform": ""},
  Memory: {"argument": 0, "output": 0, "temporary": 0, "alias": 0, "generated_code": 0},
  Version: {"error": "", "is_before": false, "reasons": [], "n_more_reasons": 0, "judged": "", "compared_with": -1, "inputs": null, "outputs": null, "cost": "", "memory": "", "flops": null, "moved": null, "sizes": null, "listings": []},
  FunctionView: {"call_sites": [], "n_more_call_sites": 0, "versions": [], "n_more_versions": 0, "called_with": null, "called_with_call": 0},
  Panel: {"scores": [], "n_more_scores": 0, "last_scores": [], "raised": null, "findings": [], "n_more_findings": 0, "also": "", "account": null, "cells": [], "functions": [], "n_more_functions": 0, "op_by_op": [], "n_more_op_by_op": 0, "stages": [], "limits": [], "failures": [], "n_more_failures": 0, "made_with": "", "quiz": null, "not_kept": ""},
  Frames: {"file": [], "function": [], "line": [], "column": [], "end_line": [], "end_column": []},
  Stacks: {"frame": [], "parent": [], "equations": [], "stablehlo_ops": [], "hlo_ops": []},
  Origins: {"line": [], "stack": [], "direction": [], "name": []},
  LineWork: {"file": [], "line": [], "equations": [], "stablehlo_ops": [], "hlo_ops": [], "repeats": []},
  Links: {"equations": 0, "stablehlo_ops": 0, "hlo_ops": 0, "advice": [], "note": ""},
  Hunks: {"before": [], "before_end": [], "after": [], "after_end": []},
  Alike: {"count": 1},
  LostInput: {"count": 1},
  ProgramFacts: {"constants": [], "n_more_constants": 0, "constant_nbytes": 0, "donated": [], "reused": [], "not_reused": [], "n_more_not_reused": 0, "dropped": [], "n_more_dropped": 0, "forwarded": [], "static_outputs": [], "kept": "", "warnings": []},
  GraphView: {"svg": "", "node": [], "node_line": [], "cluster": [], "cluster_open": [], "n_nodes": 0, "note": ""},
};

/** How the columns of a timeline are laid out in bytes. */
export const TIMELINE_COLUMNS = {
  call_lane: "int32",
  call_parent: "int32",
  call_outcome: "int32",
  call_start_s: "float64",
  call_duration_s: "float64",
  call_ready_s: "float64",
  call_version: "int32",
  call_count: "int32",
  signed_calls: "int32",
  phase_compile: "int32",
  phase_call: "int32",
  phase_lane: "int32",
  phase_what: "int32",
  phase_start_s: "float64",
  phase_duration_s: "float64",
  phase_own_s: "float64",
} as const;
