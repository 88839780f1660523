import type { Backend } from "../../engine/backend/backend.ts";
import { DirectPipeline } from "../../engine/direct/pipeline.ts";
import type { DirectSettings } from "../../engine/direct/settings.ts";
import { gpuDisplacements } from "../../engine/lpt/displacements.ts";
import { solverSettings } from "../../engine/mesh/poisson/poisson-methods.ts";
import { pairsOf } from "../../engine/p3m/settings.ts";
import { MeshPipeline } from "../../engine/pipeline/pipeline.ts";
import { type ChosenDevice, chooseDevice, type DeviceOptions } from "../../engine/platform/chosen-device.ts";
import { RankedDirect } from "../../engine/ranked/direct.ts";
import { RankedPipeline } from "../../engine/ranked/pipeline.ts";
import { ReferenceDirect } from "../../engine/reference/direct/pipeline.ts";
import { displacementsInFloat64 } from "../../engine/reference/lpt/displacements.ts";
import { ReferencePipeline } from "../../engine/reference/mesh/pipeline.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { OutOfMemory } from "../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { rangeLimits } from "../../foundation/gpu/windows.ts";
import { type Ranks, SINGLE_RANK } from "../../foundation/ranks/ranks.ts";
import { isRigid, sampledCount } from "../../physics/initial/components.ts";
import type { DisplacementMaker, ModelComponent } from "../../physics/initial/model.ts";
import type { InitialParticles } from "../../physics/initial/source.ts";
import { mondOf } from "../../physics/mond/settings.ts";
import { collected } from "../../physics/particles/source.ts";
import type { ExternalPotential } from "../../physics/potentials/potential.ts";
import { fitAdvice, type MemoryLimits } from "../estimate.ts";
import { levelsOf } from "../level-sizes.ts";
import type { Scenario } from "../scenario.ts";
import { scheduleOf } from "../timetables.ts";

export type BackendChoice = "auto" | "webgpu" | "cpu";

export interface EngineOptions extends DeviceOptions {
  /**
   * "auto": WebGPU when there is an adapter, else float64 on the CPU, which also takes direct sums that are faster
   * there. Default: "webgpu" with a device or context of the caller's, else "auto".
   */
  backend?: BackendChoice;
  /** Processes that share the particles; this one alone unless given. */
  ranks?: Ranks | undefined;
}

export interface Engine extends ChosenDevice {
  ranks?: Ranks | undefined;
}

/** Throws as chooseDevice does. */
export async function chooseEngine(options: EngineOptions): Promise<Engine> {
  return { ...(await chooseDevice(options)), ranks: options.ranks };
}

/** Makes something on an engine, which is destroyed when that fails. */
export async function onEngine<T>(engine: Engine, make: (engine: Engine) => Promise<T>): Promise<T> {
  try {
    return await make(engine);
  } catch (error) {
    if (engine.owned) engine.gpu?.destroy();
    throw error;
  }
}

/** Random displacements of a lattice: on the GPU where there is one, else in float64; the same modes. */
export function displacementsOn(gpu: GpuContext | undefined): DisplacementMaker {
  return gpu ? gpuDisplacements(gpu) : displacementsInFloat64;
}

/** Throws "memory" with what would fit when the adapter can't bind what the run needs, or turns out to have no room. */
export async function makeBackend(
  scenario: Scenario,
  particles: InitialParticles,
  externalPotentials: readonly ExternalPotential[],
  { gpu, ranks: given }: Engine,
): Promise<Backend> {
  const ranks = given ?? SINGLE_RANK;
  if (ranks.size > 1 && scenario.gravity !== "direct" && !gpu) {
    const found = "found the float64 pipeline of the CPU: run it as one";
    throw new GravmeshError("usage", `several ranks share a mesh on WebGPU; ${found}`);
  }
  if (!gpu) return await pipelineOf(scenario, particles, externalPotentials, { gpu, ranks });
  const snapshotParticles = Math.max(0, particles.count - sampledCount(scenario));
  const limits = { ...adapterLimits(gpu), ranks: given?.size };
  const advice = fitAdvice(scenario, limits, { snapshotParticles });
  if (!advice.fits) throw new GravmeshError("memory", `not enough memory: ${advice.message}`);
  try {
    return await pipelineOf(scenario, particles, externalPotentials, { gpu, ranks });
  } catch (cause) {
    if (!(cause instanceof OutOfMemory)) throw cause;
    const { ways } = fitAdvice(scenario, { ...limits, total: cause.held }, { snapshotParticles });
    const fitting = ways.length > 0 ? `. In what was held, ${ways.join(", or ")} would fit` : "";
    throw new GravmeshError("memory", `not enough memory: ${cause.message}${fitting}`, { cause });
  }
}

