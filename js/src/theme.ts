/**
 * Light or dark, as what the panel stands on is.
 *
 * In: the panel's element.  Out: "light" or "dark", told again whenever it changes.
 * Must never: ask which host it is in; the colour behind the panel says enough.
 */

export type Theme = "light" | "dark";

export function watchTheme(element: HTMLElement, tell: (theme: Theme) => void): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let timer = 0;
  const look = () => tell(themeBehind(element, dark.matches));
  // Hosts change an attribute first and load their style sheet after it.
  const lookTwice = () => {
    look();
    clearTimeout(timer);
    timer = window.setTimeout(look, 400);
  };
  const attributes = new MutationObserver(lookTwice);
  for (const root of [document.documentElement, document.body]) attributes.observe(root, { attributes: true });
  dark.addEventListener("change", lookTwice);
  // An element that is not in the page yet has nothing behind it; it gets a size when it is.
  const size = new ResizeObserver(look);
  size.observe(element);
  look();
  return () => {
    clearTimeout(timer);
    attributes.disconnect();
    size.disconnect();
    dark.removeEventListener("change", lookTwice);
  };
}

function themeBehind(element: HTMLElement, isSystemDark: boolean): Theme {
  const mix = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  for (let at: Element | null = element; at && mix; at = parentOf(at)) {
    // Painted, since a colour has many notations: rgb(), color(), oklch(), …
    mix.clearRect(0, 0, 1, 1);
    mix.fillStyle = getComputedStyle(at).backgroundColor;
    mix.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = mix.getImageData(0, 0, 1, 1).data;
    if (alpha > 127) return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? "dark" : "light";
  }
  return isSystemDark ? "dark" : "light";
}

function parentOf(element: Element): Element | null {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}
