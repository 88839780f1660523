/**
 * Trial runs of the update for the choice of its shape: on a copy of the particles in the half of their buffers that
 * isn't in use, with steps of no length, so that no state is touched.
 */
import { type Batch, workgroups } from "../gpu/batch.ts";
import { f32, packUniform, u32 } from "../gpu/buffers.ts";
import type { MeshStage } from "../mesh/field.ts";
import type { Assignment } from "../mesh/settings.ts";
import { evenPieces } from "../particles/pieces.ts";
import type { BothHalves } from "../particles/windows.ts";

/** Slots taken at most: enough to tell the shapes apart. */
const MOST_PARTICLES = 2 ** 19;
/** Slots read back to see how crowded the cells are. */
const SAMPLE = 4096;

export class LeapfrogTrial {
  readonly #count: number;
  #prepared = false;

  /** Uses the first of `stepSlots` for its steps. */
  constructor(
    private readonly stage: Pick<MeshStage, "gpu" | "particles" | "mesh">,
    private readonly stepSlots: GPUBuffer,
  ) {
    this.#count = Math.min(stage.particles.count, MOST_PARTICLES);
  }

  /** Of the particles, how many a run takes. */
  get share(): number {
    return this.#count / this.stage.particles.count;
  }

  /** Mean number of consecutive particles that share the base cell of `assignment`. */
  async crowd(assignment: Assignment): Promise<number> {
    const { count, positions, current } = this.stage.particles;
    // CIC's base cell reaches from centre to centre. By the cells that hold the particles, those of one base cell would
    // seem to lie in eight, and a crowd like no crowd.
    const corner = assignment === "cic" ? 0.5 : 0;
    let pairs = 0;
    let changes = 0;
    const batch = this.stage.gpu.batch("crowded cells");
    // Spread evenly, as the trial's own: a concentrated system is sparse in most places of its order.
    for (const piece of evenPieces(count, SAMPLE)) {
      batch.read(positions[current], 12 * piece.first, 12 * piece.count, (data) => {
        const cells = [...new Uint32Array(data)].map((u) => Math.floor((u * this.stage.mesh.cells) / 2 ** 32 - corner));
        for (let i = 3; i < cells.length; i += 3) {
          if (cells[i] !== cells[i - 3] || cells[i + 1] !== cells[i - 2] || cells[i + 2] !== cells[i - 1]) changes++;
        }
      });
      pairs += piece.count - 1;
    }
    await batch.submit();
    return Math.max(1, pairs) / Math.max(1, changes);
  }

  /** Records a run of `kernel` on the copy; `run` particles an invocation. */
  encode(batch: Batch, kernel: BothHalves, run: number, group: number): void {
    const bound = kernel[this.stage.particles.current === 0 ? 1 : 0];
    batch.dispatch(bound, workgroups(Math.ceil(this.#count / run), group), 0);
  }

  /** Makes the copy, once; the cell starts and the force are lost. */
  async prepare(): Promise<void> {
    if (this.#prepared) return;
    const { count, positions, velocities, images, current, phase } = this.stage.particles;
    phase.reset();
    const other = current === 0 ? 1 : 0;
    const atRest = packUniform([...u32(this.#count), ...f32(0, 0), ...u32(0)]);
    this.stage.gpu.device.queue.writeBuffer(this.stepSlots, 0, atRest);
    const { cellStart, force } = this.stage.mesh;
    const batch = this.stage.gpu.batch("measuring the update").clear(cellStart).clear(force).clear(velocities[other]);
    let to = 0;
    for (const { first, count: length } of evenPieces(count, this.#count)) {
      batch.copy(positions[current], 12 * first, positions[other], 12 * to, 12 * length);
      if (images) batch.copy(images[current], 4 * first, images[other], 4 * to, 4 * length);
      to += length;
    }
    await batch.submit();
    this.#prepared = true;
  }
}
