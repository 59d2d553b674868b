/** A small button with a sign in place of words. */

const SIGNS = {
  "fold all": "M3 3h10M3 13h10M5 8h6",
  "unfold all": "M3 2h10M3 14h10M8 5v6M6 7l2-2l2 2M6 9l2 2l2-2",
  download: "M8 2v8M5 7l3 3l3-3M3 13h10",
  next: "M4 6l4 4l4-4",
  previous: "M4 10l4-4l4 4",
} as const;

interface Props {
  sign: keyof typeof SIGNS;
  label: string;
  isDisabled?: boolean;
  onClick(): void;
}

export function Tool({ sign, label, isDisabled = false, onClick }: Props) {
  return (
    <button type="button" class="jitviz-tool" aria-label={label} title={label} disabled={isDisabled} onClick={onClick}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={SIGNS[sign]} />
      </svg>
    </button>
  );
}

/** Downloads a text as a file. */
export function download(text: string, name: string, type = "text/plain"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
