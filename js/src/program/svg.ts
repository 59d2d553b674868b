/**
 * Cleans a picture drawn by an engine, so that a page can show it.
 *
 * In: SVG text, which is not trusted.  Out: an element of shapes and letters.
 * Must never: let through scripts, requests or links, or an id that another picture of the page may have.
 */

const SVG = "http://www.w3.org/2000/svg";
const ELEMENTS = new Set(["svg", "g", "path", "polygon", "polyline", "ellipse", "circle", "rect", "text"]);
const ATTRIBUTES = new Set(
  (
    "class cx cy d fill font-family font-size font-style font-weight height points r rx ry stroke stroke-dasharray " +
    "stroke-width text-anchor transform viewBox width x y"
  ).split(" "),
);

/**
 * The picture; the ids of its groups are in `data-id`, their tooltips in `<title>`.
 *
 * @throws Error it is no SVG.
 */
export function cleanSvg(text: string): SVGSVGElement {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (parsed.namespaceURI !== SVG || parsed.localName !== "svg") throw new Error("This picture cannot be read.");
  return copy(parsed) as SVGSVGElement;
}

function copy(element: Element): SVGElement {
  const made = document.createElementNS(SVG, element.localName) as SVGElement;
  for (const { name, value } of element.attributes) {
    if (ATTRIBUTES.has(name) && !/url\s*\(|javascript:/i.test(value)) made.setAttribute(name, value);
  }
  if (element.localName === "g" && element.id) made.dataset.id = element.id;
  for (const child of element.childNodes) append(made, child);
  // Graphviz gives a group its own name as a title, and puts the tooltip into a link.
  const tip = element.querySelector(":scope > g > a")?.getAttributeNS("http://www.w3.org/1999/xlink", "title")?.trim();
  if (tip) made.append(titleOf(tip));
  return made;
}

function append(home: SVGElement, child: ChildNode): void {
  if (child instanceof Element && child.namespaceURI === SVG) {
    if (child.localName === "a") for (const inner of child.childNodes) append(home, inner);
    else if (ELEMENTS.has(child.localName)) home.append(copy(child), " "); // a space, for those who read it as one text
  } else if (child.nodeType === Node.TEXT_NODE && home.localName === "text") {
    home.append(child.textContent ?? "");
  }
}

function titleOf(tip: string): SVGTitleElement {
  const title = document.createElementNS(SVG, "title");
  title.textContent = tip;
  return title;
}
