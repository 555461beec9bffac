/** Text to the clipboard, also where the browser keeps its own way for secure pages: a page opened from a disk. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("aria-hidden", "true");
  // Where it is seen by nobody and does not make the page scroll.
  area.style.cssText = "position: fixed; top: 0; left: 0; width: 1px; height: 1px; opacity: 0";
  document.body.append(area);
  try {
    area.select();
    // Deprecated, and the only way that works without a secure context.
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  }
}
