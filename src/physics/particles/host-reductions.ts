/** Reductions over arrays of the host, in float64, or over blocks of them that come one after the other. */
import { blocksOf, type ParticleBlock, type ReadRequest } from "./blocks.ts";
import { addWaves, axesAbout, multipolesOf, POLES, polesOf, turnedInto, WAVE_SUMS, wavesOf } from "./harmonics.ts";
import { massMap, velocityMap } from "./host-maps.ts";
import {
  type Box,
  type IdRange,
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
} from "./reductions.ts";
import type { ComponentRange, ParticleSet } from "./state.ts";
import { LEADING_BINS, leadingBits } from "./sums.ts";

/** Where blocks come from, as often as they are asked for. */
export interface BlockSource {
  count: number;
  components: readonly ComponentRange[];
  blocks(want: ReadRequest): AsyncIterable<ParticleBlock> | Iterable<ParticleBlock>;
}

export function reductionsOf(particles: ParticleSet & { accelerations?: Float32Array }, box: Box): HostReductions {
  const { count, components } = particles;
  return new HostReductions({ count, components, blocks: (want) => blocksOf(particles, want) }, box);
}

/** A particle: its block and its place there. */
type Visit = (block: ParticleBlock, i: number) => void;

export class HostReductions implements Reductions {
  readonly count: number;
  readonly components: readonly ComponentRange[];

  constructor(
    private readonly source: BlockSource,
    private readonly box: Box,
  ) {
    this.count = source.count;
    this.components = source.components;
  }

