/** The lazily loaded part that draws texts with CodeMirror. */

export { openEditor } from "../program/editor/editor.ts";
export { openMerge } from "../program/editor/merge.ts";
