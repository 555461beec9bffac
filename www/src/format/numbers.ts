/** Numbers as a person reads them: few digits, the same in every locale. The only arithmetic that lives on the page. */

const THIN = "\u202f"; // narrow no-break space, between a number and its unit
const MINUS = "−";

const formats = new Map<string, Intl.NumberFormat>();

function format(value: number, options: Intl.NumberFormatOptions): string {
  const key = JSON.stringify(options);
  let made = formats.get(key);
  if (made === undefined) formats.set(key, (made = new Intl.NumberFormat("en-US", options)));
  return made.format(value).replace("-", MINUS);
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function superscript(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((digit) => superscripts[Number(digit)]).join("");
  return exponent < 0 ? `⁻${digits}` : digits;
}

/** `3 × 10⁻¹⁵` */
export function scientific(value: number, digits = 1): string {
  if (value === 0) return "0";
  const [written = "", exponent = ""] = value.toExponential(digits - 1).split("e");
  const mantissa = String(Number(written));
  if (mantissa === "1") return `10${superscript(Number(exponent))}`;
  return `${mantissa.replace("-", MINUS)}${THIN}×${THIN}10${superscript(Number(exponent))}`;
}

/** A quantity with so many significant digits: `1,697`, `0.0412`, `3 × 10⁻⁷`, `unbounded`, `undefined`. */
export function quantity(value: number, digits = 3): string {
  if (Number.isNaN(value)) return "undefined";
  if (!Number.isFinite(value)) return value > 0 ? "unbounded" : `${MINUS}unbounded`;
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return scientific(value, Math.min(digits, 2));
  if (size >= 10 ** digits) return format(value, { maximumFractionDigits: 0 });
  return format(value, { maximumSignificantDigits: digits });
}

/** A whole number: `1,697`. */
export function whole(value: number): string {
  return format(value, { maximumFractionDigits: 0 });
}

/** A large whole number for a sentence: `1,697`, `100 million`. */
export function headcount(value: number): string {
  return value >= 1e7
    ? format(value, { notation: "compact", compactDisplay: "long", maximumSignificantDigits: 3 })
    : whole(value);
}

/** How many decimals keep a share apart from both its ends: 96.1 %, 99.97 %, 0.004 %. */
function shareDecimals(share: number): number {
  const distance = Math.min(Math.abs(share), Math.abs(1 - share));
  if (distance === 0) return 0;
  return Math.min(12, Math.max(1, -Math.floor(Math.log10(distance)) - 2));
}

/** `96.1 %` */
export function percent(share: number): string {
  if (Number.isNaN(share)) return "undefined";
  const decimals = shareDecimals(share);
  return `${format(100 * share, { minimumFractionDigits: decimals, maximumFractionDigits: decimals })}${THIN}%`;
}

/** A share on an axis, where round values stand: `80 %`. */
export function percentTick(share: number): string {
  return `${format(100 * share, { maximumSignificantDigits: 6 })}${THIN}%`;
}

/** A difference of shares, without its unit: `2.4` (percentage points). */
export function points(share: number): string {
  return quantity(100 * share, Math.abs(share) < 0.1 ? 2 : 3);
}

/** `1 package`, `1,697 packages` */
export function counted(value: number, singular: string, plural: string): string {
  return `${headcount(value)}\u00a0${value === 1 ? singular : plural}`;
}

const spans: [name: string, days: number][] = [
  ["year", 365.25],
  ["month", 30.4375],
  ["week", 7],
  ["day", 1],
  ["hour", 1 / 24],
  ["minute", 1 / 1440],
  ["second", 1 / 86400],
];

/** A length of time given in days, in the unit that suits it: `20 hours`, `3.2 days`, `1.4 years`. */
export function duration(days: number, digits = 2): string {
  if (!Number.isFinite(days)) return quantity(days);
  if (days === 0) return "0 days";
  const size = Math.abs(days);
  const unit =
    // Days are what people count in: two weeks are 14 days, and only long or short times change their unit.
    size >= 730
      ? spans[0]
      : size >= 90
        ? spans[1]
        : size >= 1
          ? spans[3]
          : spans.slice(4).find(([, length]) => size >= length);
  const [name, length] = unit ?? (spans[6] as [string, number]);
  const text = quantity(days / length, size / length >= 100 ? 3 : digits);
  return `${text}\u00a0${name}${text === "1" ? "" : "s"}`;
}

/** What a frequency means for one item: `every 3.2 days`, `never`. */
export function every(frequency: number): string {
  if (frequency <= 0) return "never";
  const text = duration(1 / frequency);
  return text.startsWith("1\u00a0") ? `every ${text.slice(2)}` : `every ${text}`;
}

/** `changes every 3.2 days`, `never changes` */
export function changes(rate: number): string {
  return rate > 0 ? `changes ${every(rate)}` : "never changes";
}

/** `is visited every 3.2 days`, `is never visited` */
export function isVisited(frequency: number): string {
  return frequency > 0 ? `is visited ${every(frequency)}` : "is never visited";
}

/** `240 visits a day` */
export function visitsADay(budget: number): string {
  const text = quantity(budget);
  return `${text} ${text === "1" ? "visit" : "visits"} a day`;
}

/** A phrase as a sentence: a capital first, a full stop last. */
export function sentence(phrase: string): string {
  const text = phrase.charAt(0).toUpperCase() + phrase.slice(1);
  return text === "" || /[.!?…]$/.test(text) ? text : `${text}.`;
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (value: number) => String(value).padStart(2, "0");

/** A moment given in days since the Unix epoch, in this computer's time zone: `Thu 19 Nov, 09:12`. */
export function moment(day: number): string {
  if (!Number.isFinite(day)) return "–";
  const date = new Date(day * 86_400_000);
  return `${weekdays[date.getDay()]} ${date.getDate()} ${months[date.getMonth()]}, ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A moment near `now`, shorter: `Thu 09:12`, or `3 Dec 09:12` when it is a week or more away. */
export function soon(day: number, now: number): string {
  if (!Number.isFinite(day)) return "–";
  const date = new Date(day * 86_400_000);
  const name = day - now < 7 ? weekdays[date.getDay()] : `${date.getDate()} ${months[date.getMonth()]}`;
  return `${name} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** What a person typed in a number field; undefined when it is no number. Accepts `1,000`, `0,5`, `1e3` and `95 %`. */
export function parseNumber(text: string): number | undefined {
  const plain = text
    .trim()
    .replace(/[\s\u00a0\u202f_%]/g, "")
    .replace("−", "-");
  if (plain === "") return undefined;
  const grouped = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain);
  const value = Number(grouped ? plain.replaceAll(",", "") : plain.replace(",", "."));
  return Number.isFinite(value) ? value : undefined;
}
