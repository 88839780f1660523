/**
 * The figures that Aubert, Amini & David (2009) print in their text. Their figures 2, 3 and 4 are plots without numbers:
 * what isn't in the text is not here. Speed-ups are of the GPU over the CPU.
 */
import {
  among,
  beside,
  largest,
  type Maybe,
  type Published,
  type PublishedRow,
  ratio,
  type SuiteSettings,
} from "../spec.ts";
import { DISTRIBUTIONS, type Distribution, type Solver } from "./measure.ts";
import {
  CIC,
  CONCENTRATED,
  cube,
  type Found,
  gainOf,
  histogramTime,
  middle,
  NGP,
  SHORT_NAMES,
  type Spot,
  sizes,
} from "./quantities.ts";

/** Their largest mesh, at which most of their figures hold. */
export const LARGE = 128;
export const PAPER_SIZES = [32, 64, 128] as const;

/** Speed-up of a step (figure 2, section 3.2) [cells, speed-up]: their full GPU and their GPU mixed. */
export const STEP_GAINS = {
  fft: {
    sort: [
      [32, 1.6],
      [128, 11.5],
    ],
    host: [
      [32, 2.5],
      [128, 18],
    ],
  },
  multigrid: { sort: [[128, 43]], host: [[128, 52]] },
} as const satisfies Record<string, Record<"sort" | "host", readonly (readonly [number, number])[]>>;
/** And at every size with multigrid. */
const MULTIGRID_GAIN = { atLeast: 10 };

/** Speed-up of each stage at 128³, by its name in the plot (figure 4, section 3.4). */
export const STAGE_GAINS = {
  FFT: 40,
  multigrid: 60,
  gradient: [5, 120],
  update: [5, 120],
} as const;
/** That of the histogram, by size. */
export const HISTOGRAM_GAINS = { sort: { 32: 0.1, 128: 0.2 }, host: { 128: 0.5 } } as const;
/** Of the transforms, by size (section 3.4). */
export const TRANSFORM_GAINS = { 32: 2, 64: 16, 128: 40 } as const;

/** The bound on |ΔE/E| over a time unit that the paper sets itself, section 3.1. */
export const ENERGY_BOUND = 1e-3;

function stepGains(found: Found): Published[] {
  const row = (solver: "fft" | "multigrid", how: "sort" | "host", cells: number): PublishedRow => [
    `speed-up of a step, ${SHORT_NAMES[solver]}, ${how === "sort" ? "sort (full GPU)" : "host (GPU mixed)"}, ${cube(cells)}`,
    STEP_GAINS[solver][how].find(([size]) => size === cells)?.[1] ?? MULTIGRID_GAIN,
    middle((distribution) => found.speedUp({ cells, distribution }, solver, how)),
  ];
  const both = ["sort", "host"] as const;
  return beside({ where: "fig. 2, sect. 3.2" }, [
    ...both.flatMap((how) => STEP_GAINS.fft[how].map(([cells]) => row("fft", how, cells))),
    ...PAPER_SIZES.flatMap((cells) => both.map((how) => row("multigrid", how, cells))),
  ]);
}

function stageShares(found: Found): Published[] {
  const at = (distribution: Distribution): Spot => ({ cells: LARGE, distribution });
  const percent = (part: Maybe, whole: Maybe) => {
    const share = ratio(part, whole);
    return share === undefined ? undefined : 100 * share;
  };
  const poisson = (solver: Solver) =>
    middle((distribution) => {
      const cpu = found.cpu(at(distribution), solver);
      return percent(cpu?.stages.poisson, cpu?.step.best);
    });
  const histogram = (solver: Solver) =>
    middle((distribution) => {
      const gpu = found.gpu(at(distribution), solver, "sort");
      return percent(histogramTime(gpu, "sort"), gpu?.step.best);
    });
  const [sort, host] = (["sort", "host"] as const).map((how) => found.stage(LARGE, `histogram, ${how}`));
  const poissonByHost = (distribution: Distribution) => found.gpu(at(distribution), "fft", "host")?.stages.poisson;
  const where = "fig. 3, sect. 3.3";
  return [
    ...beside({ where, unit: "%" }, [
      [`Poisson, share of the CPU's step, FFT, ${LARGE}³`, 75, poisson("fft")],
      [`Poisson, share of the CPU's step, multigrid, ${LARGE}³ (close to)`, 100, poisson("multigrid")],
      [`histogram, share of the GPU's step, FFT, ${LARGE}³`, 60, histogram("fft")],
      [`histogram, share of the GPU's step, multigrid, ${LARGE}³`, [10, 20], histogram("multigrid")],
    ]),
    ...beside({ where }, [
      [
        `histogram by sorting over by the host, sphere and disk, ${LARGE}³`,
        2,
        middle((one) => ratio(sort.gpu(one), host.gpu(one)), CONCENTRATED),
      ],
      [
        `histogram by the host over Poisson, FFT, ${LARGE}³`,
        1,
        middle((one) => ratio(host.gpu(one), poissonByHost(one))),
      ],
    ]),
  ];
}

