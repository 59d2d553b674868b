/** A choice of one of a few things, as a row of joined buttons. */

interface Props<T extends string> {
  label: string;
  items: readonly T[];
  chosen: T;
  nameItem?: (item: T) => string;
  onChoose(item: T): void;
}

export function Segments<T extends string>({ label, items, chosen, nameItem = String, onChoose }: Props<T>) {
  return (
    <fieldset class="jitviz-segments" aria-label={label}>
      {items.map((item) => (
        <button key={item} type="button" aria-pressed={item === chosen} onClick={() => onChoose(item)}>
          {nameItem(item)}
        </button>
      ))}
    </fieldset>
  );
}
