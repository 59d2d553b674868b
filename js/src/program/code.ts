/** What the viewer needs of CodeMirror: the lazily loaded part that draws texts. */

export { openEditor } from "./editor/editor.ts";
export { openMerge } from "./editor/merge.ts";
