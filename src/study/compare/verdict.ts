/**
 * Which variant is nearest to the direct sum, in one sentence. Errors of the same particles are set against each other:
 * the mean of |Δ_A|² − |Δ_B|² over the sample has a standard error of its own, and differences within two of it, or within
 * two per cent, is no difference. A nearest one is named only if it is that with every softening from the smallest to the
 * largest that the variants are like; otherwise the verdict says how it depends.
 */
import { mean, variance } from "d3-array";
import { cellsText, shortNumber, small } from "../../run/page/numbers.ts";
import type { SquaredErrors } from "./direct-errors.ts";
import type { CompareVariant, Comparison, DirectError, DirectReference } from "./record.ts";

/** Standard errors, and relative difference of the rms, up to which two variants are alike. */
const NOISE = 2;
const ALIKE = 0.02;
const MOST_TOLD = 4;

interface Judged {
  label: string;
  error: DirectError;
  evidence: SquaredErrors;
}

/** With one softening. */
type Ranked = Record<"rms", number> & Record<"squares", Float64Array>;

/** Whether `other` is farther than `near` by more than the sample's noise. */
export function isFarther(near: Ranked, other: Ranked): boolean {
  const differences = Array.from(near.squares, (square, i) => other.squares[i] - square).filter(Number.isFinite);
  const count = differences.length;
  if (count < 2 || other.rms <= near.rms * (1 + ALIKE)) return false;
  return mean(differences)! > NOISE * Math.sqrt(variance(differences)! / count);
}

/** Labels of those that can't be told from the nearest to the sum with softening number `s`, in order. */
function nearestTo(variants: readonly Judged[], s: number): string[] {
  const ranked = variants.map(({ label, evidence }) => {
    const squares = evidence[s];
    return { label, squares, rms: Math.sqrt(mean(squares.filter(Number.isFinite)) ?? Number.NaN) };
  });
  const order = ranked.sort((a, b) => a.rms - b.rms);
  const alike = order.filter((one) => one === order[0] || !isFarther(order[0], one));
  return alike.map(({ label }) => label).sort();
}

/** The softenings between the least and the most that variants are like, and the next on either side. */
function sensible(variants: readonly Judged[], { softening, softenings }: DirectReference): number[] {
  const like = [softening, ...variants.flatMap(({ error }) => error.best?.softening ?? [])];
  const first = softenings.findLastIndex((one) => one <= Math.min(...like));
  const last = softenings.findIndex((one) => one >= Math.max(...like));
  return [...softenings.keys()].slice(first, last + 1);
}

export type Evidence = Partial<Record<"start" | "end", SquaredErrors>>;

/** The sentence; null where fewer than two variants were compared with a direct sum. */
export function verdictOf(
  variants: readonly CompareVariant[],
  evidence: readonly Evidence[],
  direct: Comparison["direct"],
): string | null {
  if (!direct) return null;
  const moments = (["start", "end"] as const).flatMap((moment) => {
    const judged = variants.flatMap(({ label, result: { direct: errors } }, i): Judged[] => {
      const [error, found] = [errors[moment], evidence[i]?.[moment]];
      return error && found ? [{ label, error, evidence: found }] : [];
    });
    if (judged.length < 2) return [];
    const when = moment === "start" ? "at the first step" : "at the end";
    return [{ when, name: nameOf(judged, direct), figures: figuresOf(judged, direct) }];
  });
  if (moments.length === 0) return null;
  const off = `: accelerations are off the ${direct.method} by ${moments.map(({ when, figures }) => `${figures} ${when}`).join(", ")} (rms${direct.softenings.length > 1 ? ", each with the softening, in its own cells, that it is nearest to" : ""}).`;
  const [{ name }] = moments;
  if (moments.every((one) => one.name === name)) return `${capital(name)}${off}`;
  return `${capital(moments.map(({ when, name }) => `${when} ${name}`).join("; "))}${off}`;
}

/** "fft is nearer to the direct sum"; "cic and tsc are nearest … , and can't be told apart"; how it depends on ε. */
function nameOf(judged: readonly Judged[], direct: DirectReference): string {
  const { softening, softenings, softeningCells, method } = direct;
  const nearest = sensible(judged, direct).map((s) => ({ s, labels: nearestTo(judged, s) }));
  const always = judged
    .map(({ label }) => label)
    .filter((label) => nearest.every(({ labels }) => labels.includes(label)));
  if (always.length === judged.length) return `no variant is measurably nearer to the ${method} than the others`;
  if (always.length > 0) {
    if (always.length > 1) return `${listed(always.sort())} are nearest to the ${method} and can't be told apart`;
    return `${always[0]} is ${judged.length === 2 ? "nearer" : "nearest"} to the ${method}`;
  }
  const parts = nearest.flatMap(({ s, labels }, i) => {
    const text = listed(labels);
    return i > 0 && text === listed(nearest[i - 1].labels)
      ? []
      : [`${text} from ${cellsText((softenings[s] * softeningCells) / softening)} on`];
  });
  return `which variant is nearest depends on the softening of the ${method} (${parts.join(", ")})`;
}

const share = (rms: number) => (rms < 1e-5 ? small(rms) : `${small(100 * rms)} %`);

function figuresOf(judged: readonly Judged[], { softeningCells, softenings }: DirectReference): string {
  const rows = judged.map(({ label, error }) => {
    const { rms, cells } = error.best ?? { ...error, cells: (error.scale ?? 1) * softeningCells };
    const at = softenings.length > 1 ? ` at ${shortNumber(cells)}` : "";
    return { rms, text: `${share(rms)}${at} (${label})` };
  });
  const order = rows.sort((a, b) => a.rms - b.rms);
  const named = order.length <= MOST_TOLD ? order : [order[0], order[order.length - 1]];
  return listed(named.map(({ text }) => text));
}

const listed = (parts: readonly string[]) =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}`;

/** Labels of variants keep their small letters: they are settings of the deck. */
const capital = (text: string) => (/^(at|no|which) /.test(text) ? text[0].toUpperCase() + text.slice(1) : text);
