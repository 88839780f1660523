/**
 * Memory that the GPU pipeline will hold, before anything is allocated, and what would fit instead. Particles and mesh are
 * cut where a buffer doesn't hold them (foundation/gpu/windows.ts): only a few arrays must lie in one piece.
 */

import { friendsBytes, type Held, spectrumBytes } from "../engine/diagnostics/memory.ts";
import { DIRECT_BINDING_BYTES, DIRECT_BYTES } from "../engine/direct/settings.ts";
import { FAULT_WORDS, mostInWindow, particleWindows, SLOTS_A_MARK } from "../engine/gpu-particles/windows.ts";
import { fieldBytes, meshBytes, meshSlabs } from "../engine/mesh/field.ts";
import { forcePlanes, vectorsForTexels } from "../engine/mesh/force/force-mesh.ts";
import { levelsBytes, PARTICLE_FIELD_BYTES } from "../engine/mesh/levels/level-memory.ts";
import { aqualBytes } from "../engine/mesh/mond/aqual-settings.ts";
import { mondBytes } from "../engine/mesh/mond/mond.ts";
import { poissonMethods } from "../engine/mesh/poisson/poisson-methods.ts";
import { bytesOfRanks, EXCHANGED_BYTES, leastCells, pairBytes, SOURCE_BYTES } from "../engine/p3m/reach.ts";
import { bytesText } from "../foundation/base/bytes.ts";
import { meshSizes } from "../foundation/deck/mesh-sizes.ts";
import { TEXEL_BYTES } from "../foundation/gpu/buffers.ts";
import type { RangeLimits, WindowLimits } from "../foundation/gpu/windows.ts";
import { heldAtStart, massesDiffer, sampledCount } from "../physics/initial/components.ts";
import { assignments } from "../physics/particles/assignments.ts";
import { findsSphericalHaloes } from "./haloes.ts";
import { levelShapes } from "./level-sizes.ts";
import type { Scenario } from "./scenario.ts";
import { wantsStatistics } from "./spectra.ts";

/** Positions 12, velocities 12 and ids 4, each twice; rank in the cell 4. */
const PARTICLE_BYTES = 60;
/** Box image of a particle in an isolated run, twice. */
const IMAGE_BYTES = 8;
const MASS_BYTES = 4;
/** What is read back lies in a buffer of at most this. */
export const STAGING_LIMIT = 64 * 2 ** 20;
/** What a particle takes of it [bytes] where they are few: its position, or its velocity. */
const STAGING_BYTES = 12;
/** What the host holds of a particle at its peak, in initial conditions and outputs; adapters that are CPUs share that memory. */
const HOST_BYTES = 16;
/** What rank 0's host holds for catalogues of spherical haloes, of each particle, and for [spectra], of each cell. */
const SPHERES_BYTES = 180;
const MODES_BYTES = 44;
/** Partial sums of the scan over the cells: one in 256, the most that a shape takes, and theirs. */
const SCAN_BYTES = 4 / 255;
/** Twiddle tables, reductions, uniforms, timestamps. */
const SMALL_BUFFERS = 2 ** 20;
/** Mass of a cell on its way between ranks. */
const MASS_WORD_BYTES = 8;
/** Cells are numbered in 32 bits. */
const MOST_CELLS = 1536;

/** Memory of one process; with several ranks that of rank 0, which holds the most. */
export interface MemoryEstimate {
  /** [bytes] */
  particles: number;
  mesh: number;
  other: number;
  /** Held for a while by power spectra and by the search for haloes: the larger. */
  outputs: number;
  /** Held to place the particles, before there is a mesh. */
  start: number;
  /** What the host holds beside an adapter that is a CPU and shares its memory. */
  host: number;
  total: number;
  /** All ranks that share the memory, together. */
  together: number;
  /** The largest array that must lie in one piece [bytes]; 0: there is none. */
  largestBinding: number;
  /** Windows of particles and slabs of the mesh. */
  windows: number;
  slabs: number;
}

