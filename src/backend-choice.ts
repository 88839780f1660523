/**
 * Which backend sums directly when nobody says: the GPU, or the CPU in float64, which is faster for few bodies, a block of
 * which doesn't fill a GPU, and more accurate. Measured on the adapter for this integrator, precision and number of
 * bodies, to the next power of two, and remembered with the choices between kernel shapes (src/gpu/tune.ts).
 */
import { availableShapes } from "./direct/force-shapes.ts";
import { DirectPipeline } from "./direct/pipeline.ts";
import type { DirectPipelineSettings } from "./direct/settings.ts";
import type { Engine } from "./engine.ts";
import { GravmeshError } from "./errors.ts";
import { adapterName, type GpuContext } from "./gpu/context.ts";
import type { Stopwatch } from "./gpu/stopwatch.ts";
import { type Candidate, fastest } from "./gpu/tune.ts";
import { isRigid, sampledCount } from "./initial/components.ts";
import type { ModelComponent } from "./initial/model.ts";
import type { ParticleSet } from "./particles/state.ts";
import { DIRECT_STAGES, ReferenceBlocks } from "./reference/direct/block-loop.ts";
import { StageClock } from "./reference/direct/clock.ts";
import type { Scenario } from "./scenario/scenario.ts";

/** Up to here no GPU is faster: what a dispatch costs by itself sums so many pairs on a CPU. */
const FEW = 32;
/** From here on no CPU is. */
const MANY = 2048;
/**
 * Force kernels that stand for the GPU: either is near the best for so few bodies, and measuring all of them takes much
 * longer (src/direct/force-choice.ts).
 */
const SHAPES = ["subgroups", "plain"];
/** Blocks, or shared steps, of a measurement: enough that waiting for the GPU once doesn't count. */
const BLOCKS = 64;
const CPU = "cpu";

/** Why a direct sum belongs on the CPU, whatever the adapter; undefined where that has to be measured. */
export function fewBodies(scenario: Scenario): string | undefined {
  const { gravity, particles } = scenario;
  const drawn = particles.every((component: ModelComponent) => isRigid(component) || component.count !== undefined);
  const count = sampledCount(scenario);
  return gravity === "direct" && drawn && count <= FEW ? tooFew(count) : undefined;
}

function tooFew(count: number): string {
  return `CPU, float64: ${count} bodies are too few for a GPU to be faster`;
}

/** Leaves the adapter for the CPU where that sums these particles faster, and says so in the notice. */
export async function engineForSum(
  engine: Engine,
  settings: DirectPipelineSettings,
  particles: ParticleSet,
): Promise<Engine> {
  const { gpu, owned } = engine;
  const { count } = particles;
  if (!gpu || count >= MANY) return engine;
  if (count > FEW && (await quicker(gpu, settings, particles)) === "webgpu") return engine;
  if (owned) gpu.destroy();
  const measured = `CPU, float64: ${count} bodies are summed faster there than on ${adapterName(gpu.adapter)}`;
  return { ...engine, gpu: undefined, owned: false, notice: count > FEW ? measured : tooFew(count) };
}

async function quicker(
  gpu: GpuContext,
  settings: DirectPipelineSettings,
  particles: ParticleSet,
): Promise<"webgpu" | "cpu"> {
  const { integrator, steps, precision } = settings.direct;
  const size = Math.round(Math.log2(particles.count));
  const question = {
    purpose: `direct sum on the adapter or the CPU, ${integrator}, ${steps}, ${precision}, 2^${size} bodies`,
    elements: particles.count,
    usual: { software: CPU, hardware: CPU },
    lasting: true, // they round differently
  };
  const shapes = availableShapes(gpu).filter(({ name }) => SHAPES.includes(name));
  const onGpu = shapes.map(({ name }) => new GpuBlocks(gpu, settings, particles, name));
  try {
    const winner = await fastest(gpu, question, [new CpuBlocks(settings, particles), ...onGpu]);
    return winner === CPU ? CPU : "webgpu";
  } catch (error) {
    // A run that can't be: it says so itself, with the steps that it has done.
    if (error instanceof GravmeshError && error.kind === "numerical") return "webgpu";
    throw error;
  } finally {
    for (const candidate of onGpu) candidate.destroy();
  }
}

/** The first blocks of a run on the CPU. */
class CpuBlocks implements Candidate {
  readonly name = CPU;
  #blocks: ReferenceBlocks | undefined;

  constructor(
    private readonly settings: DirectPipelineSettings,
    private readonly particles: ParticleSet,
  ) {}

  readonly run = async (times: number, clock: Stopwatch): Promise<number> => {
    if (!this.#blocks) {
      this.#blocks = new ReferenceBlocks(this.settings, this.particles, new StageClock(DIRECT_STAGES));
      await this.#blocks.start(this.settings.step);
    }
    const blocks = this.#blocks;
    return clock.ofHost(async () => {
      for (let k = 0; k < BLOCKS * times; k++) await blocks.block();
    });
  };
}

/** The same on the GPU. */
class GpuBlocks implements Candidate {
  #pipeline: DirectPipeline | undefined;

  constructor(
    private readonly gpu: GpuContext,
    private readonly settings: DirectPipelineSettings,
    private readonly particles: ParticleSet,
    /** Of the force kernel. */
    readonly name: string,
  ) {}

  /** By the wall clock: what submissions cost by themselves is part of it. */
  readonly run = async (times: number, clock: Stopwatch): Promise<number> => {
    const { gpu, settings, particles, name: force } = this;
    this.#pipeline ??= await DirectPipeline.create(gpu, settings, particles, { force, blocksPerSubmission: BLOCKS });
    const pipeline = this.#pipeline;
    const stop = new AbortController();
    let submissions = 0;
    const onProgress = () => {
      submissions += 1;
      if (submissions === times) stop.abort();
    };
    return clock.ofHost(async () => {
      try {
        // No block is longer than a largest step, so these are never all done before the last submission.
        await pipeline.advance(BLOCKS * times, settings.step, { onProgress, signal: stop.signal });
      } catch (error) {
        if (!(error instanceof GravmeshError && error.kind === "aborted")) throw error;
      }
    });
  };

  destroy(): void {
    this.#pipeline?.destroy();
  }
}
