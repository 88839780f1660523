/**
 * Levels in float64 (src/engine/mesh/levels/levels.ts): particles on the finest mesh of a chain that they are on, mass up by restriction, the
 * smooth potential down by prolongation, fields added up by weights that are a partition.
 */

import { offsetOrigin } from "../../../physics/particles/assignments.ts";
import { toFixedPoint } from "../../../physics/particles/fixed-point.ts";
import type { SavedArrays } from "../../../physics/particles/state.ts";
import { stencilReach } from "../../mesh/deposit/stencil.ts";
import {
  BLEND,
  CENTRES,
  coarsenedBy,
  densestCorner,
  firstCells,
  LEVEL_EDGE,
  type LevelGeometry,
  levelChains,
  levelGeometry,
  levelGrid,
  requireCentres,
  requireLevelsFit,
} from "../../mesh/levels/level-grid.ts";
import { bandSpectrum, smoothFine, smoothSpectrum, topSpectrum } from "../../mesh/levels/level-kernels.ts";
import { depthIn } from "../../mesh/levels/level-regions.ts";
import type { Level } from "../../mesh/levels/level-settings.ts";
import { runYielding } from "../../mesh/poisson/greens.ts";
import { coarseCells } from "../../mesh/poisson/split-mesh.ts";
import type { PipelineSettings } from "../../mesh/settings.ts";
import { cellKeys, type HostGrid, hostGridOf, wrap } from "./cells.ts";
import { depositMass } from "./deposit.ts";
import { differenceGradient } from "./gradient.ts";
import { type Interpolated, interpolateForce } from "./interpolate.ts";
import { PoissonFft } from "./poisson-fft.ts";
import { addTo, betweenMeshes, SplitPoisson } from "./poisson-split.ts";

const TURN = 2 ** 32;

/** The solvers of a level. */
interface Solvers {
  top: PoissonFft;
  /** For the level in it. */
  band: PoissonFft | undefined;
  /** Of its potentials in a periodic box, for a mean density of 1. */
  offsets: { top: number; band: number };
}

/** A level at one evaluation of the force. */
interface Placed {
  grid: HostGrid;
  /** Positions as they lie about the grid's corner, around the faces of a periodic box. */
  near: (positions: Float64Array) => Float64Array;
}

type Smooth = Pick<PoissonFft, "potential" | "memory">;

export class ReferenceLevels {
  /** Fixed point, three a level. */
  #centres: number[][];
  /** By each centre at the last evaluation, and how many followed particles lay within half the outermost core. */
  #moved: number[][];
  #held = true;
  #placed: Placed[] = [];
  /** [n³] and [n³·4] of each level. */
  #densities: Float64Array[] = [];
  #forces: Float64Array[] = [];
  readonly #geometry: readonly LevelGeometry[];
  readonly #chains: readonly number[][];
  readonly #box: HostGrid;

  private constructor(
    private readonly settings: PipelineSettings,
    private readonly levels: readonly Level[],
    private readonly solvers: readonly Solvers[],
    /** Of the box, by refinement. */
    private readonly smooth: ReadonlyMap<number, Smooth>,
    private readonly meanDensity: number,
  ) {
    const { mesh, boundary, boxSize } = settings;
    this.#geometry = levelGeometry(levels, mesh.cells, stencilReach(mesh));
    this.#chains = levelChains(levels);
    this.#box = hostGridOf(mesh, boundary, boxSize);
    this.#centres = levels.map(({ place }) => place.map((x) => toFixedPoint(x, boxSize).u));
    this.#moved = levels.map(() => [0, 0, 0, 0]);
  }

  /** Undefined where there are none. Throws "usage" for what they don't go with. */
  static async create(settings: PipelineSettings, mass: number): Promise<ReferenceLevels | undefined> {
    const { levels = [], mesh, boundary, boxSize, G } = settings;
    if (levels.length === 0) return undefined;
    requireLevelsFit(settings);
    const geometry = levelGeometry(levels, mesh.cells, stencilReach(mesh));
    const smooth = new Map<number, Smooth>();
    const h = boxSize / mesh.cells;
    for (const { parent, refinement } of levels) {
      if (parent !== undefined || smooth.has(refinement)) continue;
      const made =
        boundary === "isolated"
          ? await SplitPoisson.create(mesh, boxSize, G, (side) => smoothFine(mesh, refinement, side))
          : periodic(mesh.cells, h, G, await runYielding(smoothSpectrum(mesh, refinement, h)));
      smooth.set(refinement, made);
    }
    const solvers: Solvers[] = [];
    for (const [l, level] of levels.entries()) {
      const own = boxSize / geometry[l].perBox;
      const child = levels.find(({ parent }) => parent === l);
      const top = await runYielding(topSpectrum(mesh, level, own));
      const band = child && (await runYielding(bandSpectrum(mesh, level, child.refinement, own)));
      const offset = (spectrum: Float64Array | undefined) =>
        spectrum && boundary === "periodic" ? -G * spectrum[0] * level.cells ** 3 : 0;
      solvers.push({
        top: periodic(level.cells, own, G, top),
        band: band && periodic(level.cells, own, G, band),
        offsets: { top: offset(top), band: offset(band) },
      });
    }
    return new ReferenceLevels(settings, levels, solvers, smooth, mass / boxSize ** 3);
  }

