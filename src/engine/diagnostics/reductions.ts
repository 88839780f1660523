/**
 * Maps, centres, radii and profiles of the particles on the GPU (wgsl/engine/diagnostics/reductions.wgsl). Counts and masses
 * are exact; means of velocities and accelerations are fixed point of 30 bits below their largest value, what is no
 * larger than 1 of 24 bits.
 */
import multipolesWgsl from "../../../wgsl/engine/diagnostics/bins-multipoles.wgsl";
import ringsWgsl from "../../../wgsl/engine/diagnostics/bins-rings.wgsl";
import shellsWgsl from "../../../wgsl/engine/diagnostics/bins-shells.wgsl";
import wavesWgsl from "../../../wgsl/engine/diagnostics/bins-waves.wgsl";
import reductionsWgsl from "../../../wgsl/engine/diagnostics/reductions.wgsl";
import { workgroups } from "../../foundation/gpu/batch.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Kernel } from "../../foundation/gpu/kernel.ts";
import type { Share } from "../../foundation/ranks/ranks.ts";
import { largestOf, sumTotals, type Totals } from "../../foundation/ranks/totals.ts";
import { MASS_UNITS } from "../../physics/particles/fixed-point.ts";
import { multipolesOf, POLES, WAVE_SUMS, wavesOf } from "../../physics/particles/harmonics.ts";
import { velocityMapOf } from "../../physics/particles/host-maps.ts";
import { ringsOf } from "../../physics/particles/host-reductions.ts";
import { pixelAxes } from "../../physics/particles/map-grid.ts";
import {
  type IdRange,
  MAP_AXES,
  type MapView,
  type MassCentre,
  type MultipolesRequest,
  mergedRanges,
  noneOf,
  type Radial,
  type Reductions,
  type Rings,
  type RingsRequest,
  type RingWaves,
  rankOf,
  type ShellMultipoles,
  type Shells,
  type Sphere,
  squaredEdges,
  type Vector,
  type VelocityMap,
  type WavesRequest,
} from "../../physics/particles/reductions.ts";
import type { ComponentRange } from "../../physics/particles/state.ts";
import { massConstants, type ParticleBuffers } from "../gpu-particles/buffers.ts";
import type { ParticleWindow } from "../gpu-particles/windows.ts";
import { meanPlace, runOn } from "./energy.ts";
import {
  type BinKind,
  BinSums,
  RANGES_PER_DISPATCH,
  RANK_WORDS,
  REDUCTION_CONSTANTS,
  type RequestWords,
  requestUniform,
  SCALES_AT,
  SphereWords,
  squareOfRank,
  TOTALS_AT,
} from "./reduction-words.ts";

const GROUP = 64;

/** Sums between radii: their terms, how many, and which of the scales each has. */
const BINS = {
  shells: { source: shellsWgsl, numbers: 1, sums: 0, scaleOf: () => 0 },
  rings: { source: ringsWgsl, numbers: 1, sums: 7, scaleOf: (k: number) => Math.floor(k / 3) },
  waves: { source: wavesWgsl, numbers: 1, sums: WAVE_SUMS, scaleOf: () => 0 },
  multipoles: { source: multipolesWgsl, numbers: 1, sums: POLES.length, scaleOf: () => 0 },
} as const;
/** m v and m v² in pixels. */
const MOVING: BinKind = { numbers: 0, sums: 2, scaleOf: (k) => k };
type Binned = keyof typeof BINS;
type Entry = Binned | "maps" | "centre" | "largest" | "motion" | "ranks" | "velocityMap";

/** What the pipeline does for it. */
export interface ReducedState {
  /** Orders the particles, and has their forces, where that isn't done: chunks of slots know their masses then. */
  ready(): Promise<void>;
  /** Accelerations by slot [3n] of each chunk, in buffers that are left alone until the answer is there. */
  accelerations(): Promise<(window: ParticleWindow) => GPUBuffer>;
}

