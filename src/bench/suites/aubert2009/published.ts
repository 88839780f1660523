/**
 * The figures that Aubert, Amini & David (2009) print in their text, beside ours; their figures 2, 3 and 4 have no
 * numbers. Speed-ups are of the GPU over the CPU. Where they name no distribution, ours is the middle one of three.
 */
import { max, median } from "d3-array";
import { beside, type Maybe, type PublishedRow, ratio, type SuiteSettings } from "../spec.ts";
import { CONCENTRATED, type Found, gainOf, histogramTime, type OfDistribution, SCHEMES, SHORT_NAMES } from "./found.ts";
import { cube, DISTRIBUTIONS, type Distribution, type Solver, sizes } from "./measure.ts";

/** Their largest mesh, at which most of their figures hold. */
export const LARGE = 128;

/** Speed-up of a step (figure 2, section 3.2) by cells: their full GPU and their GPU mixed. */
export const STEP_GAINS: Record<"fft" | "multigrid", Record<"sort" | "host", readonly [number, number][]>> = {
  fft: {
    sort: [
      [32, 1.6],
      [LARGE, 11.5],
    ],
    host: [
      [32, 2.5],
      [LARGE, 18],
    ],
  },
  multigrid: { sort: [[LARGE, 43]], host: [[LARGE, 52]] },
};
/** The speed-up at every size with multigrid. */
const MULTIGRID_GAIN = { atLeast: 10 };

/** Speed-up of each stage at 128³, by its name (figure 4, section 3.4). */
export const STAGE_GAINS: Record<string, number | readonly [number, number]> = {
  ...{ "histogram, sort": 0.2, "histogram, host": 0.5, FFT: 40, multigrid: 60 },
  ...{ gradient: [5, 120], update: [5, 120] },
};

/** The bound on |ΔE/E| over a time unit that the paper sets itself, section 3.1. */
const ENERGY_BOUND = 1e-3;

const middle = (of: OfDistribution, over: readonly Distribution[] = DISTRIBUTIONS): Maybe => median(over, of);

export function published(found: Found, settings: SuiteSettings) {
  const both = ["sort", "host"] as const;
  const stepGain = (solver: "fft" | "multigrid", how: "sort" | "host", cells: number): PublishedRow => [
    `speed-up of a step, ${SHORT_NAMES[solver]}, ${how === "sort" ? "sort (full GPU)" : "host (GPU mixed)"}, ${cube(cells)}`,
    STEP_GAINS[solver][how].find(([size]) => size === cells)?.[1] ?? MULTIGRID_GAIN,
    middle((distribution) => found.speedUp({ cells, distribution }, solver, how)),
  ];

  const at = (distribution: Distribution) => ({ cells: LARGE, distribution });
  const percent = (part: Maybe, whole: Maybe) => {
    const share = ratio(part, whole);
    return share && 100 * share;
  };
  const poissonShare = (solver: Solver) =>
    middle((distribution) => {
      const cpu = found.cpu(at(distribution), solver);
      return percent(cpu?.stages.poisson, cpu?.step.best);
    });
  const histogramShare = (solver: Solver) =>
    middle((distribution) => {
      const gpu = found.gpu(at(distribution), solver, "sort");
      return percent(histogramTime(gpu, "sort"), gpu?.step.best);
    });
  const stage = (label: string) => found.stage(LARGE, label);
  const [sort, host, fft, multigrid] = ["histogram, sort", "histogram, host", "FFT", "multigrid"].map(stage);
  const poissonByHost = (distribution: Distribution) => found.gpu(at(distribution), "fft", "host")?.stages.poisson;
  const slower = (on: "cpu" | "gpu"): PublishedRow => {
    const label = `Poisson, multigrid over FFT, ${on.toUpperCase()}, ${LARGE}³`;
    return [label, 10, middle((one) => ratio(multigrid[on](one), fft[on](one)))];
  };
  const gain = (cells: number, label: string, over?: readonly Distribution[]) =>
    middle(gainOf(found.stage(cells, label)), over);
  const stageGain = (what: string, label: string): PublishedRow => [
    ...([`speed-up of ${what}, ${LARGE}³`, STAGE_GAINS[label]] as const),
    gain(LARGE, label),
  ];

  const cells = Math.max(...sizes(settings).energy);
  const worst = (solver: Solver, scheme: keyof typeof SCHEMES): PublishedRow => {
    const errors = DISTRIBUTIONS.map((distribution) => found.energyError({ cells, distribution }, solver, scheme));
    const label = `|ΔE/E| over a time unit, worst distribution, ${cells}³, ${SHORT_NAMES[solver]}, ${SCHEMES[scheme].where}`;
    return [label, { atMost: ENERGY_BOUND }, errors.includes(undefined) ? undefined : max(errors, (e) => Math.abs(e!))];
  };

  return [
    ...beside({ where: "fig. 2, sect. 3.2" }, [
      ...both.flatMap((how) => [32, LARGE].map((size) => stepGain("fft", how, size))),
      ...[32, 64, LARGE].flatMap((size) => both.map((how) => stepGain("multigrid", how, size))),
    ]),
    ...beside({ where: "fig. 3, sect. 3.3", unit: "%" }, [
      [`Poisson, share of the CPU's step, FFT, ${LARGE}³`, 75, poissonShare("fft")],
      [`Poisson, share of the CPU's step, multigrid, ${LARGE}³ (close to)`, 100, poissonShare("multigrid")],
      [`histogram, share of the GPU's step, FFT, ${LARGE}³`, 60, histogramShare("fft")],
      [`histogram, share of the GPU's step, multigrid, ${LARGE}³`, [10, 20], histogramShare("multigrid")],
    ]),
    ...beside({ where: "fig. 3, sect. 3.3" }, [
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
    ...beside({ where: "fig. 3, sect. 3.4" }, [slower("cpu"), slower("gpu")]),
    ...beside({ where: "sect. 3.4" }, [
      ...(
        [
          [32, 2],
          [64, 16],
          [LARGE, 40],
        ] as const
      ).map(([size, value]): PublishedRow => {
        return [`speed-up of the transforms (ours: with the filter), ${size}³`, value, gain(size, "FFT")];
      }),
      ["speed-up of the histogram by sorting, 32³", 0.1, gain(32, "histogram, sort")],
    ]),
    ...beside({ where: "fig. 4, sect. 3.4" }, [
      stageGain("Poisson, FFT", "FFT"),
      stageGain("Poisson, multigrid", "multigrid"),
      stageGain("the histogram by sorting", "histogram, sort"),
      stageGain("the histogram by the host", "histogram, host"),
      [
        `speed-up of the histogram by the host, sphere and disk, ${LARGE}³`,
        { atMost: 1 / 1.15 }, // at least so much longer
        gain(LARGE, "histogram, host", CONCENTRATED),
      ],
      stageGain("the gradient", "gradient"),
      stageGain("the update", "update"),
    ]),
    ...beside(
      { where: "sect. 3.1" },
      (["paper", "deck"] as const).flatMap((scheme) => [worst("fft", scheme), worst("multigrid", scheme)]),
    ),
  ];
}
