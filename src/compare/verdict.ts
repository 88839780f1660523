/**
 * Which variant is nearest to the direct sum, in one sentence. Errors of the same particles are set against each other:
 * the mean of |Δ_A|² − |Δ_B|² over the sample has a standard error of its own, and what is within two of it, or within
 * two per cent, is no difference.
 */
import { small } from "../page/numbers.ts";
import type { SquaredErrors } from "./direct-errors.ts";
import type { CompareVariant, Comparison } from "./record.ts";

/** Standard errors, and relative difference of the rms, up to which two variants are alike. */
const NOISE = 2;
const ALIKE = 0.02;
const MOST_TOLD = 4;

interface Judged {
  label: string;
  rms: number;
  squares: SquaredErrors;
}

/** Whether `other` is farther than `near` by more than the sample's noise. */
export function isFarther(near: Omit<Judged, "label">, other: Omit<Judged, "label">): boolean {
  const differences = Array.from(near.squares, (square, i) => other.squares[i] - square).filter(Number.isFinite);
  const count = differences.length;
  if (count < 2 || other.rms <= near.rms * (1 + ALIKE)) return false;
  const mean = differences.reduce((sum, d) => sum + d, 0) / count;
  const variance = differences.reduce((sum, d) => sum + (d - mean) ** 2, 0) / (count - 1);
  return mean > NOISE * Math.sqrt(variance / count);
}

/** In `order` of rising error, and those that can't be told from the `nearest`. */
function ranking(when: string, variants: readonly Judged[]) {
  if (variants.length < 2) return [];
  const order = [...variants].sort((a, b) => a.rms - b.rms);
  return [{ when, order, nearest: order.filter((one) => one === order[0] || !isFarther(order[0], one)) }];
}

export type Evidence = Partial<Record<"start" | "end", SquaredErrors>>;

/** The sentence; null where fewer than two variants were compared with a direct sum. */
export function verdictOf(
  variants: readonly CompareVariant[],
  evidence: readonly Evidence[],
  direct: Comparison["direct"],
): string | null {
  if (!direct) return null;
  const judged = (moment: "start" | "end") =>
    variants.flatMap(({ label, direct: errors }, i): Judged[] => {
      const [error, squares] = [errors[moment], evidence[i]?.[moment]];
      return error && squares ? [{ label, rms: error.rms, squares }] : [];
    });
  const rankings = [...ranking("at the first step", judged("start")), ...ranking("at the end", judged("end"))];
  if (rankings.length === 0) return null;
  const figures = rankings.map(({ when, order }) => `${figuresOf(order)} ${when}`).join(", ");
  const off = `accelerations are off the ${direct.method} by ${figures} (rms)`;
  if (rankings.every(({ nearest, order }) => nearest.length === order.length)) {
    return `No variant is measurably nearer to the ${direct.method} than the others: ${off}, which is within the noise of the ${direct.targets} particles looked at.`;
  }
  const names = rankings.map(({ nearest, order }) => namesOf(nearest, order, direct.method));
  if (names.every((name) => name === names[0])) return `${capital(names[0])}: ${off}.`;
  return `${capital(rankings.map(({ when }, i) => `${when} ${names[i]}`).join("; "))}: ${off}.`;
}

/** "fft is nearer to the direct sum"; "cic and tsc are nearest … , and can't be told apart". */
function namesOf(nearest: readonly Judged[], order: readonly Judged[], method: string): string {
  if (nearest.length === order.length) return "none is measurably nearer";
  const list = listed(nearest.map(({ label }) => label).sort());
  if (nearest.length === 1) return `${list} is ${order.length === 2 ? "nearer" : "nearest"} to the ${method}`;
  return `${list} are nearest to the ${method} and can't be told apart`;
}

const share = (rms: number) => (rms < 1e-5 ? small(rms) : `${small(100 * rms)} %`);

function figuresOf(order: readonly Judged[]): string {
  const named = order.length <= MOST_TOLD ? order : [order[0], order[order.length - 1]];
  return listed(named.map(({ label, rms }) => `${share(rms)} (${label})`));
}

const listed = (parts: readonly string[]) =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}`;

/** Labels of variants keep their small letters: they are settings of the deck. */
const capital = (text: string) => (/^(at|none) /.test(text) ? text[0].toUpperCase() + text.slice(1) : text);
