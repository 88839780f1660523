/**
 * Which backend sums directly when nobody says: the adapter, or the CPU in float64, which is as fast where a step sums few
 * pairs, and more accurate. The rule goes by the number of targets: with shared steps all bodies are, with block steps a
 * tenth or so (docs/performance.md, "Few bodies").
 */
import type { DirectSettings } from "../direct/settings.ts";
import { isRigid, sampledCount } from "../initial/components.ts";
import type { ModelComponent } from "../initial/model.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { Engine } from "./engine.ts";

/** Up to so many bodies the CPU sums. */
const few = ({ steps }: Pick<DirectSettings, "steps">): number => (steps === "block" ? 128 : 32);

/** Why a direct sum belongs on the CPU, whatever the adapter; undefined where it doesn't, or its number of bodies is unknown. */
export function fewBodies(scenario: Scenario): string | undefined {
  const { gravity, particles, direct } = scenario;
  const drawn = particles.every((component: ModelComponent) => isRigid(component) || component.count !== undefined);
  const count = sampledCount(scenario);
  return gravity === "direct" && drawn && count <= few(direct) ? tooFew(count) : undefined;
}

function tooFew(count: number): string {
  return `CPU, float64: ${count} bodies are too few for a GPU to be faster`;
}

/** Leaves the adapter for the CPU where that sums so many particles as fast, and says so in the notice. */
export function engineForSum(engine: Engine, direct: Pick<DirectSettings, "steps">, count: number): Engine {
  const { gpu, owned } = engine;
  if (!gpu || count > few(direct)) return engine;
  if (owned) gpu.destroy();
  return { ...engine, gpu: undefined, owned: false, notice: tooFew(count) };
}