/** Limits of the adapter; what isn't given has no bound. */
export interface MemoryLimits {
  /** Most that the run may hold [bytes]. */
  total?: number;
  /** maxStorageBufferBindingSize and maxBufferSize, the smaller [bytes]. */
  binding?: number;
  /** maxBufferSize [bytes]; as `binding` unless given. */
  buffer?: number;
  /** Smaller windows and slabs than the adapter needs. */
  windows?: WindowLimits;
  /** It is a CPU. */
  software?: boolean;
  /** Processes that share the particles, where a run may have several. */
  ranks?: number | undefined;
  /** How many of them share what `total` says: one unless given. */
  sharing?: number;
}

export interface EstimateOptions extends MemoryLimits {
  /** Particles that snapshot components will bring; unknown until their files are read. */
  snapshotParticles?: number;
}

function rangeLimitsOf({ binding = 4 * 2 ** 32, buffer = binding, windows }: MemoryLimits): RangeLimits {
  return { binding, buffer, windows };
}

/** What a run of `scenario` holds on the GPU. */
export function memoryEstimate(scenario: Scenario, options: EstimateOptions = {}): MemoryEstimate {
  const count = sampledCount(scenario) + (options.snapshotParticles ?? 0);
  return estimateFor(scenario, scenario.mesh.cells, count, options);
}

function estimateFor(scenario: Scenario, n: number, count: number, limits: MemoryLimits): MemoryEstimate {
  if (scenario.gravity === "direct") {
    const particles = count * DIRECT_BYTES;
    return {
      ...{ particles, mesh: 0, other: SMALL_BUFFERS, outputs: 0, start: 0, host: 0 },
      total: particles + SMALL_BUFFERS,
      together: (limits.sharing ?? 1) * (particles + SMALL_BUFFERS),
      ...{ largestBinding: count * DIRECT_BINDING_BYTES, windows: 1, slabs: 1 },
    };
  }
  const { ranks = 1, sharing = 1 } = limits;
  const share = Math.ceil(count / ranks);
  const particles = particlesHeld(scenario, share, limits);
  const mesh = meshHeld(scenario, n, limits);
  mesh.bytes += massOfRanks(n, ranks);
  const pairs = pairsOfRanks(scenario, n, count, ranks);
  particles.bytes += pairs.bytes;
  const scan = Math.ceil(SCAN_BYTES * n ** 3);
  const modified = scenario.mond.formulation === "none" ? 0 : mondBytes(n).other;
  const other = SMALL_BUFFERS + modified + scan + Math.min(STAGING_LIMIT, share * STAGING_BYTES);
  const { haloes, spectrum } = outputsHeld(scenario, n, count, limits);
  // One after the other, so that the larger counts.
  const outputs = { all: Math.max(haloes.all, spectrum.all), binding: Math.max(haloes.binding, spectrum.binding) };
  // A lattice is displaced on rank 0, beside the particles and before there is a mesh.
  const held0 = heldAtStart(scenario);
  const start = held0 > 0 ? Math.ceil((held0 * count) / sampledCount(scenario)) : 0;
  const otherHost = limits.software ? HOST_BYTES * share + pairs.host : 0;
  const host = otherHost + (limits.software ? hostOutputs(scenario, count) : 0);
  const total = particles.bytes + Math.max(mesh.bytes + other + outputs.all, start) + host;
  const otherRank = particles.bytes + mesh.bytes + other + spectrum.all + otherHost;
  return {
    ...{ particles: particles.bytes, mesh: mesh.bytes, other, outputs: outputs.all, start, host, total },
    together: total + (sharing - 1) * otherRank,
    largestBinding: Math.max(mesh.binding, outputs.binding, pairs.binding),
    ...{ windows: particles.windows, slabs: mesh.slabs },
  };
}

