/**
 * The figures that Aubert, Amini & David (2009) print in their text, beside the suite's own. Their figures 2, 3 and 4 are
 * plots without numbers: what isn't in the text is not here. Where they name no distribution, ours is the middle one of
 * the three.
 */
import type { Published, Results, SuiteSettings } from "../suite.ts";
import { type Distribution, type Histogram, type Solver, sizes } from "./cases.ts";
import { Aubert, histogramTime, middle, ratio } from "./results.ts";

/** Their largest mesh, at which most of their figures hold. */
const LARGE = 128;
const PAPER_SIZES = [32, 64, 128] as const;

type OfDistribution = (results: Aubert, distribution: Distribution) => number | undefined;

function row(
  quantity: string,
  where: string,
  value: Published["value"],
  ours: OfDistribution,
  unit?: string,
): Published {
  return {
    quantity,
    where,
    value,
    ...(unit && { unit }),
    ours: (results: Results) => {
      const found = new Aubert(results);
      return middle(found.over((distribution) => ours(found, distribution)));
    },
  };
}

/** Without what is uniform: their statements on sphere and disk. */
const concentrated =
  (ours: OfDistribution): OfDistribution =>
  (results, distribution) =>
    distribution === "uniform" ? undefined : ours(results, distribution);

const step =
  (cells: number, solver: Solver, histogram: Histogram): OfDistribution =>
  (results, distribution) =>
    results.speedUp(cells, distribution, solver, histogram);

const histogram =
  (cells: number, how: Histogram): OfDistribution =>
  (results, distribution) =>
    results.histogramSpeedUp(cells, distribution, how);

const percent = (part: number | undefined, whole: number | undefined) => {
  const share = ratio(part, whole);
  return share === undefined ? undefined : 100 * share;
};

const histogramShare =
  (solver: Solver): OfDistribution =>
  (results, distribution) => {
    const gpu = results.gpu(LARGE, distribution, solver, "sort");
    return percent(gpu && histogramTime(gpu, "sort"), gpu?.step.best);
  };

const poissonShare =
  (solver: Solver): OfDistribution =>
  (results, distribution) => {
    const cpu = results.cpu(LARGE, distribution, solver);
    return percent(cpu?.stages.poisson, cpu?.step.best);
  };

function overall(): Published[] {
  const text = (solver: string, how: string, cells: number) => `speed-up of a step, ${solver}, ${how}, ${cells}³`;
  const full = "sort (full GPU)";
  const mixed = "host (GPU mixed)";
  const where = "fig. 2, sect. 3.2";
  return [
    row(text("FFT", full, 32), where, 1.6, step(32, "fft", "sort")),
    row(text("FFT", full, 128), where, 11.5, step(128, "fft", "sort")),
    row(text("FFT", mixed, 32), where, 2.5, step(32, "fft", "host")),
    row(text("FFT", mixed, 128), where, 18, step(128, "fft", "host")),
    ...PAPER_SIZES.flatMap((cells) =>
      (["sort", "host"] as const).map((how) => {
        const value = cells === LARGE ? { sort: 43, host: 52 }[how] : { atLeast: 10 };
        return row(
          text("multigrid", how === "sort" ? full : mixed, cells),
          where,
          value,
          step(cells, "multigrid", how),
        );
      }),
    ),
  ];
}

function shares(): Published[] {
  const where = "fig. 3, sect. 3.3";
  return [
    row(`Poisson, share of the CPU's step, FFT, ${LARGE}³`, where, 75, poissonShare("fft"), "%"),
    row(
      `Poisson, share of the CPU's step, multigrid, ${LARGE}³ (close to)`,
      where,
      100,
      poissonShare("multigrid"),
      "%",
    ),
    row(`histogram, share of the GPU's step, FFT, ${LARGE}³`, where, 60, histogramShare("fft"), "%"),
    row(`histogram, share of the GPU's step, multigrid, ${LARGE}³`, where, [10, 20], histogramShare("multigrid"), "%"),
    row(
      `histogram by sorting over by the host, sphere and disk, ${LARGE}³`,
      where,
      2,
      concentrated((results, distribution) => {
        const [sort, host] = (["sort", "host"] as const).map((how) => {
          const gpu = results.gpu(LARGE, distribution, "fft", how);
          return gpu && histogramTime(gpu, how);
        });
        return ratio(sort, host);
      }),
    ),
    row(`histogram by the host over Poisson, FFT, ${LARGE}³`, where, 1, (results, distribution) => {
      const gpu = results.gpu(LARGE, distribution, "fft", "host");
      return ratio(gpu && histogramTime(gpu, "host"), gpu?.stages.poisson);
    }),
  ];
}

