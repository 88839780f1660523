/** The suite `fujiwara2009`, after Fujiwara & Nakasato (2009), section V. */

import type { Maybe, Presentation, Quantity, Results, Suite, SuiteSettings } from "../spec.ts";
import { among, beside, Experiment, largest, lines, quantity, ratio, table } from "../spec.ts";
import { figure } from "../text.ts";
import { type Evaluation, median } from "../timing.ts";
import type { Evaluations, ForcePlan, Program, Steps, System, Unrolling } from "./measure.ts";
import {
  cpuEvaluation,
  evaluations,
  hundredSteps,
  PROGRAMS,
  randomSample,
  STEPS,
  SYSTEMS,
  sampleOf,
  UNROLLINGS,
  wholeEvaluations,
} from "./measure.ts";
import { GAINS, LARGEST, LARGEST_RATES, OPTIMISED, SPEED_UPS, TABLE_2, TABLE_3 } from "./published.ts";

const NAMES: Record<Program, string> = {
  plain: "no unrolling",
  "targets-4": "targets × 4",
  "targets-4-sources-4": "targets × 4, sources × 4",
  chosen: "as chosen here",
};
/** In the legends of plots. */
const PAPER_NAMES: Record<Unrolling, string> = {
  plain: "no unrolling, paper",
  "targets-4": "targets × 4, paper",
  "targets-4-sources-4": "both × 4, paper",
};

/** Operations of an interaction, by the paper's count. */
const OPERATIONS = 38;
/** [Gflop/s] of `count`² interactions in `seconds`. */
export const gigaflops = (count: number, seconds: number): number => (OPERATIONS * count ** 2) / seconds / 1e9;

/** Numbers of particles of the scan over N (figure 14). */
export function scanCounts({ quick }: SuiteSettings): number[] {
  const [first, last] = quick ? [10, 15] : [10, 18];
  return Array.from({ length: last - first + 1 }, (_, i) => 2 ** (first + i));
}

/** `steps`: a hundred may take this long [s], or fewer are made. */
const plans = ({ quick }: SuiteSettings) =>
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

type OfDeck = Pick<System, "deck">;
const systemOf = ({ deck }: OfDeck): System => SYSTEMS.find((system) => system.deck === deck)!;
const titleOf = (one: OfDeck) => `${systemOf(one).count}, ${systemOf(one).name}`;
const ratesOf = ({ count, programs }: Evaluations) =>
  `${PROGRAMS.map((program) => figure(gigaflops(count, programs[program].seconds))).join(", ")} Gflop/s`;

export const FORCE = new Experiment<OfDeck, ForcePlan, Evaluations>({
  key: (one) => `force-${systemOf(one).count}`,
  label: (one) => `force evaluation, ${titleOf(one)}`,
  run: async ({ deck, ...plan }, context) => evaluations(await sampleOf(deck, context.signal), plan, context),
  brief: ratesOf,
});

export const CPU = new Experiment<OfDeck, ForcePlan, Evaluation>({
  key: (one) => `cpu-${systemOf(one).count}`,
  label: (one) => `force evaluation, ${titleOf(one)}, float64 on the CPU`,
  run: async ({ deck, ...plan }, context) => cpuEvaluation(await sampleOf(deck, context.signal), plan, context),
  brief: ({ seconds }) => `${figure(seconds)} s`,
});

type OfProgram = OfDeck & { program: Program };

export const HUNDRED = new Experiment<OfProgram, { longest: number }, Steps>({
  key: ({ program, ...one }) => `steps-${systemOf(one).count}-${program}`,
  label: ({ program, ...one }) => `${STEPS} steps, ${titleOf(one)}, ${NAMES[program]}`,
  run: async ({ deck, ...one }, context) => hundredSteps(await sampleOf(deck, context.signal), one, context),
  brief: ({ seconds, steps }) => `${figure(seconds)} s${steps < STEPS ? ` from ${steps} steps` : ""}`,
  among: ({ program, ...one }) => [`${STEPS} steps of ${systemOf(one).count}`, NAMES[program]],
});

export const SCAN = new Experiment<{ count: number }, ForcePlan, Evaluations>({
  key: ({ count }) => `scan-${count}`,
  label: ({ count }) => `force evaluation, ${count} of the random system`,
  run: async ({ count, ...plan }, context) =>
    wholeEvaluations(await randomSample(count, context.signal), plan, context),
  brief: ratesOf,
  among: ({ count }) => ["scan over N", String(count)],
});

