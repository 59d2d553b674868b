/** The lazily loaded part that draws texts with CodeMirror. */

export { openEditor } from "./editor/editor.ts";
export { openMerge } from "./editor/merge.ts";
