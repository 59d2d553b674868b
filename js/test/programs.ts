/** A small program with its texts and links, made by hand so that every number in a test can be looked up here. */

import type { Difference, Links, ProgramFacts } from "../src/schema.ts";
import { nameChunk } from "../src/wire/chunk.ts";
import { askFrom, golden, type Shown, show } from "./helpers.ts";

export const CELL = `def layer(w, x):
    return jnp.tanh(x @ w)

def loss(w, x):
    y = layer(w, layer(w, x))
    return jnp.sum(y)
`;

export const JAXPR = `{ lambda ; a:f32[4,4] b:f32[2,4]. let
    c:f32[2,4] = dot_general[
      dimension_numbers=(([1], [0]), ([], []))
    ] b a
    d:f32[2,4] = tanh c
    e:f32[2,4] = dot_general[dimension_numbers=(([1], [0]), ([], []))] d a
    f:f32[2,4] = tanh e
    g:f32[] = reduce_sum[axes=(0, 1)] f
    h:f32[2,4] = sub 1.0:f32[] f
  in (g, h) }`;

export const STABLEHLO = `module @jit_step {
  func.func public @main(%arg0: tensor<4x4xf32>, %arg1: tensor<2x4xf32>) -> tensor<f32> {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0] : tensor<2x4xf32>
    %1 = stablehlo.tanh %0 : tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
}
`;

export const HLO = `HloModule jit_step, is_scheduled=true

%fused_computation (param_0: f32[2,4]) -> f32[] {
  %param_0 = f32[2,4]{1,0} parameter(0)
  %tanh.1 = f32[2,4]{1,0} tanh(%param_0)
  ROOT %reduce_sum.0 = f32[] reduce(%tanh.1), dimensions={0,1}
}

ENTRY %main (Arg_0: f32[4,4], Arg_1: f32[2,4]) -> f32[] {
  %copy.1 = f32[2,4]{1,0} copy(%Arg_1)
  ROOT %tanh_reduce_fusion = f32[] fusion(%copy.1), kind=kLoop, calls=%fused_computation
}
`;

/** Frames and stacks of the cell: 0 the outer call of layer, 1 the inner one, 2 to 5 what happened in them, 6 the sum. */
export function madeLinks(): Links {
  const [plain, forward, backward] = [0, 1, 2];
  const links = {
    files: ["In [3]"],
    functions: ["layer", "loss"],
    names: ["", "jvp(loss)/dot_general", "jvp(loss)/tanh", "transpose(jvp(loss))/sub", "jvp(loss)/reduce_sum"],
    sources: [{ file: 0, first: 1, text: CELL }],
    frames: {
      file: [0, 0, 0, 0, 0],
      function: [0, 0, 1, 1, 1],
      line: [2, 2, 5, 5, 6],
      column: [11, 20, 8, 17, 11],
      end_line: [2, 2, 5, 5, 6],
      end_column: [26, 25, 29, 28, 21],
    },
    stacks: {
      frame: [2, 3, 1, 0, 1, 0, 4],
      parent: [-1, -1, 1, 1, 0, 0, -1],
      equations: [0, 0, 1, 1, 1, 2, 1],
      stablehlo_ops: [0, 0, 1, 1, 0, 0, 0],
      hlo_ops: [0, 0, 0, 0, 0, 1, 1],
    },
    jaxpr: {
      line: [1, 4, 5, 6, 7, 8],
      stack: [2, 3, 4, 5, 6, 5],
      direction: [forward, forward, forward, forward, forward, backward],
      name: [1, 2, 1, 2, 4, 3],
    },
    stablehlo: { line: [2, 3], stack: [2, 3], direction: [forward, forward], name: [1, 2] },
    hlo: {
      line: [4, 5, 9, 10, 10],
      stack: [5, 6, -1, 5, 6],
      direction: [forward, forward, plain, forward, forward],
      name: [2, 4, 0, 2, 4],
    },
    lines: {
      file: [0, 0, 0],
      line: [2, 5, 6],
      equations: [5, 5, 1],
      stablehlo_ops: [2, 2, 0],
      hlo_ops: [1, 1, 1],
      repeats: [2, 1, 1],
    },
    equations: 6,
    stablehlo_ops: 2,
    hlo_ops: 2,
    advice: [{ file: 0, line: 2, summary: "`layer` ran twice.", advice: "Use `jax.lax.scan`." }],
    note: "",
  };
  return links;
}

/** The version before it: of other shapes, with another function, and one line less. */
const BEFORE = JAXPR.replace("tanh e", "sin e")
  .replaceAll("2,4", "5,4")
  .replace("    h:f32[5,4] = sub 1.0:f32[] f\n", "");

const difference: Difference = {
  hunks: { before: [6, 8], before_end: [7, 8], after: [6, 8], after_end: [7, 9] },
  summary: ["+ 1 tanh, − 1 sin, + 1 sub", "shapes 5 → 2"],
};

const facts: ProgramFacts = {
  flops: "160",
  moved: "420 B",
  memory: { argument: 96, output: 36, temporary: 64, alias: 64, generated_code: 2048 },
  constants: [{ name: "table", aval: "f32[600,600]", nbytes: 1_440_000 }],
  n_more_constants: 0,
  constant_nbytes: 1_440_000,
  donated: [{ text: "w", count: 1 }],
  reused: [],
  not_reused: [{ path: "w", aval: "f32[4,4]", why: "no output has its shape", count: 1 }],
  n_more_not_reused: 0,
  dropped: [{ path: "unused", aval: "f32[]", why: "", count: 1 }],
  n_more_dropped: 1_980,
  forwarded: [],
  static_outputs: [{ text: "[1]", count: 1 }],
  kept: "2 versions, 2.9 MB of constants",
  warnings: ["`table` is a constant of 1.4 MB in the program; pass it as an argument."],
};

/** What a kernel would answer about both versions of `step`. */
export function programAnswers(): Record<string, unknown> {
  const answers: Record<string, unknown> = {};
  for (const [compile, jaxpr] of [BEFORE, JAXPR].entries()) {
    answers[`listing compile ${compile} name jaxpr`] = { text: jaxpr };
    answers[`listing compile ${compile} name stablehlo`] = { text: STABLEHLO };
    answers[`listing compile ${compile} name hlo`] = { text: HLO };
    answers[`links compile ${compile}`] = madeLinks();
    answers[`facts compile ${compile}`] = facts;
  }
  answers["difference before 0 after 1 name jaxpr"] = difference;
  return answers;
}

/** The part of the front end that pages load when they need it. */
export function provideCode(): void {
  Object.assign(globalThis, { [nameChunk("code")]: import("../src/bundles/code.ts") });
}

/** A panel at the program tab. */
export function showProgram(answers = programAnswers(), width?: number): Shown {
  return show(golden("recompile_by_treedef").view, askFrom(answers), width, "Program");
}
