/**
 * Exclusive prefix sum of a buffer of u32, in place: sum_i = Σ_{j<i} v_j. Reduce-then-scan over levels of chunks
 * (Harris, Sengupta & Owens 2007), portable because no workgroup waits for another within a dispatch.
 */
import scan from "../../wgsl/particles/scan.wgsl";
import { type Batch, type Pass, workgroups } from "../gpu/batch.ts";
import { type BufferPool, u32 } from "../gpu/buffers.ts";
import type { GpuContext } from "../gpu/context.ts";
import { fastest, settled } from "../gpu/tune.ts";

/** "sequential": an invocation walks a chunk (software adapters); "workgroup": a workgroup shares one (GPUs). */
export type ScanShape = "sequential" | "workgroup";

const SHAPES: readonly ScanShape[] = ["sequential", "workgroup"];
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

  /** A scan of the first `count` words of `buffer`, of the shape that is fastest here unless one is given. */
  static async create(gpu: GpuContext, buffer: GPUBuffer, count: number, given?: ScanShape): Promise<Scan> {
    const shape = given ?? (await fastestShape(gpu, count));
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

/** Measured on zeroes: the time doesn't depend on the values. */
async function fastestShape(gpu: GpuContext, count: number): Promise<ScanShape> {
  const purpose = `scan of 2^${Math.round(Math.log2(count))}`;
  const question = { purpose, elements: count, usual: { software: "sequential", hardware: "workgroup" } };
  const known = settled(gpu, question, SHAPES);
  if (known) return known as ScanShape;
  const buffer = gpu.buffers.storage("scan measurement", 4 * count, "other");
  const scans = new Map<ScanShape, Scan>();
  const run = async (shape: ScanShape, times: number) => {
    if (!scans.has(shape)) scans.set(shape, await Scan.create(gpu, buffer, count, shape));
    const batch = gpu.batch(`measuring scan/${shape}`).stage("tuning");
    for (let k = 0; k < times; k++) scans.get(shape)!.encode(batch);
    await batch.submit();
  };
  const candidates = SHAPES.map((name) => ({ name, run: (times: number) => run(name, times) }));
  const winner = await fastest(gpu, purpose, candidates);
  for (const scan of scans.values()) scan.destroy();
  gpu.buffers.release(buffer);
  return winner as ScanShape;
}
