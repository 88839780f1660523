/**
 * The pairs of P³M on several ranks, of which each holds its own particles: positions of all by id → [into cells] → sources in
 * order, as one process has them → [sums of a part of the groups] → the sums of all. Parts have equal numbers of pairs, whatever
 * that is in particles. Nothing is added up across ranks.
 */
import countWgsl from "../../../wgsl/engine/gpu-particles/order-count.wgsl";
import ofRanksWgsl from "../../../wgsl/engine/p3m/of-ranks.wgsl";
import { type Batch, workgroups } from "../../foundation/gpu/batch.ts";
import type { BufferPool } from "../../foundation/gpu/buffers.ts";
import type { BoundKernel } from "../../foundation/gpu/kernel.ts";
import { JOINT_STAGES, shareOf, timedTogether } from "../../foundation/ranks/ranks.ts";
import { Scan, scanWords } from "../gpu-particles/scan.ts";
import type { BothHalves, ParticleHalf } from "../gpu-particles/windows.ts";
import { type MeshStage, meshConstants } from "../mesh/stage.ts";

const LANES = 64;
/** Particles that an invocation counts, as in order-count.wgsl. */
const COUNT_RUN = 16;
const POSITION_BYTES = 12;
const SUM_BYTES = 16;

/** What comes before a rank's part. */
export interface PairsBefore {
  items: number;
  targets: number;
  pairs: number;
}

/** The parts of so many ranks, and the end: groups of `loads` [2·groups: sources, targets] as a whole, the same on every rank. */
export function cutByPairs(loads: Uint32Array, ranks: number, chunk: number): PairsBefore[] {
  let all = 0;
  for (let g = 0; g < loads.length; g += 2) all += loads[g] * loads[g + 1];
  const before = { items: 0, targets: 0, pairs: 0 };
  const cuts = [{ ...before }];
  for (let g = 0; g < loads.length; g += 2) {
    const [sources, targets] = [loads[g], loads[g + 1]];
    const middle = before.pairs + (sources * targets) / 2;
    while (cuts.length < ranks && middle > (all * cuts.length) / ranks) cuts.push({ ...before });
    before.items += Math.ceil(sources / chunk);
    before.targets += targets;
    before.pairs += sources * targets;
  }
  while (cuts.length <= ranks) cuts.push({ ...before });
  return cuts;
}

interface Parts {
  send: BothHalves;
  take: BothHalves;
  count: BoundKernel;
  put: BoundKernel;
  scan: Scan;
  sent: GPUBuffer;
  positions: GPUBuffer;
}

interface SharedBuffers {
  /** All particles as the order of sources takes them: positions and mass units by id, ids by cell. */
  all: Pick<ParticleHalf, "positions" | "ids" | "images" | "massUnits">;
  /** [n³ + 2] of all. */
  cellStart: GPUBuffer;
  /** [all] the source of each id. */
  sourceOf: GPUBuffer;
  /** [all] vec4f of each source. */
  sums: GPUBuffer;
}

export class ParticlesOfRanks {
  readonly #positions: Uint8Array<ArrayBuffer>;
  readonly #sums: Uint8Array<ArrayBuffer>;

  private constructor(
    private readonly stage: MeshStage,
    private readonly parts: Parts,
    readonly buffers: SharedBuffers,
  ) {
    const { count } = stage.particles.held.ofRun;
    this.#positions = new Uint8Array(POSITION_BYTES * count);
    this.#sums = new Uint8Array(SUM_BYTES * count);
  }

