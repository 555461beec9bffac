/** Saving what is on the page: text as a file, a chart as a picture that needs nothing but itself. */

export function save(name: string, content: Blob | string, type = "text/plain") {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** `Visit more the faster it changes` → `visit-more-the-faster-it-changes` */
export function fileName(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60);
}

const MARGIN = 16;
const SVG = "http://www.w3.org/2000/svg";

/** Breaks a text into lines that are no wider than `width` in this font. */
function wrapped(content: string, width: number, font: string): string[] {
  const pen = document.createElement("canvas").getContext("2d");
  if (pen === null) return [content];
  pen.font = font;
  const lines: string[] = [];
  for (const word of content.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && pen.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Replaces, in every attribute and style sheet, what only means something on the page: its variables and inherited colour. */
function resolve(root: Element, from: CSSStyleDeclaration) {
  const resolved = (value: string) =>
    value
      .replace(
        /var\((--[\w-]+)(?:,([^()]*))?\)/g,
        (_, name: string, otherwise?: string) => from.getPropertyValue(name).trim() || (otherwise?.trim() ?? "none"),
      )
      .replace(/currentColor/gi, from.color);
  for (const element of [root, ...root.querySelectorAll("*")]) {
    for (const { name, value } of [...element.attributes]) element.setAttribute(name, resolved(value));
    if (element.localName === "style") element.textContent = resolved(element.textContent);
  }
}

/** The chart with its title, on its paper, with colours resolved: it looks as on the page and needs nothing of it. */
export function standaloneSvg(
  chart: SVGSVGElement,
  title: string,
  subtitle: string,
): { markup: string; width: number; height: number } {
  const style = getComputedStyle(chart);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const room = chart.width.baseVal.value;
  const width = room + 2 * MARGIN;

  const outer = document.createElementNS(SVG, "svg");
  const name = document.createElementNS(SVG, "title");
  name.textContent = `${title}: ${subtitle}`;
  const paper = document.createElementNS(SVG, "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", colour("--paper"));
  outer.append(name, paper);

  let y = MARGIN;
  const write = (content: string, font: string, lineHeight: number, fill: string) => {
    for (const line of wrapped(content, room, font)) {
      const element = document.createElementNS(SVG, "text");
      element.setAttribute("x", String(MARGIN));
      element.setAttribute("y", String(y + 0.7 * lineHeight));
      element.setAttribute("style", `font: ${font}; font-variant-numeric: tabular-nums; fill: ${fill}`);
      element.textContent = line;
      outer.append(element);
      y += lineHeight;
    }
  };
  write(title, "600 15px system-ui, sans-serif", 20, colour("--ink"));
  write(subtitle, "13px system-ui, sans-serif", 20, colour("--soft"));
  y += 8;

  const inner = chart.cloneNode(true) as SVGSVGElement;
  inner.removeAttribute("aria-hidden");
  inner.setAttribute("x", String(MARGIN));
  inner.setAttribute("y", String(y));
  // What is inherited on the page.
  inner.style.fontVariantNumeric = "tabular-nums";
  resolve(inner, style);
  outer.append(inner);

  const height = y + chart.height.baseVal.value + MARGIN;
  outer.setAttribute("xmlns", SVG);
  outer.setAttribute("width", String(width));
  outer.setAttribute("height", String(height));
  outer.setAttribute("viewBox", `0 0 ${width} ${height}`);
  outer.setAttribute("role", "img");
  return { markup: new XMLSerializer().serializeToString(outer), width, height };
}

export async function pngOf({ markup, width, height }: ReturnType<typeof standaloneSvg>): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(markup)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error("The picture could not be drawn.")) : resolve(blob)),
      "image/png",
    ),
  );
}
