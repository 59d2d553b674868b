/**
 * The theme behind the panel: light, dark, or the few colours that the system forces.
 *
 * In: the panel's element.  Out: a `Theme`, now and whenever it changes; the colour itself is in `--jitviz-ground`.
 * Must never: ask the system whether it is dark. An editor or a notebook on a light system may be dark, and the reverse.
 */

export type Theme = "light" | "dark" | "forced";

export function watchTheme(element: HTMLElement, tell: (theme: Theme) => void): () => void {
  const media = ["(forced-colors: active)", "(prefers-color-scheme: dark)"].map((query) => matchMedia(query));
  let timer = 0;
  const look = () => tell(media[0]?.matches ? "forced" : themeBehind(element));
  // Hosts change an attribute first and load their style sheet after it.
  const lookTwice = () => {
    look();
    clearTimeout(timer);
    timer = window.setTimeout(look, 400);
  };
  const attributes = new MutationObserver(lookTwice);
  for (const root of [document.documentElement, document.body]) attributes.observe(root, { attributes: true });
  // A page that follows the system changes with it.
  for (const query of media) query.addEventListener("change", lookTwice);
  // An element that is not in the page yet has nothing behind it; it gets a size when it is.
  const size = new ResizeObserver(look);
  size.observe(element);
  look();
  return () => {
    clearTimeout(timer);
    attributes.disconnect();
    size.disconnect();
    for (const query of media) query.removeEventListener("change", lookTwice);
  };
}

/** Judged by the first opaque background; if all are transparent, by what VS Code says, else by the host's text colour. */
function themeBehind(element: HTMLElement): "light" | "dark" {
  for (let at: Element | null = element; at; at = parentOf(at)) {
    const { backgroundColor } = getComputedStyle(at);
    const { luminance, alpha } = readColour(backgroundColor);
    if (alpha <= 127) continue;
    element.style.setProperty("--jitviz-ground", backgroundColor);
    return luminance < 128 ? "dark" : "light";
  }
  // A webview is transparent: the editor paints what is behind it.
  const kind = document.body.dataset.vscodeThemeKind;
  element.style.setProperty("--jitviz-ground", kind ? "var(--vscode-editor-background)" : ""); // "" forgets an earlier one
  if (kind) return kind.endsWith("light") ? "light" : "dark"; // vscode-dark, vscode-high-contrast-light, …
  const around = parentOf(element) ?? document.body;
  return readColour(getComputedStyle(around).color).luminance < 128 ? "light" : "dark";
}

const read = new Map<string, { luminance: number; alpha: number }>();

/** Reads a colour by painting it once, since it has many notations: rgb(), color(), oklch(), … */
function readColour(colour: string): { luminance: number; alpha: number } {
  const known = read.get(colour);
  if (known) return known;
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  if (pen) pen.fillStyle = colour;
  pen?.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = pen?.getImageData(0, 0, 1, 1).data ?? [];
  const made = { luminance: 0.299 * red + 0.587 * green + 0.114 * blue, alpha };
  read.set(colour, made);
  return made;
}

function parentOf(element: Element): Element | null {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}
