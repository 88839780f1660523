/** The suite `aubert2009`, after Aubert, Amini & David (2009), section 3: what is measured, and in which order. */
import type { Measurement, Suite, SuiteSettings } from "../suite.ts";
import { figure, milliseconds } from "../text.ts";
import {
  type Case,
  DISTRIBUTION_NAMES,
  DISTRIBUTIONS,
  type Distribution,
  HISTOGRAMS,
  isMeasured,
  type Scheme,
  SOLVER_NAMES,
  SOLVERS,
  type Solver,
  sizes,
  tooLarge,
} from "./cases.ts";
import {
  cpuSteps,
  distributionsInTurns,
  type Energy,
  energyOver,
  gpuSteps,
  type InTurns,
  type Repetitions,
  type StepTimes,
} from "./measure.ts";
import { present } from "./present.ts";
import { published } from "./published.ts";
import { cpuKey, energyKey, gpuKey, turnsKey } from "./results.ts";

/** Many short repetitions: on a busy machine one of them is likely to run undisturbed. */
const plans = ({ quick }: SuiteSettings): Record<"gpu" | "cpu" | "turns", Repetitions> => ({
  gpu: quick ? { repetitions: 6, about: 60, longest: 1500 } : { repetitions: 12, about: 200, longest: 10_000 },
  cpu: quick ? { repetitions: 4, about: 100, longest: 2500 } : { repetitions: 6, about: 300, longest: 20_000 },
  turns: quick ? { repetitions: 7, about: 100, longest: 10_000 } : { repetitions: 20, about: 200, longest: 60_000 },
});

const name = ({ cells, distribution, solver }: Case) =>
  `${cells}³ ${DISTRIBUTION_NAMES[distribution]}, ${SOLVER_NAMES[solver]}`;
const brief = ({ step }: StepTimes) => `${milliseconds(step.best)} ms a step`;

function gpuMeasurement(one: Case, plan: Repetitions): Measurement<StepTimes> {
  return {
    key: gpuKey(one),
    label: `${name(one)}, ${one.histogram}`,
    parameters: { ...one, ...plan },
    skip: ({ gpu }) => tooLarge(one, gpu),
    run: (context) => gpuSteps(one, plan, context),
    brief,
  };
}

function cpuMeasurement(one: Case, plan: Repetitions): Measurement<StepTimes> {
  return {
    key: cpuKey(one),
    label: `${name(one)}, float64 on the CPU`,
    parameters: { ...one, ...plan },
    run: (context) => cpuSteps(one, plan, context),
    brief,
  };
}

function energyMeasurement(one: Case): Measurement<Energy> {
  return {
    key: energyKey(one),
    label: `${name(one)}, energy over a time unit, ${one.scheme === "paper" ? `NGP, ${one.histogram}` : "CIC"}`,
    parameters: { ...one },
    skip: ({ gpu }) => tooLarge(one, gpu),
    run: (context) => energyOver(one, context),
    brief: ({ energyError }) => `ΔE/E ${figure(energyError)}`,
  };
}

/** Energy with the paper's scheme and with ours; at one size with every histogram. */
function energies(cells: number, distribution: Distribution, solver: Solver, all: boolean): Measurement[] {
  const one = (scheme: Scheme, histogram: Case["histogram"]) =>
    energyMeasurement({ cells, distribution, solver, scheme, histogram });
  return [...(all ? HISTOGRAMS : (["sort"] as const)).map((histogram) => one("paper", histogram)), one("deck", "auto")];
}

function measurements(settings: SuiteSettings): Measurement[] {
  const { gpu, cpu, energy, energyOfHistograms, turns } = sizes(settings);
  const plan = plans(settings);
  const list = gpu.flatMap((cells) =>
    DISTRIBUTIONS.flatMap((distribution) =>
      SOLVERS.flatMap((solver): Measurement[] => {
        const cases = HISTOGRAMS.map(
          (histogram): Case => ({ cells, distribution, solver, histogram, scheme: "paper" }),
        );
        const steps = cases.filter((one) => isMeasured(one, settings));
        const all = cells === energyOfHistograms && (settings.quick ? distribution === "disk" : true);
        return [
          ...steps.map((one) => gpuMeasurement(one, plan.gpu)),
          ...(cpu.includes(cells) && steps.length > 0 ? [cpuMeasurement(cases[0], plan.cpu)] : []),
          ...(energy.includes(cells) ? energies(cells, distribution, solver, all) : []),
        ];
      }),
    ),
  );
  const inTurns: Measurement<InTurns> = {
    key: turnsKey(turns),
    label: `${turns}³, the three distributions in turns, CIC, FFT`,
    parameters: { cells: turns, ...plan.turns },
    skip: ({ gpu: adapter }) =>
      tooLarge({ cells: turns, distribution: "uniform", histogram: "auto", solver: "fft", scheme: "default" }, adapter),
    run: (context) => distributionsInTurns(turns, plan.turns, context),
    brief: (found) =>
      DISTRIBUTIONS.map((one) => `${DISTRIBUTION_NAMES[one]} ${milliseconds(found[one].best)} ms`).join(", "),
    published: published(settings),
  };
  return [...list, inTurns];
}

export const suite: Suite = {
  id: "aubert2009",
  title: "A particle-mesh step on a GPU, stage by stage",
  paper: "D. Aubert, M. Amini & R. David 2009, ICCS 2009, Part I, LNCS 5544, 874–883",
  hardware: "a GeForce 8800 GTX, against float32 C on one core of a 2.2 GHz Opteron",
  about:
    "n³ particles on n³ cells in a periodic box, nearest-grid-point assignment, one leapfrog step: a Plummer sphere, an " +
    "exponential disk and a uniform random box. Histograms: by sorting (the paper’s full GPU), by atomics (which its GPU " +
    "hadn’t), and by the host (its GPU-mixed). Poisson solvers: FFT, multigrid with the paper’s cycle, and with ours. " +
    "The CPU that the speed-up is over is this machine’s, running our float64 pipeline in one thread of JavaScript.",
  measurements,
  present,
};
