/**
 * Exclusive prefix sum of a sequence of u32 in one buffer or several, in place: sum_i = Σ_{j<i} v_j. Reduce-then-scan over
 * levels of chunks (Harris, Sengupta & Owens 2007), portable because no workgroup waits for another within a dispatch.
 */
import scan from "../../../wgsl/engine/gpu-particles/scan.wgsl";
import { type Batch, type Pass, workgroups } from "../../foundation/gpu/batch.ts";
import { type BufferPool, u32 } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { shapeByKind } from "../../foundation/gpu/shapes.ts";

/** "sequential": an invocation walks a chunk (software adapters); "workgroup": a workgroup shares one (GPUs). */
export type ScanShape = "sequential" | "workgroup";

const SHAPES: readonly ScanShape[] = ["sequential", "workgroup"];
const BY_KIND = { processor: "sequential", gpu: "workgroup" } as const;
const SEQUENTIAL_CHUNK = 256;
const SEQUENTIAL_GROUP = 64;
const SCAN_GROUP = 256;
const SCAN_ITEMS = 8;
/** Chunks that the workgroup at the top scans one after the other, which takes less than another level. */
const TOP_CHUNKS = 4;

/** Words for so many values: those of a sequential scan are read by fours. */
export function scanWords(count: number): number {
  return 4 * Math.ceil(count / 4);
}

/** Consecutive values of the sequence: the first `count` words of a buffer, which holds `scanWords` of them. */
export interface ScanPart {
  buffer: GPUBuffer;
  count: number;
}

export class Scan {
  private constructor(
    readonly shape: ScanShape,
    private readonly passes: readonly Pass[],
    private readonly own: BufferPool,
  ) {}

  /** A scan of the first words of the parts, one after the other, of the shape for the kind of adapter unless one is given. */
  static async create(gpu: GpuContext, parts: readonly ScanPart[], given?: ScanShape): Promise<Scan> {
    const shape = given ?? shapeByKind(gpu, "scan", SHAPES, BY_KIND);
    const sequential = shape === "sequential";
    const chunk = sequential ? SEQUENTIAL_CHUNK : SCAN_GROUP * SCAN_ITEMS;
    const suffix = sequential ? "Sequential" : "Workgroup";
    const kernel = (phase: "reduce" | "scan") =>
      gpu.kernel({
        label: `scan/${phase} ${shape}`,
        sources: [scan],
        entry: `${phase}${suffix}`,
        constants: { CHUNK: `${chunk}u`, SCAN_GROUP: `${SCAN_GROUP}u`, SCAN_ITEMS: `${SCAN_ITEMS}u` },
      });
    const [reduce, scanKernel] = await Promise.all([kernel("reduce"), kernel("scan")]);
    const own = gpu.buffers.pool();
    const up: Pass[] = [];
    const down: Pass[] = [];
    for (let level = parts, top = false; !top; ) {
      const chunks = level.reduce((sum, { count }) => sum + Math.ceil(count / chunk), 0);
      top = chunks <= (sequential || level.length > 1 ? 1 : TOP_CHUNKS);
      const above = own.storage("scan sums", 4 * scanWords(chunks), "other"); // of the top: a zero that stays
      const downwards: Pass[] = [];
      let first = 0;
      for (const { buffer, count } of level) {
        const length = Math.ceil(count / chunk);
        const inTurn = top ? length : 1;
        const params = own.uniform("scan level", u32(count, first, inTurn));
        const groups = sequential ? workgroups(length, SEQUENTIAL_GROUP) : workgroups(length, inTurn);
        if (!top) up.push({ kernel: reduce.bind(params, buffer, above), groups });
        downwards.push({ kernel: scanKernel.bind(params, buffer, above), groups });
        first += length;
      }
      down.unshift(...downwards);
      level = [{ buffer: above, count: chunks }];
    }
    return new Scan(shape, [...up, ...down], own);
  }

  encode(batch: Batch): void {
    batch.passes(this.passes);
  }

  destroy(): void {
    this.own.destroyAll();
  }
}