/** Where the cells of a mesh lie together on their way to other ranks (engine/mesh/deposit/shared-mass.ts). */
function massOfRanks(n: number, ranks: number): number {
  const plane = MASS_WORD_BYTES * n ** 2;
  return ranks > 1 ? plane * Math.min(n, Math.max(1, Math.floor(STAGING_LIMIT / plane))) : 0;
}

/** Follows the buffers of engine/gpu-particles/buffers.ts. */
function particlesHeld(scenario: Scenario, count: number, limits: MemoryLimits): { bytes: number; windows: number } {
  const cuts = count > 0 ? particleWindows(rangeLimitsOf(limits), count) : [];
  const image = scenario.box.boundary === "isolated" ? IMAGE_BYTES : 0;
  const [level] = scenario.level;
  const withPairs = scenario.gravity === "p3m";
  const { substeps } = level ?? scenario.p3m;
  const field = level || withPairs ? PARTICLE_FIELD_BYTES * (substeps > 1 ? 2 : 1) : 0;
  const pairs = withPairs ? pairBytes(scenario.mesh.cells, count) : 0;
  const each = PARTICLE_BYTES + image + field + (massesDiffer(scenario) ? MASS_BYTES : 0);
  const marks = cuts.map((cut) => 4 * (FAULT_WORDS + 2 * Math.ceil(cut.count / SLOTS_A_MARK)));
  return { bytes: marks.reduce((sum, bytes) => sum + bytes, each * count + pairs), windows: cuts.length };
}

/** Pairs are summed over all particles on every rank: what they take of it beyond those of its share (engine/p3m/of-ranks.ts). */
function pairsOfRanks(scenario: Scenario, n: number, count: number, ranks: number) {
  if (scenario.gravity !== "p3m") return { bytes: 0, binding: 0, host: 0 };
  const share = Math.ceil(count / ranks);
  const masses = massesDiffer(scenario) ? MASS_BYTES * count : 0;
  const more = pairBytes(n, count) - pairBytes(n, share) + bytesOfRanks(n, count, share) + masses;
  const shared = ranks > 1 ? { bytes: more, host: EXCHANGED_BYTES * count } : { bytes: 0, host: 0 };
  return { ...shared, binding: SOURCE_BYTES * count };
}

/** Pairs want particles and mesh in a binding each. */
const inPieces = ({ gravity }: Scenario, { windows, slabs }: Pick<MemoryEstimate, "windows" | "slabs">) =>
  gravity === "p3m" && Math.max(windows, slabs) > 1;

/** Follows the buffers of engine/mesh/field.ts, force-texels.ts and of the solver. */
function meshHeld(scenario: Scenario, n: number, limits: MemoryLimits) {
  const { mesh, mond, box } = scenario;
  const ranges = rangeLimitsOf(limits);
  const slabs = meshSlabs(ranges, n);
  const solver = poissonMethods[mesh.poisson].bytes({ ...mesh, cells: n }, box.boundary, ranges);
  const planes = forcePlanes({ planes: slabs[0].count, cut: slabs.length > 1 });
  // The force once more as texels, on adapters that are CPUs: a slab at a time.
  const texels = limits.software && assignments[mesh.assignment].order > 1 ? TEXEL_BYTES * n * n * planes : 0;
  const vectors = vectorsForTexels(limits.software ?? false, mesh);
  const coarser = mond.formulation === "aqual" ? aqualBytes(n) : 0;
  // Mass and Newton's potential beside the modified one, and a second solver where the first remembers its potential.
  const remembered = "warmStart" in poissonMethods[mesh.poisson] ? solver.all : 0;
  const second = mond.formulation === "none" ? 0 : coarser + 2 * fieldBytes(ranges, n) + remembered + mondBytes(n).mesh;
  return {
    bytes:
      meshBytes(ranges, n, vectors) +
      texels +
      solver.all +
      second +
      levelsBytes(levelShapes(scenario), { ...mesh, cells: n }, box.boundary),
    binding: solver.binding,
    slabs: slabs.length,
  };
}

