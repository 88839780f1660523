/**
 * How far the accelerations of a mesh are from exact ones, Δ = a_mesh − a_direct, on a set of targets:
 *   relative |Δ|/|a_direct|; in units of the rms acceleration |Δ|/√⟨|a_direct|²⟩, which stays meaningful where a force
 *   vanishes; along the direct force Δ·a/|a|² (positive: the mesh pulls too hard), each with quantiles and by distance.
 * The mesh smooths forces over about a cell: the Plummer softening ε whose direct sum is nearest to it tells how much.
 */
import { bisectRight, extent, quantile as quantileOf } from "d3-array";
import { logarithmicEdges } from "../../engine/diagnostics/profiles.ts";

export type ErrorFigures = Record<"rms" | "median" | "p90" | "p99" | "largest", number>;

export type ForceErrors = ReturnType<typeof forceErrors>;
/** Relative errors of the targets in a shell. */
export type ErrorBin = ForceErrors["bins"][number];

/** Accelerations of the same targets in the same order [velocity/time], and what errors are plotted against. */
export interface ForcePair {
  /** [3K, xyzxyz…] */
  mesh: ArrayLike<number>;
  /** [3K] */
  direct: ArrayLike<number>;
  /** [K] */
  abscissa: ArrayLike<number>;
  /** Edges of the bins in it, ascending. */
  edges: readonly number[];
  /** ε of the direct sum [length], and the side of a cell. */
  softening: number;
  cell: number;
}

const HISTOGRAM = { from: -6, to: 1.5, bins: 75 };

/** Value below which `fraction` of the values lies, linear between neighbours; NaN of none. */
export function quantile(values: Iterable<number>, fraction: number): number {
  return quantileOf(values, fraction) ?? Number.NaN;
}

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);

function figures(values: Float64Array): ErrorFigures {
  const sorted = values.slice().sort();
  const [median, p90, p99, largest] = [0.5, 0.9, 0.99, 1].map((fraction) => quantile(sorted, fraction));
  return { rms: Math.sqrt(sum(sorted.map((value) => value * value)) / sorted.length), median, p90, p99, largest };
}

/** Errors of the mesh on every target. Figures are NaN where there is nothing to take them of. */
export function forceErrors(pair: ForcePair) {
  const { mesh, direct, abscissa, softening, cell } = pair;
  const count = abscissa.length;
  const [sizes, differences, products] = [0, 0, 0].map(() => new Float64Array(count));
  for (let i = 0; i < count; i++) {
    for (let k = 3 * i; k < 3 * i + 3; k++) {
      const difference = mesh[k] - direct[k];
      sizes[i] += direct[k] * direct[k];
      differences[i] += difference * difference;
      products[i] += difference * direct[k];
    }
  }
  const total = sum(sizes);
  const rms = Math.sqrt(total / count);
  const pulled = Uint32Array.from(sizes.keys()).filter((i) => sizes[i] > 0);
  const relative = Float64Array.from(pulled, (i) => Math.sqrt(differences[i] / sizes[i]));
  const along = Float64Array.from(pulled, (i) => products[i] / sizes[i]);
  return {
    /** Plummer softening of the direct sum [length], and in cells; with levels, of the smallest cells. */
    softening,
    softeningCells: softening / cell,
    /** |Δ|/|a_direct|, over targets on which the direct force isn't zero. */
    relative: figures(relative),
    /** |Δ| over the rms |a_direct|. */
    scaled: figures(differences.map((square) => Math.sqrt(square) / rms)),
    /** Δ·a/|a|² of a target, its mean and median; `weighted` by |a|²: ΣΔ·a/Σ|a|². */
    along: { mean: sum(along) / along.length, median: quantile(along, 0.5), weighted: sum(products) / total },
    bins: binned(pulled, { relative, along }, pair),
    histogram: histogramOf(relative),
  };
}

/** `relative` and `along`: of the targets `pulled`, which have a relative error. */
function binned(
  pulled: Uint32Array,
  { relative, along }: Record<"relative" | "along", Float64Array>,
  { abscissa, edges }: ForcePair,
) {
  const members = edges.slice(1).map((): number[] => []);
  pulled.forEach((target, k) => {
    const bin = bisectRight(edges, abscissa[target]) - 1;
    // The last edge belongs to the last bin.
    members[abscissa[target] === edges[members.length] ? members.length - 1 : bin]?.push(k);
  });
  return members.map((bin, b) => {
    const found = bin.map((k) => relative[k]);
    const [median, p16, p84] = [0.5, 0.16, 0.84].map((fraction) => quantileOf(found, fraction) ?? null);
    const mean = bin.length === 0 ? null : bin.reduce((total, k) => total + along[k], 0) / bin.length;
    return {
      /** Edges of the shell, in units of what the errors are plotted against. */
      ...{ from: edges[b], to: edges[b + 1], targets: bin.length },
      /** Quantiles of |Δ|/|a_direct|, and the mean of Δ·a/|a|²; null without targets. */
      ...{ median, p16, p84, along: mean },
    };
  });
}

/** Share of the targets by lg(|Δ|/|a_direct|); what lies beyond the ends counts in the outermost bins. */
function histogramOf(relative: Float64Array) {
  const { from, to, bins } = HISTOGRAM;
  const share = new Array<number>(bins).fill(0);
  for (const error of relative) {
    const at = Math.floor((bins * (Math.log10(error) - from)) / (to - from));
    share[Math.min(bins - 1, Math.max(0, at))] += 1 / relative.length;
  }
  return { from, to, share };
}

/** Share of the targets that lies inside the first edge. */
const INNERMOST = 0.002;

/** Edges of about `bins` logarithmic shells over `values`; the innermost reaches to the smallest value. */
export function shellEdges(values: Iterable<number>, bins: number): number[] {
  const [smallest = 0, most = 0] = extent(values) as [number?, number?];
  if (!(most > 0)) return [0, 1];
  const least = quantile(values, INNERMOST);
  const from = least > 0 && least < most ? least : most / 2;
  const edges = logarithmicEdges(from, most, bins);
  edges[0] = Math.min(edges[0], smallest);
  return edges;
}

/** A softening that was tried: the rms difference from the mesh that it leaves. */
export interface TriedSoftening {
  /** [cells] */
  cells: number;
  /** In units of the mesh's rms acceleration. */
  rms: number;
}

/** The softening [cells] of the smallest difference, by a parabola through its square; or an end of what was tried. */
export function bestSoftening(tried: readonly TriedSoftening[]): number {
  const sorted = [...tried].sort((a, b) => a.cells - b.cells);
  const lowest = sorted.reduce((best, { rms }, i) => (rms < sorted[best].rms ? i : best), 0);
  if (lowest === 0 || lowest === sorted.length - 1) return sorted[lowest].cells;
  const [left, middle, right] = sorted
    .slice(lowest - 1, lowest + 2)
    .map(({ cells, rms }) => ({ x: cells, y: rms ** 2 }));
  const [before, after] = [middle.x - left.x, right.x - middle.x];
  const [fall, rise] = [middle.y - left.y, right.y - middle.y];
  const curvature = rise * before - fall * after;
  if (!(curvature > 0)) return middle.x;
  return middle.x - (rise * before ** 2 + fall * after ** 2) / (2 * curvature);
}
