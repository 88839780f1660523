/** What the suite `aubert2009` makes of its results: tables, plots, and what to know when reading them. */
import type { Presentation, Results, SuiteSettings } from "../suite.ts";
import { cube, DISTRIBUTIONS, HISTOGRAMS, SOLVERS, sizes } from "./cases.ts";
import { aubertPlots } from "./plots.ts";
import { Aubert } from "./results.ts";
import { aubertTables } from "./tables.ts";

/** Whether the three histograms give the same energies, to the last bit. */
function histogramRemark(found: Aubert, settings: SuiteSettings): string[] {
  const cells = sizes(settings).energyOfHistograms;
  const found3 = DISTRIBUTIONS.flatMap((distribution) =>
    SOLVERS.flatMap((solver) => {
      const errors = HISTOGRAMS.map((histogram) =>
        found.energy({ cells, distribution, solver, scheme: "paper", histogram }),
      );
      return errors.every((one) => one !== undefined) ? [errors.map((one) => one.energyError)] : [];
    }),
  );
  if (found3.length === 0) return [];
  const same = found3.every((errors) => errors.every((error) => error === errors[0]));
  return [
    same
      ? `Energy with the three histograms at ${cube(cells)} is the same to the last bit: masses are summed as integers.`
      : `Energy differs between the three histograms at ${cube(cells)}, where the same bits were expected.`,
  ];
}

const REMARKS = [
  "The speed-up is over this machine’s CPU with a float64 pipeline in one thread of JavaScript, the paper’s over float32 C on one core of 2008. On an adapter that is itself a driver on the CPU, it compares two programs on the same processor.",
  "The paper’s figures 2, 3 and 4 are plots; of them only what the text says in numbers is set beside ours.",
  "The energy error over a time unit is the mesh’s, not the step’s: a quarter of the step hardly changes it. It falls with the size of a cell, and from nearest grid point to cloud in cell.",
  "The paper timed a thousand runs of each stage; here the fastest of a few repetitions counts, after a warm-up: of a step, and of each stage. The host’s deposit is what the other stages leave of a step.",
];

export function present(results: Results, settings: SuiteSettings): Presentation {
  const found = new Aubert(results);
  return {
    tables: aubertTables(found, settings),
    plots: aubertPlots(found, settings),
    remarks: [...REMARKS, ...histogramRemark(found, settings)],
  };
}