/** For haloes rank 0 holds the particles of all ranks; each deposits its own for a power spectrum. */
function outputsHeld(scenario: Scenario, n: number, count: number, limits: MemoryLimits) {
  const { output, box } = scenario;
  const none: Held = { all: 0, binding: 0 };
  if (box.boundary !== "periodic") return { haloes: none, spectrum: none };
  const { ranks = 1 } = limits;
  const friends = output.haloes ? friendsBytes(rangeLimitsOf(limits), count, output.leastMembers) : none;
  const gathered = output.haloes && ranks > 1 ? particlesHeld(scenario, count, limits).bytes : 0;
  const spectrum = output.powerSpectra ? spectrumBytes(rangeLimitsOf(limits), n) : none;
  const meshes = output.powerSpectra ? 2 * massOfRanks(n, ranks) : 0;
  return {
    haloes: { ...friends, all: friends.all + gathered },
    spectrum: { ...spectrum, all: spectrum.all + meshes },
  };
}

/** One after the other, so that the larger counts. */
function hostOutputs(scenario: Scenario, count: number): number {
  const spheres = findsSphericalHaloes(scenario) ? SPHERES_BYTES * count : 0;
  return Math.max(spheres, wantsStatistics(scenario.spectra) ? MODES_BYTES * scenario.spectra.cells ** 3 : 0);
}

export interface FitAdvice {
  fits: boolean;
  estimate: MemoryEstimate;
  /** Largest mesh, below the one asked for, with which all particles fit. */
  cells?: number;
  /** Most particles that fit with the mesh asked for. */
  count?: number;
  /** What would fit, as a person would set it: "mesh.cells=192". */
  ways: string[];
  /** For a person: what is needed, what there is, which setting would fit. Empty when it fits. */
  message: string;
}

/** Whether `scenario` fits into `limits`, and if not, what would. */
export function fitAdvice(scenario: Scenario, limits: MemoryLimits, options: EstimateOptions = {}): FitAdvice {
  const { total = Number.POSITIVE_INFINITY, binding = Number.POSITIVE_INFINITY } = limits;
  const n = scenario.mesh.cells;
  const count = sampledCount(scenario) + (options.snapshotParticles ?? 0);
  const fits = (size: number, some: number, of = scenario, ranks = limits.ranks) => {
    if (!numbered(of, size) || (of.gravity === "p3m" && size < leastCells(of.p3m.reach))) return false;
    const found = estimateFor(of, size, some, { ...limits, ranks });
    return found.together <= total && found.largestBinding <= binding && !inPieces(of, found);
  };
  const estimate = estimateFor(scenario, n, count, numbered(scenario, n) ? limits : {});
  if (fits(n, count)) return { fits: true, estimate, ways: [], message: "" };

  const cells = meshSizes.findLast((size) => size < n && fits(size, count));
  const most = mostParticles(count, limits, (some) => fits(n, some));
  // As few ranks as would do, where more of them have memory of their own.
  const more =
    limits.software || scenario.gravity === "direct" ? [] : RANKS.filter((ranks) => ranks > (limits.ranks ?? Infinity));
  const enough = more.find((ranks) => fits(n, count, scenario, ranks));
  const ways = [
    ...withLess(scenario).flatMap(([key, without]) => (fits(n, count, without) ? [key] : [])),
    ...(enough !== undefined ? [`${enough} ranks with a GPU each (mpirun -n ${enough})`] : []),
    ...(cells !== undefined ? [`mesh.cells=${cells}`] : []),
    ...(most > 0 ? [`at most ${most} particles (now ${count}) with mesh.cells=${n}`] : []),
  ];
  const advice = ways.length > 0 ? `${ways.join(", or ")} would fit` : smallerInBoth(n, count, limits, fits);
  const { ranks = 1, sharing = 1 } = limits;
  const where = sharing > 1 ? `for ${sharing} ranks together` : ranks > 1 ? "on rank 0" : "in all";
  const needs = [
    ...(numbered(scenario, n) ? [] : [`numbers for ${n}^3 cells; 32 bits have those of ${MOST_CELLS}^3`]),
    ...(estimate.together > total ? [`${bytesText(estimate.together)} ${where}; there are ${bytesText(total)}`] : []),
    ...(estimate.largestBinding > binding
      ? [`${bytesText(estimate.largestBinding)} in one piece; the adapter binds at most ${bytesText(binding)}`]
      : []),
  ];
  if (inPieces(scenario, estimate)) {
    const { windows, slabs } = estimate;
    needs.push(`particles and mesh in a binding each, as pairs do; they would lie in ${windows} and ${slabs}`);
  }
  const parts = [
    `${count} particles${ranks > 1 ? ", of which a rank has a share" : ""}: ${bytesText(estimate.particles)}`,
    `mesh of ${n}^3: ${bytesText(estimate.mesh)}`,
    ...(estimate.start > estimate.total - estimate.particles - estimate.host - 1
      ? [`displacements before there is a mesh: ${bytesText(estimate.start)}`]
      : []),
    ...(estimate.outputs > 0
      ? [`power spectra and haloes${ranks > 1 ? ", found on rank 0" : ""}: ${bytesText(estimate.outputs)}`]
      : []),
    ...(estimate.host > 0 ? [`the host: ${bytesText(estimate.host)}`] : []),
  ];
  return {
    fits: false,
    estimate,
    ways,
    ...(cells !== undefined && { cells }),
    ...(most > 0 && { count: most }),
    message: `the run needs ${needs.join(", and ")} (${parts.join("; ")}). ${advice}`,
  };
}

