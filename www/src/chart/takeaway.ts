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
const HEAD = 60;
const SVG = "http://www.w3.org/2000/svg";

function text(content: string, y: number, size: number, weight: string, colour: string): SVGTextElement {
  const element = document.createElementNS(SVG, "text");
  element.setAttribute("x", String(MARGIN));
  element.setAttribute("y", String(y));
  element.setAttribute("style", `font: ${weight} ${size}px system-ui, sans-serif; fill: ${colour}`);
  element.textContent = content;
  return element;
}

/** The chart with its title, on its paper, with colours resolved: the page's variables mean nothing elsewhere. */
export function standaloneSvg(
  chart: SVGSVGElement,
  title: string,
  subtitle: string,
): { markup: string; width: number; height: number } {
  const width = chart.width.baseVal.value + 2 * MARGIN;
  const height = chart.height.baseVal.value + HEAD + MARGIN;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();

  const outer = document.createElementNS(SVG, "svg");
  outer.setAttribute("xmlns", SVG);
  outer.setAttribute("width", String(width));
  outer.setAttribute("height", String(height));
  outer.setAttribute("viewBox", `0 0 ${width} ${height}`);
  outer.setAttribute("role", "img");
  const name = document.createElementNS(SVG, "title");
  name.textContent = `${title}: ${subtitle}`;
  const paper = document.createElementNS(SVG, "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", colour("--paper"));
  const inner = chart.cloneNode(true) as SVGSVGElement;
  inner.removeAttribute("aria-hidden");
  inner.setAttribute("x", String(MARGIN));
  inner.setAttribute("y", String(HEAD));
  inner.setAttribute("color", colour("--ink"));
  outer.append(
    name,
    paper,
    text(title, 28, 15, "600", colour("--ink")),
    text(subtitle, 48, 12, "400", colour("--soft")),
    inner,
  );

  const markup = new XMLSerializer()
    .serializeToString(outer)
    .replace(/var\((--[a-z-]+)\)/g, (_, variable: string) => colour(variable));
  return { markup, width, height };
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
