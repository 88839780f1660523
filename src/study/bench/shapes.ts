/**
 * `gravmesh bench stages --shapes`: a step with every kernel variant beside the step of the rule, in turns, so that a
 * processor that changes its speed disturbs rounds and not ratios.
 */

import { MeshPipeline } from "../../engine/pipeline/pipeline.ts";
import { releasing } from "../../foundation/base/releasing.ts";
import { GpuContext } from "../../foundation/gpu/context.ts";
import { pinnedShapes, type ShapedStage, type ShapePins } from "../../foundation/gpu/shapes.ts";
import { milliseconds, plainNumber } from "../../run/page/numbers.ts";
import { tableOf } from "../../run/page/text.ts";
import { engineMeshSettings } from "../../scenario/simulation/engine.ts";
import { BENCH_STEP, particlesOf, type StagesRequest, stagesScenario, stepsOf } from "./stages.ts";
import { inTurns, secondsOf } from "./timing.ts";

interface ShapeStep {
  stage: ShapedStage;
  shape: string;
  /** Wall time of a step, the median of the rounds [ms]. */
  stepMs: number;
  /** Over that of the rule, the median of the rounds' ratios. */
  ratio: number;
  /** What three rounds in four stay below. */
  atMost: number;
}

/** A shape is worth a pin where its step takes this part of the rule's, or less, in three rounds of four. */
const WORTH_A_PIN = 0.97;

/** Steps of one configuration with every shape that its stages have; for GRAVMESH_SHAPES those that are quicker than the rule's. */
export async function benchShapes(gpu: GpuContext, request: StagesRequest) {
  const scenario = stagesScenario(request);
  const particles = await particlesOf(scenario);
  const settings = engineMeshSettings(scenario, [], particles.components);
  const made = (shapes: ShapePins) => {
    const context = new GpuContext(gpu.device, gpu.adapter, { owned: false, shapes, parent: gpu });
    return MeshPipeline.create(context, settings, particles);
  };
  const offered = new Map<ShapedStage, readonly string[]>();
  const noting: ShapePins = { pinned: (stage, shapes) => void offered.set(stage, shapes) };
  const { timeStep = BENCH_STEP } = request;
  const count = stepsOf(gpu, request);
  const time = async (pipeline: MeshPipeline) =>
    (1000 * (await secondsOf(() => pipeline.advance(count, timeStep)))) / count;
  return releasing(made(noting), async (rule) => {
    await time(rule); // compiles
    const steps: ShapeStep[] = [];
    for (const [stage, shapes] of offered) {
      for (const shape of shapes) {
        const rounds = await releasing(made(pinnedShapes(`${stage}=${shape}`)), async (other) => {
          await time(other);
          return inTurns([() => time(rule), () => time(other)], request);
        });
        const sorted = (values: number[]) => values.sort((a, b) => a - b);
        const ratios = sorted(rounds[1].map((ms, k) => ms / rounds[0][k]));
        const times = sorted(rounds[1]);
        const at = (values: number[], q: number) => values[Math.ceil(q * (values.length - 1))];
        steps.push({ stage, shape, stepMs: at(times, 0.5), ratio: at(ratios, 0.5), atMost: at(ratios, 0.75) });
      }
    }
    return { steps, pin: pinOf(steps) };
  });
}

/** What is quicker than the rule, stage by stage. */
export function pinOf(steps: readonly ShapeStep[]): string {
  const stages = [...new Set(steps.map(({ stage }) => stage))];
  const best = stages.map((stage) =>
    steps.filter((one) => one.stage === stage).reduce((a, b) => (b.ratio < a.ratio ? b : a)),
  );
  const worth = best.filter(({ atMost }) => atMost <= WORTH_A_PIN);
  return worth.map(({ stage, shape }) => `${stage}=${shape}`).join("; ");
}

export function shapesText({ steps, pin }: Awaited<ReturnType<typeof benchShapes>>): string {
  const table = tableOf(steps, {
    stage: ({ stage }) => stage,
    shape: ({ shape }) => shape,
    "ms/step": ({ stepMs }) => milliseconds(stepMs),
    "over the rule's": ({ ratio }) => plainNumber(ratio),
    "3 rounds of 4": ({ atMost }) => `≤ ${plainNumber(atMost)}`,
  });
  const said =
    pin === ""
      ? `  No shape takes less than ${WORTH_A_PIN} of the time of the rule's.`
      : `  Quicker than the rule's here: GRAVMESH_SHAPES="${pin}"`;
  return `${table}\n${said}`;
}