const N = { label: "particles", scale: "log" as const };
/** 10000 would touch 7500. */
const SYSTEM_COUNTS = { ...N, ticks: [7500, 18_000, 100_000].map((at) => ({ at, text: String(at) })) };
const RATE = { label: "Gflop/s at 38 operations", scale: "log" as const };

/** "0.52", and behind it of what part it was scaled up. */
const marked = (value: number, part: string | false): string => (part ? `${figure(value)} (${part})` : figure(value));

/** What the paper prints for each of the four systems. */
const printed = (values: readonly number[]) => (system: System) => values[SYSTEMS.indexOf(system)];
const inThePaper = (values: readonly number[]) => quantity("  in the paper", printed(values), { paper: true });

const REMARKS = [
  "“Targets × 4” and “sources × 4” unroll the loops of the plain kernel as the paper’s figures 3 and 4 do; all shapes give the same bits. “As chosen here” is what a run takes: the fastest of these and of shapes that pass sources through workgroup memory or subgroups.",
  "A force evaluation is timed with the bodies on the GPU and the result left there; the paper doesn’t say whether its transfers count. A step of ours does everything on the GPU, the paper’s integrates on the host.",
  "The paper’s CPU program is single-precision C++ on one core of a Core 2 E8400; ours sums in float64 in one thread of JavaScript.",
  "The four systems have the paper’s numbers of particles, steps and softenings; the galaxies are our own, for it doesn’t print theirs. The time doesn’t depend on where bodies are.",
  "Table III names its last row “dividing-input”; the text calls the same figures double-unrolling, which is what stands beside them here.",
];

