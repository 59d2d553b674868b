/**
 * The static HTML that stands above a widget for those who cannot run it.
 *
 * In: the id of its element.  Out: it is hidden for as long as the live panel is there.
 * Must never: hide it for good; without a kernel it is all there is.
 *
 * A rule in the page does it, and not the element itself: a notebook draws its outputs again whenever it likes.
 */

export function hideStatic(id: string, page: Document): () => void {
  if (!/^jitviz-static-[0-9a-f]+$/.test(id)) return () => {};
  const rule = page.createElement("style");
  rule.textContent = `#${id}, .jp-OutputArea-child:has(#${id}) { display: none !important }`;
  page.head.append(rule);
  return () => rule.remove();
}