  async maps(views: readonly MapView[], ranges?: readonly IdRange[]): Promise<Float64Array[]> {
    const sums = views.map((view) => massMap(view, this.box));
    await this.#each(ranges, ({ positions, masses }, i) => {
      for (const one of sums) one.add(positions, masses[i], i);
    });
    return sums.map(({ mass }) => mass);
  }

  async centre(ranges?: readonly IdRange[], within?: Sphere): Promise<MassCentre> {
    const middle = this.box.size / 2;
    let count = 0;
    const [mass, x, y, z] = await this.#sums(ranges, within, (add, { positions, masses }, i) => {
      count++;
      const m = masses[i];
      add(m, m * (positions[3 * i] - middle), m * (positions[3 * i + 1] - middle), m * (positions[3 * i + 2] - middle));
    });
    const on = (sum: number) => middle + (mass > 0 ? sum / mass : 0);
    return { count, mass, centre: [on(x), on(y), on(z)] };
  }

  async meanVelocity(ranges?: readonly IdRange[], within?: Sphere): Promise<Vector> {
    const [mass, x, y, z] = await this.#sums(ranges, within, (add, { velocities, masses }, i) => {
      const m = masses[i];
      add(m, m * velocities[3 * i], m * velocities[3 * i + 1], m * velocities[3 * i + 2]);
    });
    return mass > 0 ? [x / mass, y / mass, z / mass] : [0, 0, 0];
  }

  async radius(share: number, about: Radial, ranges?: readonly IdRange[]): Promise<number> {
    const square = this.#distance(about);
    const histogram = new Float64Array(LEADING_BINS);
    let count = 0;
    await this.#each(ranges, ({ positions }, i) => {
      histogram[leadingBits(square(positions, i))]++;
      count++;
    });
    if (count === 0) return 0;
    let rank = rankOf(share, count);
    let bin = 0;
    while (rank >= histogram[bin]) rank -= histogram[bin++];
    const members = new Float64Array(histogram[bin]);
    let found = 0;
    await this.#each(ranges, ({ positions }, i) => {
      const r2 = square(positions, i);
      if (leadingBits(r2) === bin) members[found++] = r2;
    });
    return Math.sqrt(members.sort()[rank]);
  }

  async shells(edges: readonly number[], about: Radial, ranges?: readonly IdRange[]): Promise<Shells> {
    const [bins, square] = [new Bins(edges, 0), this.#distance(about)];
    await this.#each(ranges, ({ positions, masses }, i) => {
      bins.add(square(positions, i), masses[i]);
    });
    return { count: bins.count, mass: bins.mass };
  }

  async rings(request: RingsRequest, ranges?: readonly IdRange[]): Promise<Rings> {
    const { centre, normal, velocity, edges, accelerations } = request;
    const [place, frame] = [this.#place(centre, normal), axesAbout(normal)];
    const bins = new Bins(edges, 7);
    const { count, mass, sums } = bins;
    let known = false;
    const visit: Visit = ({ positions, velocities: v, masses, accelerations: a }, i) => {
      const [x, y] = place(positions, i);
      const r2 = x * x + y * y;
      const [m, R] = [masses[i], Math.sqrt(r2)];
      const bin = r2 === 0 ? -1 : bins.add(r2, m);
      if (bin < 0) return;
      const [vx, vy, vz] = turnedInto(
        frame,
        v[3 * i] - velocity[0],
        v[3 * i + 1] - velocity[1],
        v[3 * i + 2] - velocity[2],
      );
      const [radial, azimuthal] = [(x * vx + y * vy) / R, (x * vy - y * vx) / R];
      sums[0][bin] += m * radial;
      sums[1][bin] += m * azimuthal;
      sums[2][bin] += m * vz;
      sums[3][bin] += m * radial * radial;
      sums[4][bin] += m * azimuthal * azimuthal;
      sums[5][bin] += m * vz * vz;
      // R·(−a_R) = −(x a_x + y a_y): no division needed.
      if (!a) return;
      known = true;
      const [ax, ay] = turnedInto(frame, a[3 * i], a[3 * i + 1], a[3 * i + 2]);
      sums[6][bin] -= m * (x * ax + y * ay);
    };
    await this.#each(ranges, visit, { accelerations });
    return ringsOf(count, mass, sums, accelerations && known);
  }

  async waves(request: WavesRequest, ranges?: readonly IdRange[]): Promise<RingWaves> {
    const { centre, normal, edges, height = edges[edges.length - 1] } = request;
    const place = this.#place(centre, normal);
    const bins = new Bins(edges, WAVE_SUMS);
    await this.#each(ranges, ({ positions, masses }, i) => {
      const at = place(positions, i);
      const r2 = at[0] * at[0] + at[1] * at[1];
      const bin = r2 === 0 || Math.abs(at[2]) > height ? -1 : bins.add(r2, masses[i]);
      if (bin >= 0) addWaves(bins.sums, bin, masses[i], at);
    });
    return wavesOf(bins.count, bins.mass, bins.sums, 1);
  }

  async multipoles(request: MultipolesRequest, ranges?: readonly IdRange[]): Promise<ShellMultipoles> {
    const { centre, normal, edges } = request;
    const place = this.#place(centre, normal);
    const bins = new Bins(edges, POLES.length);
    await this.#each(ranges, ({ positions, masses }, i) => {
      const [x, y, z] = place(positions, i);
      const r2 = x * x + y * y + z * z;
      const bin = r2 === 0 ? -1 : bins.add(r2, masses[i]);
      if (bin < 0) return;
      const r = Math.sqrt(r2);
      for (const [k, pole] of polesOf(x / r, y / r, z / r).entries()) bins.sums[k][bin] += masses[i] * pole;
    });
    return multipolesOf(bins.count, bins.mass, bins.sums);
  }

  async velocityMaps(views: readonly MapView[], velocity: Vector, ranges?: readonly IdRange[]): Promise<VelocityMap[]> {
    const sums = views.map((view) => velocityMap(view, velocity, this.box));
    await this.#each(ranges, ({ positions, velocities, masses }, i) => {
      for (const one of sums) one.add(positions, velocities, masses[i], i);
    });
    return sums.map(({ map }) => map());
  }

  async #each(ranges: readonly IdRange[] | undefined, visit: Visit, want: ReadRequest = {}) {
    if (noneOf(ranges)) return;
    const merged = mergedRanges(ranges, this.count);
    const wanted = merged.length > 0 ? merged : [{ first: 0, count: this.count }];
    for await (const block of this.source.blocks(want)) {
      for (const { first, count } of wanted) {
        const end = Math.min(first + count, block.first + block.count) - block.first;
        for (let i = Math.max(first, block.first) - block.first; i < end; i++) visit(block, i);
      }
    }
  }

  /** Four sums over the particles within a sphere, or over all. */
  async #sums(
    ranges: readonly IdRange[] | undefined,
    within: Sphere | undefined,
    term: (add: (a: number, b: number, c: number, d: number) => void, block: ParticleBlock, i: number) => void,
  ): Promise<[number, number, number, number]> {
    const sums: [number, number, number, number] = [0, 0, 0, 0];
    const add = (a: number, b: number, c: number, d: number) => {
      sums[0] += a;
      sums[1] += b;
      sums[2] += c;
      sums[3] += d;
    };
    const square = within && this.#distance({ centre: within.centre, flat: false });
    const most = within ? within.radius ** 2 : 0;
    await this.#each(ranges, (block, i) => {
      if (!square || square(block.positions, i) <= most) term(add, block, i);
    });
    return sums;
  }

  /** From a centre on one axis [length]; in a periodic box to the nearest image. */
  #offset(centre: Vector): (positions: Float64Array, i: number, axis: number) => number {
    const { size, boundary } = this.box;
    if (boundary === "isolated") return (positions, i, axis) => positions[3 * i + axis] - centre[axis];
    return (positions, i, axis) => {
      const d = positions[3 * i + axis] - centre[axis];
      return d - size * Math.round(d / size);
    };
  }

  /** From a centre in the frame of a normal [length]. */
  #place(centre: Vector, normal: Vector | undefined): (positions: Float64Array, i: number) => [number, number, number] {
    const [offset, frame] = [this.#offset(centre), axesAbout(normal)];
    return (positions, i) =>
      turnedInto(frame, offset(positions, i, 0), offset(positions, i, 1), offset(positions, i, 2));
  }

  /** Squared distances [length²]. */
  #distance({ centre, flat }: Radial): (positions: Float64Array, i: number) => number {
    const offset = this.#offset(centre);
    return (positions, i) => {
      const [x, y] = [offset(positions, i, 0), offset(positions, i, 1)];
      const z = flat ? 0 : offset(positions, i, 2);
      return x * x + y * y + z * z;
    };
  }
}

