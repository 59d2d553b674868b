/** Graphviz as WASM: the lazily loaded part that draws graphs. */

export { instance } from "@viz-js/viz";
