/** What power spectra and the search for haloes hold on the GPU while they run, beside the particles and the mesh. */
import type { RangeLimits } from "../gpu/windows.ts";
import { paddedBytes, paddedSlabRanges } from "../mesh/fft-slabs.ts";
import { CENTRE_WORDS, GROUP_WORDS, REFERENCE_WORDS, SPREAD_WORDS, SUM_WORDS } from "./friends-of-friends-catalogue.ts";

const WORD = 4;
/** Entries of a hash table for each particle: as many, or where the adapter binds no such table as few. */
const TABLE_ROOM = 2;
const LEAST_ROOM = 1.25;
const SMALLEST_TABLE = 64;

export interface Held {
  /** [bytes] */
  all: number;
  /** The largest array that must lie in one piece [bytes]; 0: there is none. */
  binding: number;
}

/** Entries of a hash table of cells for `count` particles, a power of two; the adapter binds `binding` bytes. */
export function friendsTable(count: number, binding = Number.POSITIVE_INFINITY): number {
  const size = Math.max(SMALLEST_TABLE, 2 ** Math.ceil(Math.log2(TABLE_ROOM * count)));
  return WORD * size > binding && size / 2 >= LEAST_ROOM * count ? size / 2 : size;
}

/** Particles that are linked at a time where they lie in windows: room for more would be of no use. */
const LARGEST_DOMAIN = 2 ** 23;

/** Of particles in several windows, those linked at a time where the adapter binds `binding` bytes. */
export function mostInDomain(binding: number, windowed = Number.POSITIVE_INFINITY): number {
  return Math.min(LARGEST_DOMAIN, windowed, Math.floor(binding / (3 * WORD)));
}

/** Friends of friends among `count` particles, when all are in groups of as few as are listed. */
export function friendsBytes(count: number, leastMembers: number, binding = Number.POSITIVE_INFINITY): Held {
  const wordsOfGroup = GROUP_WORDS + REFERENCE_WORDS + SUM_WORDS + CENTRE_WORDS + SPREAD_WORDS;
  const groups = WORD * wordsOfGroup * Math.max(1, Math.floor(count / leastMembers));
  if (3 * WORD * count > binding) {
    const domain = linkingBytes(mostInDomain(binding), binding);
    // positions, ids, slots and images of the domain
    const taken = 6 * WORD * mostInDomain(binding);
    return { all: Math.ceil(WORD * count + domain.all + taken + groups), binding: domain.binding };
  }
  const linking = linkingBytes(count, binding);
  return { all: Math.ceil(linking.all + groups), binding: linking.binding };
}

/** Of particles that are linked at once. */
function linkingBytes(count: number, binding: number): Held {
  const table = WORD * friendsTable(count, binding);
  const sorted = 3 * WORD * count;
  // heads, ranks, parents, sizes and labels, cell starts
  const particles = WORD * (6 * count + 1) + sorted;
  const scan = (WORD * count) / 255;
  return { all: particles + scan + 2 * table, binding: Math.max(table, sorted) };
}

/** An interlaced power spectrum on a mesh of n³: two padded meshes, the high words of the mass and, of slabs, a scratch. */
export function spectrumBytes(limits: RangeLimits, n: number): Held {
  const slabs = paddedSlabRanges(limits, n);
  const scratch = slabs.length > 1 ? paddedBytes(n, slabs[0].count) : 0;
  return { all: 2 * paddedBytes(n, n) + WORD * n ** 3 + scratch, binding: 0 };
}
