/** The suite `aubert2009`, after Aubert, Amini & David 2009, section 3: its list of measurements. */
import type { Measurement, Suite } from "../suite.ts";
import { figure, milliseconds } from "../suite-text.ts";
import {
  type Case,
  DISTRIBUTION_NAMES,
  DISTRIBUTIONS,
  HISTOGRAMS,
  SOLVER_NAMES,
  SOLVERS,
  sizes,
  tooLarge,
} from "./aubert2009-cases.ts";
import {
  cpuSteps,
  type Energy,
  energyOver,
  gpuSteps,
  type InTurns,
  inTurns,
  type StepTimes,
} from "./aubert2009-measure.ts";

const GPU_PLAN = (quick: boolean) => ({ repetitions: quick ? 3 : 5, about: quick ? 150 : 500 });
const CPU_PLAN = (quick: boolean) => ({ repetitions: quick ? 2 : 3, about: 200 });

export const suite: Suite = {
  id: "aubert2009",
  title: "Particle-mesh on a GPU",
  paper: "Aubert, Amini & David 2009, ICCS 2009, LNCS 5544, 874–883",
  hardware: "a GeForce 8800 GTX, against one core of a 2.2 GHz Opteron",
  about: "",
  measurements: (settings) => {
    const { quick } = settings;
    const list: Measurement[] = [];
    const { gpu, cpu, energy, default: size } = sizes(settings);
    list.push({
      key: `turns-${size}`,
      label: "three",
      parameters: { size },
      run: (c) => inTurns(size, { repetitions: 3, about: 300 }, c),
      brief: (r: InTurns) => DISTRIBUTIONS.map((d) => `${d} ${milliseconds(r[d].best)}`).join(" "),
    });
    for (const cells of gpu)
      for (const distribution of DISTRIBUTIONS) {
        for (const histogram of HISTOGRAMS)
          for (const solver of SOLVERS) {
            const one: Case = { cells, distribution, histogram, solver, assignment: "ngp" };
            list.push({
              key: `gpu-${cells}-${distribution}-${histogram}-${solver}`,
              label: `${cells}³ ${distribution} ${histogram} ${SOLVER_NAMES[solver]}`,
              parameters: { ...one },
              skip: (c) => tooLarge(one, c.gpu),
              run: (c) => gpuSteps(one, GPU_PLAN(quick), c),
              brief: (r: StepTimes) =>
                `${milliseconds(r.step.best)} ms a step, spread ${figure(r.step.spread)} ${JSON.stringify(r.stages)}`,
            });
          }
        if (cpu.includes(cells))
          for (const solver of SOLVERS) {
            const one: Case = { cells, distribution, histogram: "sort", solver, assignment: "ngp" };
            list.push({
              key: `cpu-${cells}-${distribution}-${solver}`,
              label: `CPU ${cells}³ ${distribution} ${SOLVER_NAMES[solver]}`,
              parameters: { ...one },
              run: (c) => cpuSteps(one, CPU_PLAN(quick), c),
              brief: (r: StepTimes) => `${milliseconds(r.step.best)} ms a step ${JSON.stringify(r.stages)}`,
            });
          }
        if (energy.includes(cells))
          for (const assignment of ["ngp", "cic"] as const)
            for (const solver of SOLVERS) {
              const one: Case = { cells, distribution, histogram: "sort", solver, assignment };
              list.push({
                key: `energy-${cells}-${distribution}-${assignment}-${solver}`,
                label: `energy ${cells}³ ${distribution} ${assignment} ${SOLVER_NAMES[solver]}`,
                parameters: { ...one },
                run: (c) => energyOver(one, c),
                brief: (r: Energy) => `${figure(r.energyError)} ${figure(r.momentumError)} ${r.steps}`,
              });
            }
      }
    return list;
  },
  present: () => ({ tables: [], plots: [], remarks: [DISTRIBUTION_NAMES.disk] }),
};
