/** Domains of the search for friends: boxes of bins, at least a linking length wide, to be linked at once each. */
import { cumsum } from "d3-array";
import { GravmeshError } from "../../foundation/base/errors.ts";

const TURN = 2 ** 32;
const MOST_BINS = 2 ** 16;

type Triple = [number, number, number];

/** A box of bins: the first, and how many, on each axis; it wraps. */
export interface Domain {
  low: Triple;
  size: Triple;
}

/** A domain with what is counted in and about it. */
export interface PlannedDomain extends Domain {
  /** Particles of its own and of the bins about it. */
  count: number;
  /** Windows that hold some of them. */
  windows: number[];
}

/** Bins per side of the box for a linking length `reach` [L/2^32]. */
export function binsFor(reach: number): number {
  return Math.min(MOST_BINS, Math.floor(TURN / reach));
}

/** Counts, for each chunk, the particles in and about `domain` by their bins along `axis`. */
export type Survey = (domain: Domain, axis: 0 | 1 | 2) => Promise<readonly Uint32Array[]>;

/**
 * Domains of at most capacities[0] particles each, slabs along z, or of a bin of z along y, or of one of those along x;
 * where one bin with those about it has more, of the next capacity. Throws "memory" without any.
 */
export async function planDomains(
  bins: number,
  [capacity, ...others]: readonly number[],
  survey: Survey,
): Promise<PlannedDomain[]> {
  const domains = await domainsOf(bins, capacity, survey);
  if (domains) return domains;
  if (others.length > 0) return planDomains(bins, others, survey);
  const reach = (3 / bins).toPrecision(2);
  throw new GravmeshError(
    "memory",
    `friends of friends: the adapter links ${capacity} particles at a time, and more lie within ${reach} of the box; try a shorter linking length`,
  );
}

/** Undefined where too many particles lie together. */
async function domainsOf(bins: number, capacity: number, survey: Survey): Promise<PlannedDomain[] | undefined> {
  const cut = async (within: Domain, axis: 0 | 1 | 2): Promise<PlannedDomain[] | undefined> => {
    const histograms = await survey(within, axis);
    const sums = histograms.map((counts) => cumsum([0, ...counts]));
    const about = (first: number, size: number) => {
      const [from, length] = size + 2 >= bins ? [0, bins] : [first - 1, size + 2];
      return sums.map((sum) => cyclicSum(sum, from, length));
    };
    const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
    const found: PlannedDomain[] = [];
    for (let first = 0; first < bins; ) {
      let size = 0;
      while (first + size < bins && total(about(first, size + 1)) <= capacity) size++;
      const domain = {
        low: within.low.with(axis, first) as Triple,
        size: within.size.with(axis, Math.max(1, size)) as Triple,
      };
      if (size === 0) {
        const parts = axis === 0 ? undefined : await cut(domain, axis === 2 ? 1 : 0);
        if (!parts) return undefined;
        found.push(...parts);
      } else if (total(sums.map((sum) => cyclicSum(sum, first, size))) > 0) {
        const counts = about(first, size);
        const windows = counts.flatMap((count, window) => (count > 0 ? [window] : []));
        found.push({ ...domain, windows, count: total(counts) });
      }
      first += Math.max(1, size);
    }
    return found;
  };
  return cut({ low: [0, 0, 0], size: [bins, bins, bins] }, 2);
}

/** Sum of the values from `first`, which may be −1, on; they wrap. */
function cyclicSum(sums: Float64Array, first: number, length: number): number {
  const bins = sums.length - 1;
  const from = (first + bins) % bins;
  const to = from + length;
  return to <= bins ? sums[to] - sums[from] : sums[bins] - sums[from] + sums[to - bins];
}
