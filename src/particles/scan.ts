/**
 * Exclusive prefix sum of a buffer of u32, in place: sum_i = Σ_{j<i} v_j. Reduce-then-scan over levels of chunks
 * (Harris, Sengupta & Owens 2007), portable because no workgroup waits for another within a dispatch.
 */
import scan from "../../wgsl/particles/scan.wgsl";
import { type Batch, type Pass, workgroups } from "../gpu/batch.ts";
import { type BufferPool, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import { shapeByKind } from "../gpu/tune.ts";

/** "sequential": an invocation walks a chunk (software adapters); "workgroup": a workgroup shares one (GPUs). */
export type ScanShape = "sequential" | "workgroup";

const SHAPES: readonly ScanShape[] = ["sequential", "workgroup"];
/** Never measured: neither could win where the other does, by factors on either kind of adapter. */
const USUAL = { software: "sequential", hardware: "workgroup" } as const;
const SEQUENTIAL_CHUNK = 256;
const SEQUENTIAL_GROUP = 64;
const SCAN_GROUP = 256;
const SCAN_ITEMS = 8;

export class Scan {
  private constructor(
    readonly shape: ScanShape,
    private readonly passes: readonly Pass[],
    private readonly own: BufferPool,
  ) {}

  /** A scan of the first `count` words of `buffer`, of the shape for the kind of adapter unless one is given. */
  static async create(gpu: GpuContext, buffer: GPUBuffer, count: number, given?: ScanShape): Promise<Scan> {
    const shape = given ?? shapeByKind(gpu, "scan", SHAPES, USUAL);
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
    let values = buffer;
    for (let level = count, top = false; !top; level = Math.ceil(level / chunk)) {
      const chunks = Math.ceil(level / chunk);
      top = chunks === 1;
      const above = own.storage("scan sums", 4 * chunks, "other"); // of the top: a zero that stays
      const params = own.uniform("scan level", u32(level));
      const groups = sequential ? workgroups(chunks, SEQUENTIAL_GROUP) : workgroups(chunks, 1);
      if (!top) up.push({ kernel: reduce.bind(params, values, above), groups });
      down.unshift({ kernel: scanKernel.bind(params, values, above), groups });
      values = above;
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
