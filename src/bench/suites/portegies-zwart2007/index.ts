/** The suite `portegies-zwart2007`, after Portegies Zwart, Belleman & Geldof (2007): what is measured, in which order. */

import { isLeftOut, type LeftOut } from "../left-out.ts";
import type { Measurement, Suite, SuiteSettings } from "../suite.ts";
import { figure } from "../text.ts";
import { COUNTS, ENGINE_NAMES, ENGINES, type Engine, energies, NU } from "./cases.ts";
import { type CostPlan, costsOf, type MeasuredCosts } from "./costs.ts";
import { type Quarter, quarterOf, type Run } from "./measure.ts";
import { present } from "./present.ts";
import { published } from "./published.ts";
import { costsKey, energyKey, runKey } from "./results.ts";

/** A run that takes longer is left out [s]. */
const longest = ({ quick }: SuiteSettings): number => (quick ? 8 : 300);

const costPlan = ({ quick }: SuiteSettings): CostPlan =>
  quick ? { submissions: 24, longest: 1.5 } : { submissions: 20, longest: 10 };

const reason = ({ leftOut }: LeftOut) => `left out: ${leftOut}`;
const error = (value: number) => `ΔE/E ${value.toExponential(1)}`;

function runMeasurement(run: Run): Measurement<Quarter | LeftOut> {
  const { count, engine } = run;
  return {
    key: runKey(count, engine),
    label: `${count} particles from t = 0.25 to 0.5, ${ENGINE_NAMES[engine]}`,
    parameters: { ...run },
    run: (context) => quarterOf(run, context),
    brief: (result) =>
      isLeftOut(result) ? reason(result) : `${figure(result.seconds)} s, ${error(result.energyError)}`,
  };
}

function energyMeasurement(run: Run): Measurement<Quarter | LeftOut> {
  const { count, engine, nu } = run;
  return {
    key: energyKey(count, engine, nu),
    label: `${count} particles to t = 0.25, ν = ${figure(nu)}, ${ENGINE_NAMES[engine]}`,
    parameters: { ...run },
    run: (context) => quarterOf(run, context),
    brief: (result) => (isLeftOut(result) ? reason(result) : error(result.energyError)),
  };
}

function costsMeasurement(engine: Engine, plan: CostPlan): Measurement<MeasuredCosts | LeftOut> {
  return {
    key: costsKey(engine),
    label: `what the performance model is made of, ${ENGINE_NAMES[engine]}`,
    parameters: { engine, ...plan },
    run: (context) => costsOf(engine, plan, context),
    brief: (result) => (isLeftOut(result) ? reason(result) : `${figure(1e9 * result.pair)} ns an interaction`),
  };
}

function measurements(settings: SuiteSettings): Measurement[] {
  const limit = longest(settings);
  const { counts, nus } = energies(settings);
  const [first, ...rest] = [
    ...ENGINES.map((engine) => costsMeasurement(engine, costPlan(settings))),
    ...COUNTS.flatMap((count) =>
      ENGINES.map((engine) => runMeasurement({ count, engine, nu: NU, before: 1, longest: limit })),
    ),
    ...counts.flatMap((count) =>
      nus.flatMap((nu) => ENGINES.map((engine) => energyMeasurement({ count, engine, nu, before: 0, longest: limit }))),
    ),
  ];
  return [{ ...first, published: published(settings) }, ...rest];
}

export const suite: Suite = {
  id: "portegies-zwart2007",
  title: "Star clusters with block time steps",
  paper: "S. F. Portegies Zwart, R. G. Belleman & P. M. Geldof 2007, New Astronomy 12, 641–650",
  hardware: "a GRAPE-6Af, a GeForce 8800GTX, a Quadro FX1400 and a 3.4 GHz Xeon, which also hosted them",
  about:
    "Plummer spheres of equal masses, scaled to virial equilibrium; Hermite’s fourth-order scheme with block steps, softening " +
    "1/256, ν = 0.01, largest step 1/8, timed from t = 0.25 to 0.5. Blocks against the paper’s fits, energy against ν, and " +
    "its performance model with what it is made of measured on this machine.",
  measurements,
  present,
};
