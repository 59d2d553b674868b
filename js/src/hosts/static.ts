/**
 * The static HTML that stands above a widget for those who cannot run it.
 *
 * In: the id of its element.  Out: it is hidden for as long as the live panel is there.
 * Must never: hide it for good; without a kernel there is nothing else.
 *
 * A rule in the page hides it, not the element itself, since a notebook may draw its outputs again at any time.
 */

export function hideStatic(id: string, page: Document): () => void {
  if (!/^jitviz-static-[0-9a-f]+$/.test(id)) return () => {};
  const rule = page.createElement("style");
  rule.textContent = `#${id}, .jp-OutputArea-child:has(#${id}) { display: none !important }`;
  page.head.append(rule);
  return () => rule.remove();
}
