/** The suite `fujiwara2009`, after Fujiwara & Nakasato (2009), section V. */
import { max, median } from "d3-array";
import { plainNumber } from "../../../../run/page/numbers.ts";
import { Experiment, type Results, type StudySettings, type Suite, tooLong } from "../../../spec.ts";
import { beside, type PublishedRow, type Quantity, quantity, ratio, together, view } from "../../../table.ts";
import type { Evaluation, EvaluationPlan } from "../forces.ts";
import type { Evaluations, Program, Steps, System } from "./measure.ts";
import {
  cpuEvaluation,
  estimateOf,
  evaluations,
  hundredSteps,
  PROGRAMS,
  randomSample,
  STEPS,
  SYSTEMS,
  sampleOf,
  UNROLLINGS,
} from "./measure.ts";
import { GAINS, LARGEST, OPTIMISED, TABLE_2, UNROLLED } from "./published.ts";

const NAMES: Record<Program, string> = {
  plain: "no unrolling",
  "targets-4": "targets × 4",
  "targets-4-sources-4": "targets × 4, sources × 4",
  chosen: "as chosen here",
};

/** Operations of an interaction, by the paper's count. */
const OPERATIONS = 38;
/** [Gflop/s] of `count`² interactions in `seconds`. */
export const gigaflops = (count: number, seconds: number): number => (OPERATIONS * count ** 2) / seconds / 1e9;

/** Numbers of particles of the scan over N (figure 14). */
export function scanCounts({ quick }: StudySettings): number[] {
  const [first, last] = quick ? [10, 15] : [10, 18];
  return Array.from({ length: last - first + 1 }, (_, i) => 2 ** (first + i));
}

/** `steps`: a hundred may take this long [s], or fewer are made. */
const plans = ({ quick }: StudySettings) => ({
  force: quick ? { repetitions: 4, about: 0.1, longest: 0.3 } : { repetitions: 5, about: 0.5, longest: 20 },
  cpu: quick ? { repetitions: 1, longest: 1.5 } : { repetitions: 2, longest: 60 },
  scan: quick ? { repetitions: 3, about: 0.1, longest: 1 } : { repetitions: 3, about: 0.5, longest: 10 },
  steps: quick ? 2.5 : 300,
});

type OfDeck = Pick<System, "deck">;
const systemOf = ({ deck }: OfDeck): System => SYSTEMS.find((system) => system.deck === deck)!;
const titleOf = (one: OfDeck) => `${systemOf(one).count}, ${systemOf(one).name}`;
const ratesOf = ({ count, programs }: Evaluations) =>
  `${PROGRAMS.map((program) => plainNumber(gigaflops(count, programs[program].seconds))).join(", ")} Gflop/s`;

export const FORCE = new Experiment<OfDeck, EvaluationPlan, Evaluations>({
  key: (one) => `force-${systemOf(one).count}`,
  label: (one) => `force evaluation, ${titleOf(one)}`,
  run: async ({ deck, ...plan }, context) => evaluations(await sampleOf(deck, context.signal), plan, context),
  brief: ratesOf,
});

export const CPU = new Experiment<OfDeck, EvaluationPlan, Evaluation>({
  key: (one) => `cpu-${systemOf(one).count}`,
  label: (one) => `force evaluation, ${titleOf(one)}, float64 on the CPU`,
  run: async ({ deck, ...plan }, context) => cpuEvaluation(await sampleOf(deck, context.signal), plan, context),
  brief: ({ seconds }) => `${plainNumber(seconds)} s`,
});

export const HUNDRED = new Experiment<OfDeck & { program: Program }, { longest: number }, Steps>({
  key: ({ program, ...one }) => `steps-${systemOf(one).count}-${program}`,
  label: ({ program, ...one }) => `${STEPS} steps, ${titleOf(one)}, ${NAMES[program]}`,
  run: async ({ deck, ...one }, context) => hundredSteps(await sampleOf(deck, context.signal), one, context),
  brief: ({ seconds, steps }) => `${plainNumber(seconds)} s${steps < STEPS ? ` from ${steps} steps` : ""}`,
});

