/** The suite `sapporo2`, after Bédorf, Gaburov & Portegies Zwart (2015), sections 3 and 4.1: what is measured, in which order. */

import { isLeftOut, type LeftOut } from "../left-out.ts";
import type { Measurement, Suite, SuiteSettings } from "../suite.ts";
import { figure, milliseconds } from "../text.ts";
import { type BlockResult, type BlockRun, blockRun } from "./blocks.ts";
import {
  activeTargets,
  ENGINE_NAMES,
  fewEngines,
  type GpuEngine,
  gridCounts,
  runCounts,
  SOURCES,
  shapeTargets,
  squareCounts,
} from "./cases.ts";
import { type EvaluationPlan, type GridRow, gridRow, type Square, square } from "./evaluate.ts";
import { type FewTargets, fewTargets, type KernelPlan, type ShapeScan, shapeScan } from "./kernels.ts";
import { present } from "./present.ts";
import { published } from "./published.ts";
import { fewKey, gridKey, runKey, shapesKey, squareKey } from "./results.ts";

interface Plans {
  kernels: KernelPlan;
  square: EvaluationPlan;
  /** Repetitions of each combination. */
  grid: number;
  /** A block-step run may take this long [s]. */
  run: number;
}

const plans = ({ quick }: SuiteSettings): Plans =>
  quick
    ? {
        kernels: { repetitions: 3, about: 0.03, longest: 0.5 },
        square: { repetitions: 3, longest: 0.4 },
        grid: 2,
        run: 6,
      }
    : {
        kernels: { repetitions: 10, about: 0.1, longest: 10 },
        square: { repetitions: 3, longest: 3 },
        grid: 5,
        run: 120,
      };

const reason = ({ leftOut }: LeftOut) => `left out: ${leftOut}`;
const inMs = (seconds: number) => `${milliseconds(1000 * seconds)} ms`;
/** In which the paper's results are unless it says otherwise. */
const PRECISION: GpuEngine = "double-single";

function shapesMeasurement(targets: number, plan: KernelPlan): Measurement<ShapeScan | LeftOut> {
  return {
    key: shapesKey(targets),
    label: `kernel shapes, ${targets} targets of ${SOURCES} sources`,
    parameters: { targets, sources: SOURCES, precision: PRECISION, ...plan },
    run: (context) => shapeScan(targets, PRECISION, plan, context),
    brief: (result: ShapeScan | LeftOut) => {
      if (isLeftOut(result)) return reason(result);
      const [name, { seconds }] = Object.entries(result.shapes).reduce((a, b) => (b[1].seconds < a[1].seconds ? b : a));
      return `${inMs(seconds)}, ${name}`;
    },
  };
}

function fewMeasurement(engine: GpuEngine, active: number[], plan: KernelPlan): Measurement<FewTargets | LeftOut> {
  return {
    key: fewKey(engine),
    label: `1 to ${active.at(-1)} targets of ${SOURCES} sources, ${ENGINE_NAMES[engine]}`,
    parameters: { active, sources: SOURCES, precision: engine, ...plan },
    run: (context) => fewTargets(active, engine, plan, context),
    brief: (result) => {
      if (isLeftOut(result)) return reason(result);
      const quickest = ({ shapes }: FewTargets["times"][number]) =>
        inMs(Math.min(...Object.values(shapes).map(({ seconds }) => seconds)));
      return `${quickest(result.times[0])} to ${quickest(result.times.at(-1)!)}`;
    },
  };
}

function squareMeasurement(count: number, plan: EvaluationPlan): Measurement<Square> {
  return {
    key: squareKey(count),
    label: `${count} targets and sources, orders 4 and 6`,
    parameters: { count, ...plan },
    run: (context) => square(count, plan, context),
    brief: ({ variants }: Square) =>
      Object.values(variants)
        .map(({ seconds }) => milliseconds(1000 * seconds))
        .join(", ")
        .concat(" ms"),
  };
}

function gridMeasurement(sources: number, targets: number[], repetitions: number): Measurement<GridRow | LeftOut> {
  return {
    key: gridKey(sources),
    label: `GPU against CPU, ${sources} sources`,
    parameters: { sources, targets, repetitions },
    run: (context) => gridRow(sources, targets, repetitions, context),
    brief: (result: GridRow | LeftOut) => {
      if (isLeftOut(result)) return reason(result);
      const gains = result.times.map(({ cpu, gpu }) => cpu / gpu);
      return `GPU ${figure(Math.min(...gains))} to ${figure(Math.max(...gains))} times as fast`;
    },
  };
}

function runMeasurement(run: BlockRun): Measurement<BlockResult | LeftOut> {
  const { count, engine } = run;
  return {
    key: runKey(count, engine),
    label: `block steps of ${count}, Hermite 6, ${ENGINE_NAMES[engine]}`,
    parameters: { ...run },
    run: (context) => blockRun(run, context),
    brief: (result) => {
      if (isLeftOut(result)) return reason(result);
      const { seconds, span, energyError } = result;
      return `${figure(seconds)} s for ${figure(span)} time units, ΔE/E ${energyError.toExponential(1)}`;
    },
  };
}

function measurements(settings: SuiteSettings): Measurement[] {
  const plan = plans(settings);
  const [active, grid] = [activeTargets(settings), gridCounts(settings)];
  const [first, ...rest] = [
    ...shapeTargets(settings).map((targets) => shapesMeasurement(targets, plan.kernels)),
    ...fewEngines(settings).map((engine) => fewMeasurement(engine, active, plan.kernels)),
    ...squareCounts(settings).map((count) => squareMeasurement(count, plan.square)),
    ...runCounts(settings).flatMap((count) =>
      (["double-single", "cpu"] as const).map((engine) => runMeasurement({ count, engine, longest: plan.run })),
    ),
    ...grid.map((sources) => gridMeasurement(sources, grid, plan.grid)),
  ];
  return [{ ...first, published: published(settings) }, ...rest];
}

export const suite: Suite = {
  id: "sapporo2",
  title: "A library for direct summation",
  paper: "J. Bédorf, E. Gaburov & S. Portegies Zwart 2015, Sapporo2: A versatile direct N-body library, ComAC 2, 8",
  hardware: "a GTX480, GTX680, K20m, GTX Titan and HD7970; the CPU is a Xeon E5620",
  about:
    "Forces with jerk, for Hermite’s order 4, and snap, for order 6: kernel shapes and few active targets of 131072 sources, " +
    "as many targets as sources in each precision, block-step runs of Plummer spheres with Hermite 6, η₄ = 0.01 and " +
    "η₆ = 0.1, and the GPU against the CPU over targets and sources.",
  measurements,
  present,
};