function stageGains(found: Found): Published[] {
  const where = "fig. 4, sect. 3.4";
  const gain = (cells: number, label: string, over: readonly Distribution[] = DISTRIBUTIONS) =>
    middle(gainOf(found.stage(cells, label)), over);
  const [fft, multigrid] = ["FFT", "multigrid"].map((label) => found.stage(LARGE, label));
  const slower = (on: "cpu" | "gpu"): PublishedRow => [
    `Poisson, multigrid over FFT, ${on.toUpperCase()}, ${LARGE}³`,
    10,
    middle((one) => ratio(multigrid[on](one), fft[on](one))),
  ];
  const sort = (cells: 32 | 128): PublishedRow => [
    ...([`speed-up of the histogram by sorting, ${cube(cells)}`, HISTOGRAM_GAINS.sort[cells]] as const),
    gain(cells, "histogram, sort"),
  ];
  return [
    ...beside({ where: "fig. 3, sect. 3.4" }, [slower("cpu"), slower("gpu")]),
    ...beside(
      { where },
      (["FFT", "multigrid"] as const).map((one) => [
        `speed-up of Poisson, ${one}, ${LARGE}³`,
        STAGE_GAINS[one],
        gain(LARGE, one),
      ]),
    ),
    ...beside({ where: "sect. 3.4" }, [
      ...PAPER_SIZES.map(
        (cells): PublishedRow => [
          `speed-up of the transforms (ours: with the filter), ${cells}³`,
          TRANSFORM_GAINS[cells],
          gain(cells, "FFT"),
        ],
      ),
      sort(32),
    ]),
    ...beside({ where }, [
      sort(LARGE),
      [`speed-up of the histogram by the host, ${LARGE}³`, HISTOGRAM_GAINS.host[LARGE], gain(LARGE, "histogram, host")],
      [
        `speed-up of the histogram by the host, sphere and disk, ${LARGE}³`,
        { atMost: 1 / 1.15 }, // at least so much longer
        gain(LARGE, "histogram, host", CONCENTRATED),
      ],
      ...(["gradient", "update"] as const).map(
        (one): PublishedRow => [`speed-up of the ${one}, ${LARGE}³`, STAGE_GAINS[one], gain(LARGE, one)],
      ),
    ]),
  ];
}

function conservation(found: Found, settings: SuiteSettings): Published[] {
  const cells = Math.max(...sizes(settings).energy);
  const worst = (solver: Solver, one: typeof NGP | typeof CIC) => {
    const errors = DISTRIBUTIONS.map((distribution) => found.energyError({ cells, distribution }, solver, one));
    return errors.includes(undefined)
      ? undefined
      : among(
          errors.map((error) => Math.abs(error!)),
          largest,
        );
  };
  return beside(
    { where: "sect. 3.1" },
    [NGP, CIC].flatMap((one) =>
      (["fft", "multigrid"] as const).map((solver) => [
        `|ΔE/E| over a time unit, worst distribution, ${cells}³, ${SHORT_NAMES[solver]}, ${one === NGP ? "NGP" : "CIC in the deck's box"}`,
        { atMost: ENERGY_BOUND },
        worst(solver, one),
      ]),
    ),
  );
}

/** Where they name no distribution, ours is the middle one of the three. */
export const published = (found: Found, settings: SuiteSettings): Published[] => [
  ...stepGains(found),
  ...stageShares(found),
  ...stageGains(found),
  ...conservation(found, settings),
];
