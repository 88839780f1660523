/**
 * The figures that Aubert, Amini & David (2009) print in their text, beside ours; their figures 2, 3 and 4 have no
 * numbers. Speed-ups are of the GPU over the CPU. Where they name no distribution, ours is the middle one of three.
 */
import { max, median } from "d3-array";
import type { StudySettings } from "../../../spec.ts";
import { beside, type Maybe, type PublishedRow, ratio } from "../../../table.ts";
import {
  cube,
  DISTRIBUTIONS,
  type Distribution,
  type Found,
  histogramTime,
  type OfDistribution,
  SCHEMES,
  type Scheme,
  SOLVERS,
  type Solver,
  type StageTimes,
  sizes,
} from "./measure.ts";

/** Their largest mesh, at which most of their figures hold. */
const LARGE = 128;

/** Their full GPU and their GPU mixed. */
const BOTH = ["sort", "host"] as const;

/** Speed-up of a step by cells (figure 2, section 3.2). */
const STEP_GAINS = {
  fft: { sort: { 32: 1.6, [LARGE]: 11.5 }, host: { 32: 2.5, [LARGE]: 18 } },
  multigrid: { sort: { [LARGE]: 43 }, host: { [LARGE]: 52 } },
} satisfies Record<string, Record<(typeof BOTH)[number], Record<number, number>>>;
/** With multigrid at every other size. */
const MULTIGRID_GAIN = { atLeast: 10 };

/** The bound on |ΔE/E| over a time unit that the paper sets itself, section 3.1. */
const ENERGY_BOUND = 1e-3;

/** The paper's statements on sphere and disk. */
const CONCENTRATED = ["plummer", "disk"] as const;

const middle = (of: OfDistribution, over: readonly Distribution[] = DISTRIBUTIONS): Maybe => median(over, of);

/** CPU over GPU. */
const gain = ({ gpu, cpu }: StageTimes, over?: readonly Distribution[]) =>
  middle((one) => ratio(cpu(one), gpu(one)), over);

export function published(found: Found, settings: StudySettings) {
  const stepGain = (solver: "fft" | "multigrid", how: (typeof BOTH)[number], cells: number): PublishedRow => [
    `speed-up of a step, ${SOLVERS[solver].short}, ${how === "sort" ? "sort (full GPU)" : "host (GPU mixed)"}, ${cube(cells)}`,
    (STEP_GAINS[solver][how] as Record<number, number>)[cells] ?? MULTIGRID_GAIN,
    middle((distribution) => found.speedUp({ cells, distribution }, solver, how)),
  ];
  const at = (distribution: Distribution) => ({ cells: LARGE, distribution });
  const poissonShare = (solver: Solver) =>
    middle((distribution) => {
      const cpu = found.cpu(at(distribution), solver);
      return cpu && 100 * (cpu.stages.poisson / cpu.step.best);
    });
  const histogramShare = (solver: Solver) =>
    middle((distribution) => {
      const gpu = found.gpu(at(distribution), solver, "sort");
      return gpu && 100 * (histogramTime(gpu, "sort")! / gpu.step.best);
    });
  const [sort, host] = BOTH.map((how) => found.histogram(LARGE, how));
  const [fft, multigrid] = (["fft", "multigrid"] as const).map((solver) => found.stage(LARGE, "poisson", solver));
  const poissonByHost = (distribution: Distribution) => found.gpu(at(distribution), "fft", "host")?.stages.poisson;
  const slower = (on: "cpu" | "gpu"): PublishedRow => {
    const label = `Poisson, multigrid over FFT, ${on.toUpperCase()}, ${LARGE}³`;
    return [label, 10, middle((one) => ratio(multigrid[on](one), fft[on](one)))];
  };
  const transforms = (cells: number, value: number): PublishedRow => [
    `speed-up of the transforms (ours: with the filter), ${cells}³`,
    value,
    gain(found.stage(cells, "poisson")),
  ];

  const cells = Math.max(...sizes(settings).energy);
  const worst = (solver: Solver, scheme: Scheme): PublishedRow => {
    const errors = DISTRIBUTIONS.map((distribution) => found.energyError({ cells, distribution }, solver, scheme));
    const label = `|ΔE/E| over a time unit, worst distribution, ${cells}³, ${SOLVERS[solver].short}, ${SCHEMES[scheme].where}`;
    return [label, { atMost: ENERGY_BOUND }, errors.includes(undefined) ? undefined : max(errors, (e) => Math.abs(e!))];
  };

  return [
    ...beside({ where: "fig. 2, sect. 3.2" }, [
      ...BOTH.flatMap((how) => [32, LARGE].map((size) => stepGain("fft", how, size))),
      ...[32, 64, LARGE].flatMap((size) => BOTH.map((how) => stepGain("multigrid", how, size))),
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
      ...[transforms(32, 2), transforms(64, 16), transforms(LARGE, 40)],
      ["speed-up of the histogram by sorting, 32³", 0.1, gain(found.histogram(32, "sort"))],
    ]),
    ...beside({ where: "fig. 4, sect. 3.4" }, [
      [`speed-up of Poisson, FFT, ${LARGE}³`, 40, gain(fft)],
      [`speed-up of Poisson, multigrid, ${LARGE}³`, 60, gain(multigrid)],
      [`speed-up of the histogram by sorting, ${LARGE}³`, 0.2, gain(sort)],
      [`speed-up of the histogram by the host, ${LARGE}³`, 0.5, gain(host)],
      [
        `speed-up of the histogram by the host, sphere and disk, ${LARGE}³`,
        { atMost: 1 / 1.15 }, // at least so much longer
        gain(host, CONCENTRATED),
      ],
      [`speed-up of the gradient, ${LARGE}³`, [5, 120], gain(found.stage(LARGE, "gradient"))],
      [`speed-up of the update, ${LARGE}³`, [5, 120], gain(found.stage(LARGE, "update"))],
    ]),
    ...beside(
      { where: "sect. 3.1" },
      (["paper", "deck"] as const).flatMap((scheme) => [worst("fft", scheme), worst("multigrid", scheme)]),
    ),
  ];
}