/** The mesh on a GPU takes the particles as they come; the others compute on arrays. */
async function pipelineOf(
  scenario: Scenario,
  source: InitialParticles,
  externalPotentials: readonly ExternalPotential[],
  { gpu, ranks }: { gpu: GpuContext | undefined; ranks: Ranks },
): Promise<Backend> {
  if (scenario.gravity === "direct") {
    const settings = directSettings(scenario, externalPotentials);
    const particles = await collected(source);
    if (ranks.size > 1) return RankedDirect.create(gpu, ranks, settings, particles);
    return gpu ? DirectPipeline.create(gpu, settings, particles) : new ReferenceDirect(settings, particles);
  }
  const settings = engineMeshSettings(scenario, externalPotentials, source.components);
  if (!gpu) return ReferencePipeline.create(settings, await collected(source));
  return ranks.size > 1
    ? RankedPipeline.create(gpu, ranks, settings, source)
    : MeshPipeline.create(gpu, settings, source);
}

/** `components`: whose particles levels may follow. */
export function engineMeshSettings(
  scenario: Scenario,
  externalPotentials: readonly ExternalPotential[] = [],
  components: InitialParticles["components"] = [],
) {
  const { mesh, units } = scenario;
  const { boundary, size: boxSize } = scenario.box;
  const { G } = unitSystem(units.system);
  const levels = levelsOf(scenario, components);
  const pairs = pairsOf(scenario.gravity, scenario.p3m);
  const [solver, { start, clock }, { cosmology }] = [solverSettings(scenario), scenario.time, scenario];
  const neutrinos = clock === "comoving" && cosmology.neutrinoMasses.length > 0 ? cosmology : undefined;
  return {
    start,
    ...solver,
    neutrinos,
    pairs,
    boxSize,
    G,
    externalPotentials,
    mesh,
    mond: mondOf(scenario),
    boundary,
    levels,
  };
}

export function directSettings(scenario: Scenario, externalPotentials: readonly ExternalPotential[]) {
  const { direct, box, units } = scenario;
  const { G } = unitSystem(units.system);
  return { boxSize: box.size, G, externalPotentials, direct, step: scheduleOf(scenario).step! };
}

/** Limits of an adapter's memory: WebGPU doesn't give the total, only the largest piece. */
export function adapterLimits(gpu: GpuContext): MemoryLimits {
  return { ...rangeLimits(gpu), windows: gpu.windows, software: gpu.adapter.software };
}

/** Whether so few bodies are summed on the CPU as fast. */
export const sumsOnCpu = ({ steps }: Pick<DirectSettings, "steps">, count: number): boolean =>
  count <= (steps === "block" ? 128 : 32);

/** Why a direct sum belongs on the CPU, whatever the adapter; undefined where it doesn't, or its number of bodies is unknown. */
export function fewBodies(scenario: Scenario): string | undefined {
  const { gravity, particles, direct } = scenario;
  const drawn = particles.every((component: ModelComponent) => isRigid(component) || component.count !== undefined);
  const count = sampledCount(scenario);
  return gravity === "direct" && drawn && sumsOnCpu(direct, count) ? tooFew(count) : undefined;
}

const tooFew = (count: number) => `CPU, float64: ${count} bodies are too few for a GPU to be faster`;

/** Leaves the adapter for the CPU where that sums so many particles as fast, and says so in the notice. */
export function engineForSum(engine: Engine, direct: Pick<DirectSettings, "steps">, count: number): Engine {
  const { gpu, owned } = engine;
  if (!gpu || !sumsOnCpu(direct, count)) return engine;
  if (owned) gpu.destroy();
  return { ...engine, gpu: undefined, owned: false, notice: tooFew(count) };
}
