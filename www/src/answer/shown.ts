/** What an element shows, without what is only for the screen and the line breaks of its source. */
export function shownText(element: Element | undefined): string {
  const copy = element?.cloneNode(true) as Element | undefined;
  copy?.querySelectorAll("button, .screen-only").forEach((part) => part.remove());
  return (copy?.textContent ?? "").replace(/[^\S\u00a0\u202f]+/g, " ").trim();
}