/** What a reduction runs, one kernel after the other, and how much is read back of it. */
interface Reduction extends Omit<RequestWords, "boxSize"> {
  label: string;
  entries: readonly Entry[];
  /** Words of the totals. */
  words: number;
  /** What of them several ranks add up. */
  totals: readonly Totals[];
  ranges: readonly IdRange[] | undefined;
  /** Last units of pixels, or squares of edges. */
  table?: Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>;
  accelerations?: ((window: ParticleWindow) => GPUBuffer) | undefined;
}

export class GpuReductions implements Reductions {
  readonly count: number;
  readonly #kernels = new Map<Entry, Promise<Kernel>>();

  constructor(
    private readonly gpu: GpuContext,
    private readonly particles: ParticleBuffers,
    readonly components: readonly ComponentRange[],
    private readonly state: ReducedState,
  ) {
    this.count = particles.count;
  }

  async maps(views: readonly MapView[], ranges?: readonly IdRange[]): Promise<Float64Array[]> {
    const maps: Float64Array[] = [];
    for (const view of views) maps.push(await this.#map(view, ranges));
    return maps;
  }

  async centre(ranges?: readonly IdRange[], within?: Sphere): Promise<MassCentre> {
    const words = await this.#sphere("centre of mass", ["centre"], ranges, within);
    const { boxSize } = this.particles;
    const units = words.total(1);
    const on = (axis: number) =>
      units === 0n ? boxSize / 2 : boxSize * meanPlace(words.total(2 + axis), words.total(5 + axis), units);
    return { count: Number(words.total(0)), mass: this.#mass(Number(units)), centre: [on(0), on(1), on(2)] };
  }

  async meanVelocity(ranges?: readonly IdRange[], within?: Sphere): Promise<Vector> {
    const words = await this.#sphere("mean velocity", ["largest", "motion"], ranges, within);
    const mass = Number(words.total(1)) / MASS_UNITS;
    const on = (axis: number) => (mass > 0 ? Number(words.total(2 + axis)) / words.scale / mass : 0);
    return [on(0), on(1), on(2)];
  }

  async radius(share: number, about: Radial, ranges?: readonly IdRange[]): Promise<number> {
    const of = { label: "radius", entries: ["ranks"] as const, ranges, about };
    const ranked = { words: RANK_WORDS, totals: [{ at: 0, count: RANK_WORDS, width: 1 }] as const };
    const leading = await this.#run({ ...of, ...ranked });
    let rank = rankOf(
      share,
      leading.reduce((sum, count) => sum + count, 0),
    );
    if (rank < 0) return 0;
    let bin = 0;
    while (rank >= leading[bin]) rank -= leading[bin++];
    const following = await this.#run({ ...of, ...ranked, chosen: bin });
    let rest = 0;
    while (rest < following.length - 1 && rank >= following[rest]) rank -= following[rest++];
    return this.particles.boxSize * Math.sqrt(squareOfRank(bin, rest));
  }

  async shells(edges: readonly number[], about: Radial, ranges?: readonly IdRange[]): Promise<Shells> {
    const [count, mass] = await this.#bins("shells", { label: "shells", edges, about, ranges });
    return { count, mass };
  }

  async rings(
    { centre, normal, velocity, edges, accelerations }: RingsRequest,
    ranges?: readonly IdRange[],
  ): Promise<Rings> {
    const bySlot = accelerations ? await this.state.accelerations() : undefined;
    const of = { label: "rings", about: { centre, flat: true }, normal, velocity, edges, ranges };
    return ringsOf(...(await this.#bins("rings", { ...of, accelerations: bySlot })), accelerations);
  }

  async waves(request: WavesRequest, ranges?: readonly IdRange[]): Promise<RingWaves> {
    const { centre, normal, edges, height = edges[edges.length - 1] } = request;
    const of = { label: "Fourier sums", about: { centre, flat: true } };
    return wavesOf(...(await this.#bins("waves", { ...of, normal, edges, height, ranges })), height);
  }

  async multipoles(
    { centre, normal, edges }: MultipolesRequest,
    ranges?: readonly IdRange[],
  ): Promise<ShellMultipoles> {
    const of = { label: "multipoles", about: { centre, flat: false } };
    return multipolesOf(...(await this.#bins("multipoles", { ...of, normal, edges, ranges })));
  }

  async velocityMaps(views: readonly MapView[], velocity: Vector, ranges?: readonly IdRange[]): Promise<VelocityMap[]> {
    const maps: VelocityMap[] = [];
    for (const view of views) maps.push(await this.#velocityMap(view, velocity, ranges));
    return maps;
  }

  async #velocityMap(view: MapView, velocity: Vector, ranges: readonly IdRange[] | undefined): Promise<VelocityMap> {
    const pixels = view.width * view.height;
    const sums = new BinSums(
      await this.#run({
        ...{ label: "velocity map", entries: ["largest", "velocityMap"], words: BinSums.words(pixels, MOVING) },
        totals: BinSums.totals(pixels, MOVING),
        ...{ ranges, velocity, depth: MAP_AXES.indexOf(view.axis), ...this.#pixelsOf(view) },
      }),
      MOVING,
    );
    const { heaviest } = this.particles;
    const each = (of: (i: number) => number) => Float64Array.from({ length: pixels }, (_, i) => of(i));
    return velocityMapOf(
      each((i) => this.#mass(sums.massUnits(i))),
      each((i) => heaviest * sums.sum(i, 0)),
      each((i) => heaviest * sums.sum(i, 1)),
    );
  }

  /** Number, mass and sums of mass times each term, by bin. */
  async #bins(
    kind: Binned,
    reduction: Omit<Reduction, "entries" | "words" | "totals" | "table"> & { edges: readonly number[] },
  ): Promise<[number[], number[], Float64Array[]]> {
    const bins = reduction.edges.length - 1;
    const { sums: terms } = BINS[kind];
    const words = await this.#run({
      ...reduction,
      entries: kind === "rings" ? ["largest", kind] : [kind],
      ...{ words: BinSums.words(bins, BINS[kind]), totals: BinSums.totals(bins, BINS[kind]) },
      table: new Float32Array(squaredEdges(reduction.edges, this.particles.boxSize)),
    });
    const sums = new BinSums(words, BINS[kind]);
    const { heaviest } = this.particles;
    const each = (of: (bin: number) => number) => Array.from({ length: bins }, (_, bin) => of(bin));
    return [
      each((bin) => sums.particles(bin)),
      each((bin) => this.#mass(sums.massUnits(bin))),
      Array.from({ length: terms }, (_, k) => Float64Array.from(each((bin) => heaviest * sums.sum(bin, k)))),
    ];
  }

  #pixelsOf(view: MapView): Pick<Reduction, "axes" | "table"> {
    const axes = pixelAxes(view, { size: this.particles.boxSize });
    const [right, up] = axes;
    const table = new Uint32Array(right.last.length + up.last.length);
    table.set(right.last);
    table.set(up.last, right.last.length);
    return { axes, table };
  }

  async #map(view: MapView, ranges: readonly IdRange[] | undefined): Promise<Float64Array> {
    const pixels = view.width * view.height;
    const of = { label: "map", entries: ["maps"] as const, words: 2 * pixels };
    const totals = [{ at: 0, count: pixels, width: 2, each: 1, stride: pixels }] as const;
    const words = await this.#run({ ...of, totals, ranges, ...this.#pixelsOf(view) });
    return Float64Array.from({ length: pixels }, (_, i) => this.#mass(words[i] + 2 ** 32 * words[pixels + i]));
  }

  async #sphere(
    label: string,
    entries: readonly Entry[],
    ranges: readonly IdRange[] | undefined,
    within: Sphere | undefined,
  ): Promise<SphereWords> {
    const about = within && { centre: within.centre, flat: false };
    const { count: words, totals } = SphereWords;
    const sphere = about && { about, radius: within.radius };
    return new SphereWords(await this.#run({ label, entries, words, totals, ranges, ...sphere }));
  }

  #mass(units: number): number {
    return (this.particles.heaviest * units) / MASS_UNITS;
  }

  /** The totals after all kernels, over all chunks, ranges of ids and ranks. */
  async #run(reduction: Reduction): Promise<Uint32Array<ArrayBuffer>> {
    const { label, entries, words, ranges: wanted, table, accelerations } = reduction;
    if (noneOf(wanted)) return new Uint32Array(words);
    await this.state.ready();
    const { gpu, particles } = this;
    const { ranks, share } = particles.held;
    const ranges = ranks.size > 1 ? rangesHere(wanted, share) : wanted;
    const own = gpu.buffers.pool();
    try {
      const totals = own.storage(`${label}: totals`, 4 * words, "other");
      const places = own.upload(`${label}: table`, table ?? new Uint32Array(1), "other");
      const merged = ranges && noneOf(ranges) ? [...ranges] : mergedRanges(ranges, this.count);
      const parts = Array.from({ length: Math.max(1, Math.ceil(merged.length / RANGES_PER_DISPATCH)) }, (_, part) =>
        merged.slice(part * RANGES_PER_DISPATCH, (part + 1) * RANGES_PER_DISPATCH),
      );
      const { boxSize } = particles;
      const requests = parts.map((part) => requestUniform(own, { boxSize, ...reduction }, part));
      await own.settle();
      let batch = gpu.batch(label).stage("diagnostics");
      for (const entry of entries) {
        if (entry !== entries[0] && ranks.size > 1) {
          // The largest of all set the scales of what comes next.
          await batch.submit();
          const found = new Uint32Array(await gpu.read(totals, 0, 4 * TOTALS_AT));
          await largestOf(ranks, found, 0, SCALES_AT);
          batch = gpu.batch(label).write(totals, 0, found.buffer).stage("diagnostics");
        }
        const kernel = await this.#kernel(entry);
        for (const window of particles.windows) {
          const half = particles.ofWindow(window, (here) => here)[particles.current];
          const { positions, velocities, images, ids, massUnits } = half;
          const groups = workgroups(Math.ceil(window.count / runOn(gpu)), GROUP);
          for (const request of requests) {
            const inputs = [positions, velocities, images, ids, massUnits, accelerations?.(window) ?? velocities];
            batch.dispatch(kernel.bind(request, ...inputs, places, totals), groups);
          }
        }
      }
      await batch.submit();
      const found = new Uint32Array(await gpu.read(totals, 0, 4 * words));
      await sumTotals(ranks, found, reduction.totals);
      return found;
    } finally {
      own.destroyAll();
    }
  }

  #kernel(name: Entry): Promise<Kernel> {
    const binned = name in BINS ? BINS[name as Binned] : undefined;
    const constants = {
      ...REDUCTION_CONSTANTS,
      ...massConstants(this.particles),
      ...{ ISOLATED: this.particles.boundary === "isolated", RUN: runOn(this.gpu), SUMS: binned?.sums ?? 0 },
    };
    const source = binned?.source ?? reductionsWgsl;
    const entry = binned ? "bins" : name;
    const made =
      this.#kernels.get(name) ?? this.gpu.kernel({ label: `reductions/${name}`, sources: [source], entry, constants });
    this.#kernels.set(name, made);
    return made;
  }
}

/** What a share has of ranges of ids, counted from the share's first; one without particles where it has nothing. */
function rangesHere(ranges: readonly IdRange[] | undefined, { first, count }: Share): IdRange[] | undefined {
  if (ranges === undefined || ranges.length === 0) return undefined;
  const own = ranges.flatMap((range) => {
    const from = Math.max(first, range.first);
    const some = Math.min(first + count, range.first + range.count) - from;
    return some > 0 ? [{ first: from - first, count: some }] : [];
  });
  return own.length > 0 ? own : [{ first: 0, count: 0 }];
}
