/**
 * How often particles are ordered by cell. In between they lie in the order of an earlier step, which the deposit by rows can
 * do with: what has left its cells is added by atomics (mesh/deposit-rows.ts). No bit depends on it. On processors that
 * pays with CIC where few particles leave their cells in a step, which a sample of their velocities tells after each
 * submission; on GPUs nobody has measured it.
 */
import type { Batch } from "../gpu/batch.ts";
import type { GpuContext } from "../gpu/context.ts";
import { shapeByKind } from "../gpu/tune.ts";
import type { ParticleBuffers } from "./buffers.ts";
import type { CellStarts } from "./cells.ts";
import { evenPieces } from "./pieces.ts";
import { inSections } from "./sections.ts";

/** Whose order it is. */
interface Ordered {
  gpu: GpuContext;
  particles: ParticleBuffers;
  mesh: { starts: CellStarts; cells: number };
  settings: { assignment: "ngp" | "cic" | "tsc" };
}

const SHAPES = { "as they move": undefined, "each step": 1, "every 3 steps": 3 } as const;
type Shape = keyof typeof SHAPES;
const USUAL = { software: "as they move", hardware: "each step" } as const;

/** Velocities read back of a submission. */
const SAMPLE = 512;
/** Steps have taken this long before anything is compiled that spares them orders. */
const SETTLED_MS = 2000;
/** Steps at most that an order serves. */
const LONGEST = 16;

/**
 * What a step costs with a share F of the particles astray, ROOT √F + LINEAR F, in units of ordering and counting them all:
 * strays that are few are also far from each other in memory. Of 128³ particles on a software adapter
 * (docs/performance.md).
 */
const [ROOT, LINEAR] = [1.1, 0.4];

/** Whether particles in one piece of a periodic box may be deposited that have moved since they were ordered. */
export function mayDrift(ordered: Ordered): boolean {
  return shapeOf(ordered) !== "each step";
}

function shapeOf({ gpu, particles, mesh, settings }: Ordered): Shape {
  // An isolated box tells from the order who is outside; NGP's sums are those of its cells, and TSC's strays cost too much.
  const some =
    particles.boundary === "periodic" && settings.assignment === "cic" && !inSections(particles, mesh.starts);
  return !some ? "each step" : shapeByKind(gpu, "reorder", Object.keys(SHAPES) as Shape[], USUAL);
}

/** Share of the particles that has left the cells where the deposit's walk meets them: one along x, two along y and z. */
export function astray(displacements: Float32Array, times: number): number {
  let sum = 0;
  for (let i = 0; i < displacements.length; i += 3) {
    const stays = (k: number, cells: number) => Math.max(0, 1 - Math.abs(displacements[i + k] * times) / cells);
    sum += 1 - stays(0, 1) * stays(1, 2) * stays(2, 2);
  }
  return (3 * sum) / displacements.length;
}

/** Steps that an order had best serve, for a sample of what particles move in a step [xyzxyz…, cells]. */
export function stepsOfAnOrder(displacements: Float32Array): number {
  let [best, least] = [1, 1];
  let cost = 1;
  for (let steps = 2; steps <= LONGEST; steps++) {
    const share = astray(displacements, steps - 1);
    cost += ROOT * Math.sqrt(share) + LINEAR * share;
    if (cost / steps < least) [best, least] = [steps, cost / steps];
  }
  return best;
}

export class Reordering {
  /** Steps that an order serves, and those since the last one. */
  #every: number;
  #age = 0;
  /** Cells that a particle of velocity 1 crosses in a step. */
  #crossed = 0;
  private readonly shape: Shape;

  constructor(private readonly ordered: Ordered) {
    this.shape = shapeOf(ordered);
    this.#every = SHAPES[this.shape] ?? 1;
  }

  /** Whether steps go without an order that is worth what their kernels take to compile, after steps of so long [ms]. */
  skips(spent: number): boolean {
    return this.#every > 1 && (this.shape !== "as they move" || spent >= SETTLED_MS);
  }

  /**
   * A step begins that moves particles by velocity times `drift` [time]: whether they are to be ordered after it, as they
   * always are where they may not stay.
   */
  isDue(drift: number, mayStay: boolean): boolean {
    const { particles, mesh } = this.ordered;
    this.#crossed = (drift / particles.boxSize) * mesh.cells;
    this.#age += 1;
    if (mayStay && this.#age < this.#every) return false;
    this.#age = 0;
    return true;
  }

  /** Has a sample of velocities read back at the end of a submission, by which the next ones go. */
  watch(batch: Batch): void {
    if (this.shape !== "as they move") return;
    const { current, phase, count, velocities } = this.ordered.particles;
    const half = velocities[phase.velocitiesBehind ? 1 - current : current];
    const crossed = this.#crossed;
    const pieces = evenPieces(count, SAMPLE);
    const sample = new Float32Array(3 * pieces.reduce((sum, piece) => sum + piece.count, 0));
    let [at, left] = [0, pieces.length];
    for (const piece of pieces) {
      const place = at;
      at += 3 * piece.count;
      batch.read(half, 12 * piece.first, 12 * piece.count, (data) => {
        sample.set(new Float32Array(data), place);
        left -= 1;
        if (left === 0) this.#every = stepsOfAnOrder(sample.map((v) => v * crossed));
      });
    }
  }
}
