/**
 * Keys that belong to a part of the panel, and to nothing else.
 *
 * In: a table of keys and what they do.  Out: a handler.
 * Must never: take a key that is not in the table, so that the notebook's shortcuts stay as they are.
 */

type KeyTable = Record<string, () => void>;

/** "Shift+ArrowLeft", "Enter", "+" */
function nameKey(event: KeyboardEvent): string {
  const isNamed = event.key.length > 1;
  const modifiers = [
    event.ctrlKey && "Ctrl",
    event.altKey && "Alt",
    event.metaKey && "Meta",
    isNamed && event.shiftKey && "Shift",
  ];
  return [...modifiers.filter(Boolean), event.key].join("+");
}

export function onKeys(table: KeyTable): (event: KeyboardEvent) => void {
  return (event) => {
    const act = Object.hasOwn(table, nameKey(event)) ? table[nameKey(event)] : undefined;
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
}

/** In a text field, keys without a modifier belong to the field. */
export function keepTyping(event: KeyboardEvent): void {
  if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
}