const RANKS = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** Whether 32 bits number the cells; deck and snapshots see to the particles. */
function numbered({ gravity }: Scenario, n: number): boolean {
  return gravity === "direct" || n <= MOST_CELLS;
}

/** The scenario without what it could do without at the same size, each with the key that says so. */
function withLess(scenario: Scenario): [key: string, without: Scenario][] {
  const { output, mesh } = scenario;
  const ways: [has: boolean, key: string, less: Partial<Scenario>][] = [
    [output.haloes, "output.haloes=false", { output: { ...output, haloes: false } }],
    [output.powerSpectra, "output.powerSpectra=false", { output: { ...output, powerSpectra: false } }],
    [findsSphericalHaloes(scenario), "haloes.definitions=[]", { haloes: { ...scenario.haloes, definitions: [] } }],
    [mesh.gradient === "spectral", "mesh.gradient=4-point", { mesh: { ...mesh, gradient: "4-point" } }],
  ];
  return ways.flatMap(([has, key, less]): [string, Scenario][] => (has ? [[key, { ...scenario, ...less }]] : []));
}

/** Largest number up to `count` that fits. Fitting is monotonic on either side of what one window holds, which take less beyond. */
function mostParticles(count: number, limits: MemoryLimits, fits: (count: number) => boolean): number {
  const beyond = mostInWindow(rangeLimitsOf(limits)) + 1;
  let [fitting, tooMany] = beyond < count && fits(beyond) ? [beyond, count] : [0, Math.min(count, beyond)];
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(middle)) fitting = middle;
    else tooMany = middle;
  }
  return fitting;
}

/** Neither fewer cells nor fewer particles is enough alone: the largest mesh that leaves room for any. */
function smallerInBoth(
  n: number,
  count: number,
  limits: MemoryLimits,
  fits: (cells: number, count: number) => boolean,
): string {
  const size = meshSizes.findLast((cells) => cells < n && fits(cells, 1));
  if (size === undefined) return "No mesh of this program would fit";
  const most = mostParticles(count, limits, (some) => fits(size, some));
  return `mesh.cells=${size} with at most ${most} particles (now ${count}) would fit`;
}