export const SCAN = new Experiment<{ count: number }, EvaluationPlan, Evaluations>({
  key: ({ count }) => `scan-${count}`,
  label: ({ count }) => `force evaluation, ${count} of the random system`,
  run: async ({ count, ...plan }, context) => {
    const sample = await randomSample(count, context.signal);
    const whole = await estimateOf(sample, "chosen", context);
    return whole > plan.longest ? tooLong(whole) : evaluations(sample, plan, context);
  },
  brief: ratesOf,
});

function measurements(settings: StudySettings) {
  const plan = plans(settings);
  return [
    ...SYSTEMS.flatMap(({ deck }) => [
      FORCE.of({ deck, ...plan.force }),
      CPU.of({ deck, ...plan.cpu }),
      ...PROGRAMS.map((program) => HUNDRED.of({ deck, program, longest: plan.steps })),
    ]),
    ...scanCounts(settings).map((count) => SCAN.of({ count, ...plan.scan })),
  ];
}

const REMARKS = [
  "“Targets × 4” and “sources × 4” unroll the loops of the plain kernel as the paper’s figures 3 and 4 do; all variants give the same bits. “As chosen here” is the variant that a run takes on this kind of adapter, by a rule.",
  "A force evaluation is timed with the bodies on the GPU and the result left there; the paper doesn’t say whether its transfers count. A step of ours does everything on the GPU, the paper’s integrates on the host.",
  "The paper’s CPU program is single-precision C++ on one core of a Core 2 E8400; ours sums in float64 in one thread of JavaScript.",
  "The galaxies are our own, with the paper’s numbers of particles, steps and softenings: it doesn’t print theirs, and the time doesn’t depend on where bodies are.",
  "Table III names its last row “dividing-input”; the text calls the same figures double-unrolling, which is what stands beside them here.",
];

