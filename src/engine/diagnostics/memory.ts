/** What power spectra and the search for haloes hold on the GPU while they run, beside the particles and the mesh. */
import type { RangeLimits } from "../../foundation/gpu/windows.ts";
import { mostInWindow } from "../gpu-particles/windows.ts";
import { paddedBytes, paddedSlabRanges } from "../mesh/fft/fft-slabs.ts";
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

/** Particles of a domain, unless so many lie together that it takes more. */
const USUAL_DOMAIN = 2 ** 23;

/** Particles that may be linked at a time: as a rule, and where they lie very close together. */
export function domainCapacities(limits: RangeLimits): [usual: number, most: number] {
  const most = mostInWindow(limits);
  return [Math.min(USUAL_DOMAIN, most), most];
}

/** Friends of friends among `count` particles, when all are in groups of as few as are listed. */
export function friendsBytes(limits: RangeLimits, count: number, leastMembers: number): Held {
  const wordsOfGroup = GROUP_WORDS + REFERENCE_WORDS + SUM_WORDS + CENTRE_WORDS + SPREAD_WORDS;
  const groups = WORD * wordsOfGroup * Math.max(1, Math.floor(count / leastMembers));
  const domain = Math.min(count, domainCapacities(limits)[0]);
  // heads, ranks, parents, sizes and labels, cell starts; positions by cell; sums of blocks of those
  const linked = WORD * (9 * domain + 1) + (WORD * domain) / 255;
  const tables = 2 * WORD * friendsTable(domain, limits.binding);
  // positions, ids, slots and images of the domain
  const taken = 6 * WORD * domain;
  // Numbers of groups by slot, then a domain after the other, then what the groups amount to.
  return { all: Math.ceil(WORD * count + Math.max(linked + tables + taken, groups)), binding: 0 };
}

/** An interlaced power spectrum on a mesh of n³: two padded meshes, the high words of the mass and, of slabs, a scratch. */
export function spectrumBytes(limits: RangeLimits, n: number): Held {
  const slabs = paddedSlabRanges(limits, n);
  const scratch = slabs.length > 1 ? paddedBytes(n, slabs[0].count) : 0;
  return { all: 2 * paddedBytes(n, n) + WORD * n ** 3 + scratch, binding: 0 };
}
