/**
 * Jupyter's shortcuts, some of which are single keys: "x" cuts the cell.
 *
 * In: the element of a panel.  Out: single keys pressed inside it act inside it, or not at all.
 * Must never: keep a key from the notebook that comes with Ctrl, Alt or Meta, or Shift+Enter, which runs the cell.
 *
 * Notebook 7 handles keys before the panel sees them, so this runs earlier still, and sets the attribute that Jupyter's
 * key handling (Lumino) looks for, first of all at the focused element.
 */

const MARK = "data-lm-suppress-shortcuts";

export function keepShortcutsOut(panel: HTMLElement): () => void {
  const mark = (event: KeyboardEvent) => {
    const { target } = event;
    if (!(target instanceof Element) || !panel.contains(target)) return;
    const isSingle = !event.ctrlKey && !event.altKey && !event.metaKey && !(event.shiftKey && event.key === "Enter");
    target.toggleAttribute(MARK, isSingle);
  };
  window.addEventListener("keydown", mark, { capture: true });
  return () => window.removeEventListener("keydown", mark, { capture: true });
}