function present(results: Results, settings: StudySettings) {
  const force = (program: Program | "cpu") => (system: System) =>
    program === "cpu" ? results.of(CPU, system) : results.of(FORCE, system)?.programs[program];
  const steps = (program: Program) => (system: System) => results.of(HUNDRED, { deck: system.deck, program });
  const stepsSeconds = (program: Program) => (system: System) => steps(program)(system)?.seconds;
  const rate = (program: Program) => (count: number) => {
    const one = results.of(SCAN, { count })?.programs[program];
    return one && gigaflops(count, one.seconds);
  };
  const stepsRate = (program: Program) => (system: System) => {
    const seconds = stepsSeconds(program)(system);
    return seconds && STEPS * gigaflops(system.count, seconds);
  };
  const speedUp = (program: Program) => (system: System) =>
    ratio(force("cpu")(system)?.seconds, force(program)(system)?.seconds);

  /** Ours, and the paper's beside it. */
  const pair = (ours: Quantity<System>, values: readonly number[], label = "  in the paper"): Quantity<System>[] => [
    ours,
    quantity(label, (system) => values[SYSTEMS.indexOf(system)], { paper: ours }),
  ];
  /** Times, and behind them of what part they were scaled up. */
  const scaled = <T extends { seconds: number }>(
    label: string,
    of: (system: System) => T | undefined,
    part: (found: T, system: System) => string | false,
  ) =>
    quantity<System>(label, (system) => of(system)?.seconds, {
      text: (seconds, system) => {
        const made = part(of(system)!, system);
        return made ? `${plainNumber(seconds)} (${made})` : plainNumber(seconds);
      },
    });
  const forceTime = (label: string, program: Program | "cpu") =>
    scaled(label, force(program), ({ targets }, { count }) => targets < count && `${targets} targets`);
  const stepsTime = (program: Program) =>
    scaled(NAMES[program], steps(program), (found) => found.steps < STEPS && `from ${found.steps} steps`);
  const chosen = [...new Set(SYSTEMS.flatMap((system) => results.of(FORCE, system)?.chosen ?? []))];
  const counts = scanCounts(settings);
  const bySystem = { over: SYSTEMS, name: ({ count }: System) => String(count), across: true };
  const times = together([
    view<System>({
      title: "A force evaluation",
      ...{ ...bySystem, unit: "s", where: "table II" },
      quantities: [
        ...pair(forceTime("one thread of the CPU, float64", "cpu"), TABLE_2.cpu),
        ...UNROLLINGS.flatMap((one) => pair(forceTime(NAMES[one], one), TABLE_2[one])),
        forceTime(chosen.length > 0 ? `${NAMES.chosen}: ${chosen.join(", ")}` : NAMES.chosen, "chosen"),
      ],
      note: "With a number of targets in brackets: that many were timed, and the time was scaled to all of them.",
      published: ({ count }, { label }) => `force evaluation, ${count}, ${label}`,
    }),
    view<System>({
      title: "100 steps",
      ...{ ...bySystem, unit: "s", where: "table III" },
      quantities: [...UNROLLINGS.flatMap((one) => pair(stepsTime(one), UNROLLED[one].steps)), stepsTime("chosen")],
      note: "“From 3 steps”: the time of so many steps, scaled to a hundred.",
      published: ({ count }, { label }) => `100 steps, ${count}, ${label}`,
    }),
    view({
      title: "Rate of a force evaluation at 38 operations",
      ...{ unit: "Gflop/s", where: "figure 14", across: true },
      over: counts.filter((count) => results.of(SCAN, { count })),
      quantities: PROGRAMS.map((one) => quantity(NAMES[one], rate(one))),
      note: `The paper’s figure is a plot; of its curve the text gives the largest rate, at about ${OPTIMISED.count}.`,
    }),
  ]);

  const [unrolled, both] = [stepsSeconds("targets-4"), stepsSeconds("targets-4-sources-4")];
  const bestRate = (count: number) => max(PROGRAMS, (program) => rate(program)(count));
  const last = counts[counts.length - 1];
  const largest = last < LARGEST.count ? undefined : bestRate(last);
  const comparison = [
    ...times.comparison,
    ...beside({ where: "sect. V.B" }, [
      ...UNROLLINGS.map((one): PublishedRow => {
        return [`speed-up over the CPU, ${NAMES[one]}`, UNROLLED[one].speedUp, median(SYSTEMS, speedUp(one))];
      }),
      ...SYSTEMS.map((system, i): PublishedRow => {
        const gain = ratio(unrolled(system), both(system));
        return [`100 steps, ${system.count}, targets × 4 over both × 4`, GAINS[i], gain];
      }),
    ]),
    ...beside({ where: "fig. 13, sect. V.B", unit: "Gflop/s" }, [
      ...UNROLLINGS.map((one): PublishedRow => {
        return [`largest rate in 100 steps, ${NAMES[one]}`, UNROLLED[one].rate, max(SYSTEMS, stepsRate(one))];
      }),
    ]),
    ...beside({ where: "fig. 14, sect. VI", unit: "Gflop/s" }, [
      ["largest rate of the optimised code (ours: of any variant)", OPTIMISED.rate, max(counts, bestRate)],
    ]),
    ...beside({ where: "sect. VI", unit: "s" }, [
      [
        `force evaluation, ${LARGEST.count}, optimised (ours: scaled from the largest of the scan)`,
        LARGEST.seconds,
        largest && gigaflops(LARGEST.count, 1) / largest,
      ],
    ]),
  ];
  return { ...times, comparison, remarks: REMARKS };
}

export const suite: Suite = {
  id: "fujiwara2009",
  title: "Direct summation with unrolled loops",
  paper: "K. Fujiwara & N. Nakasato 2009, Fast simulations of gravitational many-body problem on RV770 GPU",
  hardware: "a Radeon HD 4850, its optimised code also on an HD 4870, against C++ on one core of a Core 2 E8400",
  about:
    "The softened force of all bodies on all, and a hundred leapfrog steps, in single precision: three and four galaxies on a " +
    "figure eight, a cartwheel galaxy, random bodies. The loops over targets and sources are not unrolled, unrolled over " +
    "four targets, or over four of both; beside them stands the variant that a run takes here.",
  measurements,
  present,
};
