/**
 * `gravmesh bench view`: time of a picture and of its parts (count, blur, tone) beside a step of the simulation that it
 * shows, measured in turns.
 */

import { median } from "d3-array";
import { releasing } from "../../foundation/base/releasing.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import { adapterText } from "../../run/instrument.ts";
import { maybe, milliseconds } from "../../run/page/numbers.ts";
import { tableOf } from "../../run/page/text.ts";
import { Simulation } from "../../scenario/simulation/simulation.ts";
import { type Quantity, Renderer, sceneOf, type View, wholeBox } from "../../studio/view/index.ts";
import { BENCH_STEP, type StageDistribution, stagesScenario } from "./stages.ts";
import { inTurns, secondsOf } from "./timing.ts";

export interface ViewRequest {
  cells: number;
  particles: number;
  distribution: StageDistribution;
  boundary: Boundary;
  width: number;
  height: number;
  quantities: readonly Quantity[];
  /** Pairs of steps and a picture, the median of which counts. */
  repetitions: number;
}

interface Picture {
  quantity: Quantity;
  /** Wall time of a picture, until the device is done [ms], and over a step's. */
  ms: number;
  ratio: number;
  stages: { stage: string; ms: number }[];
}

/** Steps between two pictures. */
const STEPS = 4;
/** GPUTextureUsage.COPY_DST. */
const COPY_DST = 0x02;

export async function benchView(gpu: GpuContext, request: ViewRequest) {
  const { cells, particles, distribution, boundary, width, height } = request;
  const mesh = { assignment: "cic", deposit: "auto", gradient: "4-point" } as const;
  const scenario = stagesScenario({ ...mesh, cells, particles, distribution, boundary, repetitions: 1 });
  const format = "rgba8unorm";
  return releasing(gpu.device.createTexture({ size: [width, height], format, usage: COPY_DST }), (texture) =>
    releasing(Simulation.create(scenario, { gpu }), (simulation) =>
      releasing(Renderer.create(gpu), async (renderer) => {
        renderer.show(sceneOf(simulation));
        let steps = 0;
        const advance = async () => {
          steps += STEPS;
          await simulation.advance({ until: steps * BENCH_STEP });
        };
        const whole = wholeBox(scenario.box.size);
        const view: View = { ...whole, camera: { ...whole.camera, elevation: 45, span: 0.8 * scenario.box.size } };
        await advance();
        const stepTimes: number[] = [];
        const pictures: Picture[] = [];
        for (const quantity of request.quantities) {
          const draw = () => renderer.draw({ ...view, quantity }, texture, { steady: true });
          await draw(); // compiles
          renderer.resetTimes();
          const jobs = [advance, draw].map((work) => async () => 1000 * (await secondsOf(work)));
          const [advances, times] = await inTurns(jobs, request);
          const stepsHere = advances.map((ms) => ms / STEPS);
          stepTimes.push(...stepsHere);
          const stages = renderer.stageTimes().map(({ stage, ms, count }) => ({ stage, ms: ms / count }));
          pictures.push({ quantity, ms: median(times)!, ratio: median(times)! / median(stepsHere)!, stages });
        }
        const { timestamps } = gpu.timer; // whether the GPU's own clock timed the stages
        return { ...request, adapter: adapterText(gpu), stepMs: median(stepTimes)!, timestamps, pictures };
      }),
    ),
  );
}

export function viewText(result: Awaited<ReturnType<typeof benchView>>): string {
  const { cells, particles, distribution, boundary, width, height, stepMs, pictures, repetitions, timestamps } = result;
  const stageOf = (name: string) => (picture: Picture) =>
    maybe(picture.stages.find(({ stage }) => stage === name)?.ms, milliseconds);
  const table = tableOf(pictures, {
    picture: ({ quantity }) => quantity,
    "ms/picture": ({ ms }) => milliseconds(ms),
    "of a step": ({ ratio }) => `${Math.round(100 * ratio)} %`,
    ...(timestamps && { count: stageOf("count"), blur: stageOf("blur"), tone: stageOf("tone") }),
  });
  return [
    `${particles.toLocaleString("en")} particles, ${distribution}, ${cells}³ mesh, ${boundary}; ${width} × ${height} pixels, on ${result.adapter}`,
    table,
    `  a step: ${milliseconds(stepMs)} ms; medians of ${repetitions}, steps and pictures in turns, until the device is done`,
  ].join("\n");
}