  static async create(stage: MeshStage, own: BufferPool): Promise<ParticlesOfRanks> {
    const { gpu, particles, mesh, settings, fields, fast } = stage;
    const { share, ofRun } = particles.held;
    const room = (label: string, words: number) => own.storage(label, 4 * words, "particles");
    const sums = room("sums of all", 4 * ofRun.count);
    const positions = room("positions of all", 3 * ofRun.count);
    const places = room("places of all", ofRun.count);
    const ids = room("ids of all", ofRun.count);
    const sourceOf = room("sources by id", ofRun.count);
    const sent = room("positions by id", 3 * share.count);
    const cellStart = room("cell starts of all", scanWords(mesh.cells ** 3 + 2));
    let massUnits = ids;
    if (particles.massWindows) {
      const units = new Uint32Array(ofRun.count);
      ofRun.massUnits(units, 0);
      massUnits = own.upload("mass units of all", units, "particles");
    }
    await own.settle();
    const constants = meshConstants(stage, settings.mesh);
    const kernel = (entry: "send" | "put" | "take", more = {}) =>
      gpu.kernel({
        label: `pairs of ranks/${entry}`,
        sources: [ofRanksWgsl],
        entry,
        constants: { ...constants, FIRST_ID: `${share.first}u`, ...more },
      });
    const inBox = { ISOLATED: false };
    const [send, take, put, count, scan] = await Promise.all([
      kernel("send"),
      kernel("take"),
      kernel("put", inBox),
      gpu.kernel({
        label: "pairs of ranks/count",
        sources: [countWgsl],
        entry: "count",
        constants: { ...constants, ...inBox },
      }),
      Scan.create(gpu, [{ buffer: cellStart, count: mesh.cells ** 3 + 2 }]),
    ]);
    const parts: Parts = {
      send: particles.eachHalf((here) => send.bindNamed({ ...here, sent })),
      take: particles.eachHalf(({ ids }) =>
        take.bindNamed({ ids, ranks: sourceOf, sums, fields: (fast ?? fields)![0] }),
      ),
      count: count.bindNamed({ positions, places, counts: cellStart }),
      put: put.bindNamed({ positions, cellStart, places, inCells: ids }),
      ...{ scan, sent, positions },
    };
    const all = { positions, ids, images: ids, massUnits };
    return new ParticlesOfRanks(stage, parts, { all, cellStart, sourceOf, sums });
  }

  /** The particles of all in cells, when `batch` has been done. */
  async encodeGather(batch: Batch): Promise<Batch> {
    const { gpu, particles } = this.stage;
    const { ranks, share, ofRun } = particles.held;
    const { send, count, put, scan, sent, positions } = this.parts;
    const { cellStart } = this.buffers;
    const all = this.#positions;
    const mine = all.subarray(POSITION_BYTES * share.first, POSITION_BYTES * (share.first + share.count));
    batch.stage("pairs").dispatch(send[particles.current], workgroups(share.count, LANES));
    await batch.readInto(mine, sent, 0).submit();
    const shares = Array.from({ length: ranks.size }, (_, rank) => shareOf(ofRun.count, { rank, size: ranks.size }));
    const lengths = shares.map(({ count }) => POSITION_BYTES * count);
    await timedTogether(ranks, gpu.timer, () => ranks.allGather(all, lengths), JOINT_STAGES.positions);
    const next = gpu.batch(batch.label).stage("pairs").write(positions, 0, all.buffer).clear(cellStart);
    next.dispatch(count, workgroups(Math.ceil(ofRun.count / COUNT_RUN), LANES));
    scan.encode(next);
    return next.dispatch(put, workgroups(ofRun.count, LANES));
  }

  /** The fields of this rank's particles, when all have done their parts of the sums. */
  async encodeSums(batch: Batch, cuts: readonly PairsBefore[]): Promise<Batch> {
    const { gpu, particles } = this.stage;
    const { ranks, share } = particles.held;
    const { sums } = this.buffers;
    const all = this.#sums;
    const [from, to] = [cuts[ranks.rank], cuts[ranks.rank + 1]].map(({ targets }) => SUM_BYTES * targets);
    if (to > from) batch.stage("pairs").readInto(all.subarray(from, to), sums, from);
    await batch.submit();
    const lengths = cuts.slice(1).map(({ targets }, rank) => SUM_BYTES * (targets - cuts[rank].targets));
    await timedTogether(ranks, gpu.timer, () => ranks.allGather(all, lengths), JOINT_STAGES.forces);
    all.fill(0, SUM_BYTES * cuts[ranks.size].targets); // those outside an isolated mesh have none
    const next = gpu.batch(batch.label).stage("pairs").write(sums, 0, all.buffer);
    return next.dispatch(this.parts.take[particles.current], workgroups(share.count, LANES));
  }

  destroy(): void {
    this.parts.scan.destroy();
  }
}