function stages(): Published[] {
  const where = "fig. 4, sect. 3.4";
  const poisson =
    (cells: number, solver: Solver): OfDistribution =>
    (results, distribution) =>
      results.stageSpeedUp(cells, distribution, solver, "poisson");
  const multigridOverFft =
    (on: "gpu" | "cpu"): OfDistribution =>
    (results, distribution) => {
      const [fft, multigrid] = (["fft", "multigrid"] as const).map((solver) =>
        on === "gpu" ? results.gpu(LARGE, distribution, solver, "sort") : results.cpu(LARGE, distribution, solver),
      );
      return ratio(multigrid?.stages.poisson, fft?.stages.poisson);
    };
  const transforms = { 32: 2, 64: 16, 128: 40 } as const;
  return [
    row(`Poisson, multigrid over FFT, CPU, ${LARGE}³`, "fig. 3, sect. 3.4", 10, multigridOverFft("cpu")),
    row(`Poisson, multigrid over FFT, GPU, ${LARGE}³`, "fig. 3, sect. 3.4", 10, multigridOverFft("gpu")),
    row(`speed-up of Poisson, FFT, ${LARGE}³`, where, 40, poisson(LARGE, "fft")),
    row(`speed-up of Poisson, multigrid, ${LARGE}³`, where, 60, poisson(LARGE, "multigrid")),
    ...PAPER_SIZES.map((cells) =>
      row(
        `speed-up of the transforms (ours: with the filter), ${cells}³`,
        "sect. 3.4",
        transforms[cells],
        poisson(cells, "fft"),
      ),
    ),
    row("speed-up of the histogram by sorting, 32³", "sect. 3.4", 0.1, histogram(32, "sort")),
    row(`speed-up of the histogram by sorting, ${LARGE}³`, where, 0.2, histogram(LARGE, "sort")),
    row(`speed-up of the histogram by the host, ${LARGE}³`, where, 0.5, histogram(LARGE, "host")),
    row(
      `speed-up of the histogram by the host, sphere and disk, ${LARGE}³`,
      where,
      { atMost: 1 / 1.15 },
      concentrated(histogram(LARGE, "host")),
    ),
    ...(["gradient", "update"] as const).map((stage) =>
      row(`speed-up of the ${stage}, ${LARGE}³`, where, [5, 120], (results, distribution) =>
        results.stageSpeedUp(LARGE, distribution, "fft", stage),
      ),
    ),
  ];
}

function conservation(settings: SuiteSettings): Published[] {
  const cells = Math.max(...sizes(settings).energy);
  const worst =
    (solver: Solver, scheme: "paper" | "deck") =>
    (results: Results): number | undefined => {
      const found = new Aubert(results);
      const errors = found.over((distribution) => {
        const auto = scheme === "deck" ? ("auto" as const) : ("sort" as const);
        const energy = found.energy({ cells, distribution, solver, scheme, histogram: auto });
        return energy && Math.abs(energy.energyError);
      });
      return errors.includes(undefined) ? undefined : Math.max(...(errors as number[]));
    };
  const one = (quantity: string, solver: Solver, scheme: "paper" | "deck"): Published => ({
    quantity: `|ΔE/E| over a time unit, worst distribution, ${cells}³, ${quantity}`,
    where: "sect. 3.1",
    value: { atMost: 1e-3 },
    ours: worst(solver, scheme),
  });
  return [
    one("FFT, NGP", "fft", "paper"),
    one("multigrid, NGP", "multigrid", "paper"),
    one("FFT, CIC in the deck's box", "fft", "deck"),
    one("multigrid, CIC in the deck's box", "multigrid", "deck"),
  ];
}

export function published(settings: SuiteSettings): Published[] {
  return [...overall(), ...shares(), ...stages(), ...conservation(settings)];
}