function present(results: Results, settings: SuiteSettings): Presentation {
  const cpu = (system: System) => results.of(CPU, system);
  const force = (program: Program) => (system: System) => results.of(FORCE, system)?.programs[program];
  const steps = (program: Program) => (system: System) => results.of(HUNDRED, { deck: system.deck, program });
  const rate = (program: Program) => (count: number) => {
    const one = results.of(SCAN, { count })?.programs[program];
    return one && gigaflops(count, one.seconds);
  };
  const bestRate = (count: number) =>
    among(
      PROGRAMS.map((program) => rate(program)(count)),
      largest,
    );
  const stepsRate = (program: Program) => (system: System) => {
    const one = steps(program)(system);
    return one && STEPS * gigaflops(system.count, one.seconds);
  };
  const speedUp = (program: Program) => (system: System) =>
    ratio(cpu(system)?.seconds, force(program)(system)?.seconds);

  /** `part`: of what a time was scaled up. */
  const timeOf = <T extends { seconds: number }>(
    label: string,
    of: (system: System) => T | undefined,
    part: (found: T, system: System) => string | false,
  ) =>
    quantity(label, (system: System) => of(system)?.seconds, {
      text: (seconds, system) => marked(seconds, part(of(system)!, system)),
    });
  const forceTime = (label: string, of: (system: System) => Evaluation | undefined) =>
    timeOf(label, of, ({ targets }, { count }) => targets < count && `${targets} targets`);
  const stepsTime = (program: Program) =>
    timeOf(NAMES[program], steps(program), ({ steps: made }) => made < STEPS && `from ${made} steps`);
  const chosen = [...new Set(SYSTEMS.flatMap((system) => results.of(FORCE, system)?.chosen ?? []))];
  const systems = { over: SYSTEMS, name: ({ count }: System) => String(count), along: "across" as const };
  const scanned = scanCounts(settings).filter((count) => results.of(SCAN, { count }));

  const tables = [
    table({
      title: "A force evaluation [s] (table II)",
      ...systems,
      quantities: [
        forceTime("one thread of the CPU, float64", cpu),
        inThePaper(TABLE_2.cpu),
        ...UNROLLINGS.flatMap((one) => [forceTime(NAMES[one], force(one)), inThePaper(TABLE_2[one])]),
        forceTime(chosen.length > 0 ? `${NAMES.chosen}: ${chosen.join(", ")}` : NAMES.chosen, force("chosen")),
      ],
      note: "With a number of targets in brackets: that many were timed, and the time was scaled to all of them.",
    }),
    table({
      title: "100 steps [s] (table III)",
      ...systems,
      quantities: [...UNROLLINGS.flatMap((one) => [stepsTime(one), inThePaper(TABLE_3[one])]), stepsTime("chosen")],
      note: "“From 3 steps”: the time of so many steps, scaled to a hundred.",
    }),
    table({
      title: "Rate of a force evaluation at 38 operations [Gflop/s] (figure 14)",
      over: scanned,
      along: "across",
      quantities: scanned.length === 0 ? [] : PROGRAMS.map((one) => quantity(NAMES[one], rate(one))),
    }),
  ];

  const ours = <X>(of: (program: Program) => Quantity<X>["of"]) =>
    PROGRAMS.map((one, colour) => quantity(NAMES[one], of(one), { look: { colour } }));
  const theirs = (of: (program: Unrolling) => Quantity<System>["of"]) =>
    UNROLLINGS.map((one, colour) => quantity(PAPER_NAMES[one], of(one), { paper: true, look: { colour } }));
  const bySystem = { x: SYSTEM_COUNTS, over: SYSTEMS, at: ({ count }: System) => count };
  const plots = [
    lines({
      title: "Rate over 100 steps",
      where: "figure 13",
      ...bySystem,
      y: RATE,
      quantities: [
        ...ours(stepsRate),
        ...theirs((one) => (system) => STEPS * gigaflops(system.count, printed(TABLE_3[one])(system))),
      ],
      note: "The paper’s points are its table III at 38 operations an interaction.",
    }),
    lines({
      title: "Rate of a force evaluation",
      where: "figure 14",
      ...{ x: N, y: RATE, over: scanCounts(settings), quantities: ours(rate) },
      more: [
        { label: "optimised, HD 4870, paper", paper: true, points: [[OPTIMISED.count, OPTIMISED.rate]], colour: 3 },
      ],
      note: "The paper’s figure is a plot; of its curve the text gives the largest rate.",
    }),
    lines({
      title: "Speed-up of a force evaluation over one thread of the CPU",
      where: "table II",
      ...bySystem,
      y: { label: "CPU / GPU", scale: "log" },
      quantities: [
        ...ours(speedUp),
        ...theirs((one) => (system) => ratio(printed(TABLE_2.cpu)(system), printed(TABLE_2[one])(system))),
      ],
    }),
  ];

  const published = [
    ...beside(
      { where: "table II", unit: "s" },
      (["cpu", ...UNROLLINGS] as const).flatMap((one) =>
        SYSTEMS.map((system) => [
          `force evaluation, ${system.count}, ${one === "cpu" ? "CPU" : NAMES[one]}`,
          printed(TABLE_2[one])(system),
          (one === "cpu" ? cpu : force(one))(system)?.seconds,
        ]),
      ),
    ),
    ...beside(
      { where: "table III", unit: "s" },
      UNROLLINGS.flatMap((one) =>
        SYSTEMS.map((system) => [
          `100 steps, ${system.count}, ${NAMES[one]}`,
          printed(TABLE_3[one])(system),
          steps(one)(system)?.seconds,
        ]),
      ),
    ),
    ...beside(
      { where: "sect. V.B" },
      UNROLLINGS.map((one) => [
        `speed-up over the CPU, ${NAMES[one]}`,
        SPEED_UPS[one],
        among(SYSTEMS.map(speedUp(one)), median),
      ]),
    ),
    ...beside(
      { where: "sect. V.B" },
      SYSTEMS.map((system) => [
        `100 steps, ${system.count}, targets × 4 over both × 4`,
        printed(GAINS)(system),
        ratio(steps("targets-4")(system)?.seconds, steps("targets-4-sources-4")(system)?.seconds),
      ]),
    ),
    ...beside(
      { where: "fig. 13, sect. V.B", unit: "Gflop/s" },
      UNROLLINGS.map((one) => [
        `largest rate in 100 steps, ${NAMES[one]}`,
        LARGEST_RATES[one],
        among(SYSTEMS.map(stepsRate(one)), largest),
      ]),
    ),
    ...beside({ where: "fig. 14, sect. VI", unit: "Gflop/s" }, [
      [
        "largest rate of the optimised code (ours: of any shape)",
        OPTIMISED.rate,
        among(scanCounts(settings).map(bestRate), largest),
      ],
    ]),
    ...beside({ where: "sect. VI", unit: "s" }, [
      [
        `force evaluation, ${LARGEST.count}, optimised (ours: scaled from the largest of the scan)`,
        LARGEST.seconds,
        largestOfPaper(),
      ],
    ]),
  ];
  return { tables, plots, published, remarks: REMARKS };

  function largestOfPaper(): Maybe {
    const count = Math.max(...scanCounts(settings));
    const found = count < LARGEST.count ? undefined : bestRate(count);
    return found && gigaflops(LARGEST.count, 1) / found;
  }
}

function measurements(settings: SuiteSettings) {
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
