/** The suite `fujiwara2009`, after Fujiwara & Nakasato (2009), section V: what is measured, and in which order. */

import { isLeftOut, type LeftOut } from "../left-out.ts";
import type { Measurement, Suite, SuiteSettings } from "../suite.ts";
import { figure } from "../text.ts";
import {
  gigaflops,
  PROGRAM_NAMES,
  PROGRAMS,
  type Program,
  randomSample,
  STEPS,
  SYSTEMS,
  type System,
  sampleOf,
  scanCounts,
} from "./cases.ts";
import {
  cpuEvaluation,
  type Evaluation,
  type Evaluations,
  evaluations,
  type ForcePlan,
  hundredSteps,
  type Steps,
  wholeEvaluations,
} from "./measure.ts";
import { present } from "./present.ts";
import { published } from "./published.ts";
import { cpuKey, forceKey, scanKey, stepsKey } from "./results.ts";

interface Plans {
  force: ForcePlan;
  cpu: ForcePlan;
  scan: ForcePlan;
  /** A hundred steps may take this long [s], or fewer are made. */
  steps: number;
}

const plans = ({ quick }: SuiteSettings): Plans =>
  quick
    ? {
        force: { repetitions: 4, about: 0.1, longest: 0.3 },
        cpu: { repetitions: 1, about: 0, longest: 1.5 },
        scan: { repetitions: 3, about: 0.1, longest: 1 },
        steps: 2.5,
      }
    : {
        force: { repetitions: 5, about: 0.5, longest: 20 },
        cpu: { repetitions: 2, about: 0, longest: 60 },
        scan: { repetitions: 3, about: 0.5, longest: 10 },
        steps: 300,
      };

const ratesOf = ({ count, programs }: Evaluations) =>
  `${PROGRAMS.map((program) => figure(gigaflops(count, programs[program].seconds))).join(", ")} Gflop/s`;

function forceMeasurement({ deck, name, count }: System, plan: ForcePlan): Measurement<Evaluations> {
  return {
    key: forceKey(count),
    label: `force evaluation, ${count}, ${name}`,
    parameters: { deck, ...plan },
    run: async (context) => evaluations(await sampleOf(deck, context.signal), plan, context),
    brief: ratesOf,
  };
}

function cpuMeasurement({ deck, name, count }: System, plan: ForcePlan): Measurement<Evaluation> {
  return {
    key: cpuKey(count),
    label: `force evaluation, ${count}, ${name}, float64 on the CPU`,
    parameters: { deck, ...plan },
    run: async (context) => cpuEvaluation(await sampleOf(deck, context.signal), plan, context),
    brief: ({ seconds }) => `${figure(seconds)} s`,
  };
}

function stepsMeasurement(
  { deck, name, count }: System,
  program: Program,
  longest: number,
): Measurement<Steps | LeftOut> {
  return {
    key: stepsKey(count, program),
    label: `${STEPS} steps, ${count}, ${name}, ${PROGRAM_NAMES[program]}`,
    parameters: { deck, program, longest },
    run: async (context) => hundredSteps(await sampleOf(deck, context.signal), program, longest, context),
    brief: (result) => {
      if (isLeftOut(result)) return `left out: ${result.leftOut}`;
      return `${figure(result.seconds)} s${result.steps < STEPS ? ` from ${result.steps} steps` : ""}`;
    },
  };
}

function scanMeasurement(count: number, plan: ForcePlan): Measurement<Evaluations | LeftOut> {
  return {
    key: scanKey(count),
    label: `force evaluation, ${count} of the random system`,
    parameters: { count, ...plan },
    run: async (context) => wholeEvaluations(await randomSample(count, context.signal), plan, context),
    brief: (result) => (isLeftOut(result) ? `left out: ${result.leftOut}` : ratesOf(result)),
  };
}

function measurements(settings: SuiteSettings): Measurement[] {
  const plan = plans(settings);
  const [first, ...rest] = [
    ...SYSTEMS.flatMap((system) => [
      forceMeasurement(system, plan.force),
      cpuMeasurement(system, plan.cpu),
      ...PROGRAMS.map((program) => stepsMeasurement(system, program, plan.steps)),
    ]),
    ...scanCounts(settings).map((count) => scanMeasurement(count, plan.scan)),
  ];
  return [{ ...first, published: published(settings) }, ...rest];
}

export const suite: Suite = {
  id: "fujiwara2009",
  title: "Direct summation with unrolled loops",
  paper: "K. Fujiwara & N. Nakasato 2009, Fast simulations of gravitational many-body problem on RV770 GPU",
  hardware: "a Radeon HD 4850, its optimised code also on an HD 4870, against C++ on one core of a Core 2 E8400",
  about:
    "The softened force of all bodies on all, and a hundred leapfrog steps, in single precision: three and four galaxies on a " +
    "figure eight, a cartwheel galaxy, random bodies. The loops over targets and sources are not unrolled, unrolled over " +
    "four targets, or over four of both; beside them stands the shape that a run takes here. The CPU is this machine’s, " +
    "summing in float64 in one thread of JavaScript.",
  measurements,
  present,
};
