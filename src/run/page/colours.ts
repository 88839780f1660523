/**
 * Colours: of the page, of the curves in its charts, and of the maps of densities and of differences.
 *
 * Densities: inferno (van der Walt & Smith 2015), monotonic in lightness. Differences: dark where there is none, blue
 * where there is less, orange where there is more; lightness rises linearly with |t| and alike on both sides, in OKLab
 * (Ottosson 2020, "A perceptual color space for image processing"). All stay apart for colour-blind readers as far as
 * that many can.
 */
import { interpolateInferno } from "d3-scale-chromatic";

/**
 * How a curve is drawn: v0 is grey, v1 … v7 are the colours of a chart with many curves, t0 … t4 those of times in their
 * order, which stand out more and more.
 */
export type Tone = "accent" | "second" | "third" | "muted" | `v${number}` | `t${number}`;

export const SERIES_COLOURS = 7;

/** The colour of curve `index` of many, beginning again after SERIES_COLOURS. */
export function seriesTone(index: number): Tone {
  return `v${1 + (index % SERIES_COLOURS)}`;
}

export const TIME_COLOURS = 5;

/** The colour of time `index` of `count` in order, at most TIME_COLOURS: no two share one, the last stands out most. */
export function timeTone(index: number, count: number): Tone {
  const first = count < 3 ? (TIME_COLOURS - 1) / 2 : 0;
  const along = count < 2 ? 1 : index / (count - 1);
  return `t${Math.round(first + along * (TIME_COLOURS - 1 - first))}`;
}

export function cssColour(tone: Tone): string {
  return `var(--${tone === "muted" ? "soft" : tone})`;
}

/** By the names of their CSS variables: on light pages, and on dark ones. */
const COLOURS: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  page: ["#fdfdfc", "#131418"],
  ink: ["#1b1d22", "#e7e7ea"],
  soft: ["#626874", "#9aa0ab"],
  hairline: ["#e4e5e8", "#2b2d34"],
  panel: ["#f5f5f3", "#1b1c21"],
  shade: ["#1b1d2240", "#000000b0"],
  warn: ["#9a5b00", "#f0b429"],
  alarm: ["#b3261e", "#ff8a80"],
  accent: ["#1d5fa6", "#7fb3ec"],
  second: ["#b8480f", "#f0a067"],
  third: ["#0b7a68", "#62cdb5"],
  v0: ["#6d7380", "#a3a9b5"],
  v1: ["#1d5fa6", "#7fb3ec"],
  v2: ["#c2500f", "#f0a067"],
  v3: ["#0b7a68", "#62cdb5"],
  v4: ["#7b3fa0", "#c49bee"],
  v5: ["#9a6b00", "#d8bb4c"],
  v6: ["#b82e66", "#f08bb1"],
  v7: ["#4c7a12", "#a5d070"],
  t0: ["#bd5610", "#8a79e6"],
  t1: ["#ab2753", "#c377d6"],
  t2: ["#7c2e90", "#ec8298"],
  t3: ["#3f3494", "#f4a86a"],
  t4: ["#17275f", "#f8e27a"],
};
const ON_PAPER = { page: "#fff", ink: "#000", soft: "#555", hairline: "#ddd", panel: "#fff" };

function variables(shade: 0 | 1, instead: Readonly<Record<string, string>> = {}): string {
  const all = Object.entries(COLOURS).map(([name, shades]) => `--${name}: ${instead[name] ?? shades[shade]};`);
  return all.join(" ");
}

const TONES = [
  "accent",
  "second",
  "third",
  "muted",
  ...Object.keys(COLOURS).filter((name) => /\d/.test(name)),
] as Tone[];

/** The colours as CSS variables, light and dark by the reader's preference, and the classes of strokes and fills. */
export const COLOUR_CSS = `
:root { color-scheme: light dark; ${variables(0)} }
@media (prefers-color-scheme: dark) { :root { ${variables(1)} } }
@media print { :root { color-scheme: light; ${variables(0, ON_PAPER)} } }
${TONES.map((tone) => {
  const colour = cssColour(tone);
  return `.chart .s-${tone} { stroke: ${colour}; } .chart text.s-${tone} { fill: ${colour}; stroke: none; } .chart .f-${tone} { fill: ${colour}; }`;
}).join("\n")}
`;

/** CSS colour of the fraction `t` [0…1] of a density's stretch. */
export function densityColour(t: number): string {
  return interpolateInferno(Math.min(1, Math.max(0, t)));
}

/** [r, g, b] of "#rrggbb". */
export const rgbOfHex = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

/** [r, g, b] of the fraction `t` [0…1] of a density's stretch. */
export const densityRgb = (t: number) => rgbOfHex(densityColour(t));

/** OKLab lightness at t = 0 and at |t| = 1. */
const DARKEST = 0.12;
const LIGHTEST = 0.9;
/** Largest chroma, and hues [degree]; the chroma falls off towards the light end, where the screen has less of it. */
const SIDES = { less: { hue: 245, chroma: 0.135 }, more: { hue: 55, chroma: 0.155 } };

/** OKLab → linear sRGB (Ottosson's matrices). */
function linearRgb(L: number, a: number, b: number): number[] {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** sRGB transfer function, IEC 61966-2-1. */
export const encoded = (c: number) => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);

/** [r, g, b] of the fraction `t` [−1 … 1] of the largest difference. */
export function differenceRgb(t: number): number[] {
  const size = Math.min(1, Math.abs(t));
  const { hue, chroma } = t < 0 ? SIDES.less : SIDES.more;
  const L = DARKEST + (LIGHTEST - DARKEST) * size;
  const angle = (Math.PI * hue) / 180;
  const inGamut = (c: number) => linearRgb(L, c * Math.cos(angle), c * Math.sin(angle)).every((v) => v >= 0 && v <= 1);
  let c = chroma * Math.min(1, 2 * size);
  while (c > 0.001 && !inGamut(c)) c *= 0.96;
  return linearRgb(L, c * Math.cos(angle), c * Math.sin(angle)).map((part) =>
    Math.round(255 * encoded(Math.min(1, Math.max(0, part)))),
  );
}

export function differenceColour(t: number): string {
  return `rgb(${differenceRgb(t).join(",")})`;
}
