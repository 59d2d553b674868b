/** The buttons of the timeline. */

interface Props {
  isFolded: boolean;
  isTable: boolean;
  isWhole: boolean;
  onZoom(factor: number): void;
  onWhole(): void;
  onFold(): void;
  onTable(): void;
}

export function Tools({ isFolded, isTable, isWhole, onZoom, onWhole, onFold, onTable }: Props) {
  return (
    <div class="jitviz-tools" role="toolbar" aria-label="Timeline tools">
      <button type="button" title="zoom out (−)" aria-label="zoom out" disabled={isWhole} onClick={() => onZoom(2)}>
        −
      </button>
      <button type="button" title="zoom in (+), or drag a stretch" aria-label="zoom in" onClick={() => onZoom(0.5)}>
        +
      </button>
      <button type="button" title="show all (0)" disabled={isWhole} onClick={onWhole}>
        all
      </button>
      <button type="button" aria-pressed={isFolded} title="fold stretches in which nothing ran" onClick={onFold}>
        hide idle time
      </button>
      <button type="button" aria-pressed={isTable} title="the same as a table" onClick={onTable}>
        table
      </button>
    </div>
  );
}