  /** Looks for the centres at the start where particles are densest, in ever smaller cubes. */
  find(positions: Float64Array): void {
    const { cells, searches } = CENTRES;
    for (const chain of this.#chains) {
      const counts = new Uint32Array(cells ** 3);
      this.#eachFollowed(chain[0], positions, (place) => {
        const [x, y, z] = place.map((u) => Math.floor((u / TURN) * cells));
        counts[(z * cells + y) * cells + x]++;
      });
      const found = densestCorner(counts, this.settings.boundary === "isolated");
      if (found) for (const l of chain) this.#centres[l] = found.map((share) => TURN * share);
    }
    for (const half of searches) {
      this.#move(positions, half / cells);
      for (const motion of this.#moved) motion.fill(0);
    }
  }

  /** Places in fixed point of the particles in the box that a level follows. */
  #eachFollowed(l: number, positions: Float64Array, take: (place: number[]) => void): void {
    for (const { first, count } of this.levels[l].follows) {
      for (let i = first; i < Math.min(first + count, positions.length / 3); i++) {
        const place = [0, 1, 2].map((axis) => toFixedPoint(positions[3 * i + axis], this.settings.boxSize));
        if (this.settings.boundary === "periodic" || place.every(({ image }) => image === 0))
          take(place.map(({ u }) => u));
      }
    }
  }

  /**
   * The centre of a chain is the mean of those followed within a cube of which half a side is `share` of a box, and at least half
   * the outermost core, about where it will be if it goes on as it moved, or within a smaller one that is much denser.
   */
  #move(positions: Float64Array, share = 0): void {
    const isolated = this.settings.boundary === "isolated";
    for (const chain of this.#chains) {
      const [l] = chain;
      const { perBox, core } = this.#geometry[l];
      const [centre, moved] = [this.#centres[l], this.#moved[l]];
      const from = centre.map((c, axis) => wrap(c + moved[axis], TURN));
      const least = (core / 2) * (this.levels[l].refinement / perBox);
      const reach = Math.floor(Math.min(2 ** 31 - 1, TURN * Math.max(share, least)));
      const cubes = Array.from({ length: CENTRES.cubes }, () => ({ count: 0, sums: [0, 0, 0] }));
      this.#eachFollowed(l, positions, (place) => {
        const d = place.map((u, axis) => {
          const apart = u - from[axis];
          return isolated ? apart : apart - TURN * Math.floor(apart / TURN + 0.5);
        });
        for (const [w, cube] of cubes.entries()) {
          if (d.some((one) => Math.abs(one) > reach >> w)) break;
          cube.count++;
          for (const axis of [0, 1, 2]) cube.sums[axis] += d[axis];
        }
      });
      let densest = 0;
      const isDenser = (w: number) => cubes[w]?.count >= Math.max(CENTRES.least, cubes[w - 1].count / 3);
      while (moved[3] > 0 && isDenser(densest + 1)) densest++;
      const { count, sums } = cubes[densest];
      const motion = sums.map((sum, axis) => (count === 0 ? 0 : moved[axis] + Math.round(sum / count)));
      for (const one of chain) {
        this.#moved[one] = [...motion, cubes[0].count];
        this.#centres[one] = centre.map((c, axis) => wrap(c + motion[axis], TURN));
      }
    }
  }

  /** Puts the meshes where the centres are, moved with the particles. */
  place(positions: Float64Array): void {
    const { mesh, boundary, boxSize } = this.settings;
    if (!this.#held && this.levels.some(({ follows }) => follows.length > 0)) this.#move(positions);
    this.#held = false;
    this.#placed = this.levels.map((level, l) => {
      const geometry = this.#geometry[l];
      const inBoxes = this.#centres[l].map((u) => u / TURN);
      const first = firstCells(level, geometry, inBoxes);
      const grid = hostGridOf(mesh, boundary, boxSize, levelGrid(level, geometry, first));
      const around = (x: number, i: number) => {
        const from = x - grid.corner[i % 3];
        return x - boxSize * Math.floor(from / boxSize);
      };
      return { grid, near: (some) => (boundary === "periodic" ? some.map(around) : some) };
    });
  }

  /**
   * Deposits the particles in `onMesh` on the finest meshes that they are on, within a step on levels alone; those that are
   * on none, in order, are returned.
   */
  deposit(positions: Float64Array, masses: Float64Array, onMesh: Uint32Array, boxDensity?: Float64Array): Uint32Array {
    const on = this.#members(positions);
    const own: number[][] = this.levels.map(() => []);
    const guests: number[][] = this.levels.map(() => []);
    const left = onMesh.filter((i) => {
      let counted = false;
      for (const chain of this.#chains) {
        const finest = chain.findLast((l) => on[l](i));
        if (finest === undefined) continue;
        (counted ? guests : own)[finest].push(i);
        counted = true;
      }
      return !counted;
    });
    if (boxDensity) depositMass(this.#box, positions, masses, left, boxDensity);
    const sets = guests.some(({ length }) => length > 0) ? [own, guests] : [own];
    const densities = sets.map((all) =>
      all.map((some, l) => {
        const { grid, near } = this.#placed[l];
        return depositMass(grid, near(positions), masses, Uint32Array.from(some));
      }),
    );
    for (let l = this.levels.length - 1; l >= 0; l--) {
      const { parent } = this.levels[l];
      for (const [k, of] of densities.entries()) {
        const to = parent === undefined ? (k === 0 ? boxDensity : undefined) : of[parent];
        if (to)
          this.#addBlock(
            l,
            betweenMeshes(of[l], this.levels[l].cells, coarsenedBy(this.levels[l].refinement), true),
            to,
          );
      }
    }
    this.#densities = densities.reduce((all, others) => all.map((density, l) => addTo(density, others[l])));
    return left;
  }

  /** Forces of the levels, after the box has all mass; without it what they add themselves. */
  solve(boxDensity?: Float64Array): void {
    const { mesh } = this.settings;
    const smooth = new Map(
      boxDensity && [...this.smooth].map(([refinement, solver]) => [refinement, solver.potential(boxDensity)]),
    );
    const ofLevels: Float64Array[] = [];
    const bands: number[] = [];
    this.#forces = this.#densities.map((density, l) => {
      const { parent, refinement, cells } = this.levels[l];
      const { top, band, offsets } = this.solvers[l];
      const above = parent === undefined ? smooth.get(refinement) : ofLevels[parent];
      const prolonged = above
        ? betweenMeshes(this.#blockOf(l, above), cells, coarsenedBy(refinement), false)
        : new Float64Array(cells ** 3);
      const offset = parent === undefined ? 0 : bands[parent];
      bands.push(offset + offsets.band);
      if (band) ofLevels[l] = addTo(band.potential(density), prolonged);
      const added = this.meanDensity * (offset + offsets.top);
      const potential = addTo(top.potential(density), prolonged);
      if (added !== 0) for (let i = 0; i < potential.length; i++) potential[i] += added;
      const h = this.#placed[l].grid.side / cells;
      const scheme = mesh.gradient as "2-point" | "4-point";
      return differenceGradient(potential, { n: cells, h, scheme, wraps: true });
    });
  }

  /** Turns the box's field at the positions in `inside` into that of all meshes; from none, into that of the levels. */
  blend(positions: Float64Array, inside: Uint32Array, out: Interpolated): void {
    const on = this.#members(positions);
    const near = this.#placed.map((one) => one.near(positions));
    const one = {
      accelerations: new Float64Array(out.accelerations.length),
      potential: new Float64Array(out.potential.length),
    };
    const shares = this.#shares(positions, inside, on);
    for (const [k, i] of inside.entries()) {
      const ofBox = 1 - shares.reduce((sum, share) => sum + share[k], 0);
      for (const axis of [0, 1, 2]) out.accelerations[3 * i + axis] *= ofBox;
      out.potential[i] *= ofBox;
    }
    for (const [l, share] of shares.entries()) {
      interpolateForce(
        this.#placed[l].grid,
        this.#forces[l],
        near[l],
        inside.filter((_, k) => share[k] > 0),
        one,
      );
      for (const [k, i] of inside.entries()) {
        if (share[k] === 0) continue;
        for (const axis of [0, 1, 2]) out.accelerations[3 * i + axis] += share[k] * one.accelerations[3 * i + axis];
        out.potential[i] += share[k] * one.potential[i];
      }
    }
  }

  /** Box coordinates. */
  centres(): number[][] {
    return this.#centres.map((centre) => centre.map((u) => (u / TURN) * this.settings.boxSize));
  }

  saveState(): SavedArrays {
    return {
      levelCentres: Uint32Array.from(this.#centres.flat()),
      levelMotion: Int32Array.from(this.#moved.flat()),
    };
  }

  /** Throws "input" for the state of other levels. */
  restoreState({ levelCentres, levelMotion }: SavedArrays): void {
    requireCentres(this.levels, levelCentres?.length);
    const ofLevels = (array: SavedArrays[string], some: number) =>
      this.levels.map((_, l) => Array.from(array.subarray(some * l, some * (l + 1))));
    [this.#centres, this.#moved] = [ofLevels(levelCentres, 3), ofLevels(levelMotion, 4)];
    this.#held = true;
  }

  /** Bytes held between calls, and besides during one. */
  memory(): { held: number; working: number } {
    const solvers: Smooth[] = [
      ...this.smooth.values(),
      ...this.solvers.flatMap(({ top, band }) => (band ? [top, band] : [top])),
    ];
    const meshes = 8 * this.levels.reduce((sum, { cells }) => sum + cells ** 3, 0);
    const needs = solvers.map((solver) => solver.memory());
    return {
      held: 4 * meshes + needs.reduce((sum, { held }) => sum + held, 0),
      working: 3 * meshes + Math.max(...needs.map(({ working }) => working)),
    };
  }

  /** Whether a particle is on the mesh of each level, in an isolated box so far inside the faces that B-splines stay in the box. */
  #members(positions: Float64Array): ((i: number) => boolean)[] {
    const { boundary, boxSize } = this.settings;
    return this.#placed.map(({ grid, near }, l) => {
      const keys = cellKeys(grid, near(positions));
      const { perBox, edge } = this.#geometry[l];
      const least = edge + grid.reach;
      const isInside = (x: number) => {
        const cell = (x / boxSize) * perBox - offsetOrigin(grid.assignment);
        return cell >= least && cell < perBox - least;
      };
      const reaches = (i: number) => boundary === "periodic" || positions.subarray(3 * i, 3 * i + 3).every(isInside);
      return (i) => keys[i] < grid.cells ** 3 && reaches(i);
    });
  }

  /** [levels][inside] what each level contributes: the smallest cells first, among equals the largest weight. */
  #shares(positions: Float64Array, inside: Uint32Array, on: readonly ((i: number) => boolean)[]): Float64Array[] {
    const shares = this.levels.map(() => new Float64Array(inside.length));
    const { boxSize, boundary } = this.settings;
    const centres = this.#centres.flat().map((u) => u / TURN);
    const placed = { levels: this.levels, geometry: this.#geometry, centres, isolated: boundary === "isolated" };
    for (const [k, i] of inside.entries()) {
      const point = [0, 1, 2].map((axis) => positions[3 * i + axis] / boxSize);
      const weights = this.levels.map((_, l) => {
        if (!on[l](i)) return 0;
        const t = Math.min(1, Math.max(0, depthIn(placed, l, point) / BLEND));
        return t * t * (3 - 2 * t);
      });
      const order = [...weights.keys()].sort(
        (a, b) => this.#geometry[b].perBox - this.#geometry[a].perBox || weights[b] - weights[a] || a - b,
      );
      let left = 1;
      for (const l of order) {
        shares[l][k] = weights[l] * left;
        left *= 1 - weights[l];
      }
    }
    return shares;
  }

  /** Calls `take` for the cells of the parent that a level's block has, with their places in both. */
  #eachBlockCell(l: number, take: (inBlock: number, inParent: number) => void): void {
    const { parent, refinement, cells } = this.levels[l];
    const n = coarseCells(cells, coarsenedBy(refinement));
    const around = parent === undefined ? this.#box : this.#placed[parent].grid;
    const h = around.side / around.cells;
    const perBox = this.#geometry[l].perBox / refinement;
    const [xs, ys, zs] = this.#placed[l].grid.corner.map((x, axis) => {
      const from = Math.round((x - around.corner[axis]) / h) - LEVEL_EDGE;
      return Int32Array.from({ length: n }, (_, d) => wrap(from + d, perBox));
    });
    let inBlock = 0;
    for (const z of zs) {
      for (const y of ys) {
        for (const x of xs) {
          if (Math.max(x, y, z) < around.cells) take(inBlock, (z * around.cells + y) * around.cells + x);
          inBlock++;
        }
      }
    }
  }

  #addBlock(l: number, block: Float64Array, to: Float64Array): void {
    this.#eachBlockCell(l, (inBlock, inParent) => {
      to[inParent] += block[inBlock];
    });
  }

  #blockOf(l: number, values: Float64Array): Float64Array {
    const block = new Float64Array(coarseCells(this.levels[l].cells, coarsenedBy(this.levels[l].refinement)) ** 3);
    this.#eachBlockCell(l, (inBlock, inParent) => {
      block[inBlock] = values[inParent];
    });
    return block;
  }
}

const periodic = (cells: number, h: number, G: number, spectrum: Float64Array) =>
  PoissonFft.withKernel({ cells, period: cells, h, G, spectrum });