/** Means from the sums over m v_R, m v_φ, m v_z, their squares and −m R a_R. */
export function ringsOf(
  count: number[],
  mass: number[],
  sums: readonly ArrayLike<number>[],
  accelerations: boolean,
): Rings {
  const mean = (k: number) => mass.map((m, bin) => sums[k][bin] / m);
  return {
    ...{ count, mass },
    velocity: { radial: mean(0), azimuthal: mean(1), vertical: mean(2) },
    square: { radial: mean(3), azimuthal: mean(4), vertical: mean(5) },
    inward: accelerations ? mean(6) : undefined,
  };
}

/** Number and mass of particles between edges [B each], and `sums` of other terms. */
class Bins {
  readonly count: number[];
  readonly mass: number[];
  readonly sums: Float64Array[];
  readonly #squares: Float64Array;

  constructor(edges: readonly number[], sums: number) {
    const bins = edges.length - 1;
    this.#squares = squaredEdges(edges, 1);
    [this.count, this.mass] = [new Array<number>(bins).fill(0), new Array<number>(bins).fill(0)];
    this.sums = Array.from({ length: sums }, () => new Float64Array(bins));
  }

  /** Counts a particle at a squared distance; its bin, −1 for none. */
  add(r2: number, mass: number): number {
    const bin = binOf(this.#squares, r2);
    if (bin < 0) return -1;
    this.count[bin]++;
    this.mass[bin] += mass;
    return bin;
  }
}

/** Bin of `value` among ascending edges, or −1 outside them. */
export function binOf(edges: ArrayLike<number>, value: number): number {
  if (!(value >= edges[0]) || value >= edges[edges.length - 1]) return -1;
  let low = 0;
  let high = edges.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (value < edges[middle]) high = middle;
    else low = middle;
  }
  return low;
}
