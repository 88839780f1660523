/** `gravmesh bench`: what it measures on the adapter that a run would use; the papers' suites are in suite.ts. */

import { GravmeshError } from "../../foundation/base/errors.ts";
import { version } from "../../foundation/base/version.ts";
import { isMeshSize, nearestMeshSizes } from "../../foundation/deck/mesh-sizes.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import type { Boundary } from "../../physics/particles/box.ts";
import { engineWithFallback } from "../../run/engine.ts";
import { adapterText } from "../../run/instrument.ts";
import { EXIT_OF } from "../../run/results.ts";
import type { BackendChoice } from "../../scenario/simulation/simulation.ts";
import { QUANTITIES, type Quantity } from "../../studio/view/view.ts";
import { benchDirect, type DirectRequest, directText } from "../../study/bench/direct.ts";
import { forceStudy, forceText } from "../../study/bench/force.ts";
import { type LevelForceRequest, levelForceStudy, levelForceText } from "../../study/bench/level-force.ts";
import { LEAST_MOND_CELLS, type MondRequest, mondStudy, mondText } from "../../study/bench/mond.ts";
import { benchShapes, shapesText } from "../../study/bench/shapes.ts";
import { benchStages, type StagesRequest, stagesText } from "../../study/bench/stages.ts";
import { benchView, type ViewRequest, viewText } from "../../study/bench/view.ts";
import type { StudyEvent, StudyRecord, TableEvent } from "../../study/cases.ts";
import { measureTable, type TableStudy } from "../../study/table-study.ts";
import { progressBar, type Words } from "./display.ts";
import { session } from "./session.ts";

type Options<T> = T & { json?: boolean };
/** `shapes`: with every variant of each kernel, too. */
type StagesOptions = Options<Omit<StagesRequest, "cells"> & { mesh: number[]; shapes?: boolean }>;
type ViewOptions = Options<Omit<ViewRequest, "cells" | "quantities"> & { mesh: number; quantity: Quantity | "all" }>;
type MondOptions = Options<Omit<MondRequest, "cells"> & { mesh: number; backend: "webgpu" | "cpu" }>;
type ForceOptions = Options<{ mesh: number; boundary: Boundary; backend: "webgpu" | "cpu" }> & {
  levels?: boolean;
  pairs?: boolean;
  places: number;
  oneMesh: number;
};

function requireMeshSize(cells: number, option = "mesh"): void {
  if (isMeshSize(cells)) return;
  const near = nearestMeshSizes(cells).join(" and ");
  throw new GravmeshError("usage", `--${option} ${cells}: expected 2^k or 3·2^k cells. Nearest valid sizes: ${near}.`);
}

type Told = Omit<TableEvent, "event">;

const BAR = 20;

const wordsOf = (json: boolean | undefined): Words<StudyEvent<StudyRecord>> => ({
  live: {
    progress: ({ index, count, label, fraction }) => `${progressBar(fraction, BAR)} ${index + 1}/${count} ${label}`,
  },
  lasting: {},
  needed: {
    table: ({ figures, message, indent }) => {
      const about = { gravmesh: version, date: new Date().toISOString() };
      return json ? JSON.stringify({ ...about, ...figures }, null, indent) : message;
    },
  },
  allSaid: true,
  stopping: " after this measurement; what has been measured is printed.",
});

/** A table is told as a whole, or result by result. */
interface Telling<Case, Result> {
  study: TableStudy<Case, Result>;
  whole?: (results: Result[], adapter: string, leftOut: string[]) => Told;
  each?: (result: Result) => Told;
}

/** Measures on an engine and destroys it; resolves to the exit code. */
const bench = <Case, Result>(
  backend: BackendChoice,
  json: boolean | undefined,
  { study, whole, each }: Telling<Case, Result>,
): Promise<number> =>
  session({ quiet: json }, wordsOf(json), async (watch, signal) => {
    const { gpu } = await engineWithFallback(backend);
    const tell = (told: Told) => watch({ event: "table", ...told });
    try {
      const context = { gpu, signal, watch };
      const found = await measureTable(study, context, each && ((result) => tell(each(result))));
      const { results, leftOut, status } = found;
      if (whole && results.length + leftOut.length > 0) tell(whole(results, adapterText(gpu), leftOut));
      return EXIT_OF[status];
    } finally {
      gpu?.destroy();
    }
  });

/** A study of one case. */
const single = <Result>(label: string, measure: (gpu: GpuContext) => Promise<Result>): TableStudy<string, Result> => ({
  cases: [label],
  label: String,
  measure: (_, { gpu }) => measure(gpu!),
});

export async function stagesCommand({ mesh, shapes, json, ...request }: StagesOptions): Promise<number> {
  for (const cells of mesh) requireMeshSize(cells);
  return bench("webgpu", json, {
    study: {
      cases: mesh,
      label: (cells) => `${cells}³ mesh`,
      async measure(cells, { gpu }) {
        const result = await benchStages(gpu!, { ...request, cells });
        return { result, others: shapes && (await benchShapes(gpu!, { ...request, cells })) };
      },
    },
    each: ({ result, others }) => ({
      figures: { ...result, ...(others && { shapes: others.steps, pin: others.pin }) },
      message: `${[stagesText(result), ...(others ? [shapesText(others)] : [])].join("\n\n")}\n`,
    }),
  });
}

export async function benchViewCommand({ mesh, quantity, json, ...request }: ViewOptions): Promise<number> {
  requireMeshSize(mesh);
  const quantities = quantity === "all" ? QUANTITIES : [quantity];
  return bench("webgpu", json, {
    study: single("pictures", (gpu) => benchView(gpu, { ...request, cells: mesh, quantities })),
    each: (result) => ({ figures: result, message: viewText(result), indent: 2 }),
  });
}

export const directCommand = ({ json, ...request }: Options<DirectRequest>): Promise<number> =>
  bench("webgpu", json, {
    study: single("direct sums", (gpu) => benchDirect(gpu, request)),
    each: (result) => ({ figures: result, message: directText(result), indent: 2 }),
  });

export async function forceCommand(options: ForceOptions): Promise<number> {
  const { mesh, boundary, backend, levels, pairs, places, oneMesh: mostCells, json } = options;
  requireMeshSize(mesh);
  requireMeshSize(mostCells, "one-mesh");
  if (levels) return levelForce({ cells: mesh, boundary, places, mostCells }, backend, json);
  return bench(backend, json, {
    study: forceStudy(mesh, boundary, pairs),
    whole: (results, adapter) => {
      const text = [
        `Force of a point mass on a ${mesh}³ ${boundary} mesh${pairs ? " with pairs (P³M)" : ""}, on ${adapter}`,
        `${pairs ? "Rms error % / largest %" : "Mean radial error % / rms scatter %"}, by separation in cells`,
        forceText(results, boundary),
      ];
      return { figures: { adapter, mesh, boundary, results }, message: text.join("\n"), indent: 2 };
    },
  });
}

const levelForce = (request: LevelForceRequest, backend: BackendChoice, json: boolean | undefined): Promise<number> =>
  bench(backend, json, {
    study: levelForceStudy(request),
    whole: (results, adapter, leftOut) => {
      const text = [
        `Force of a point mass with levels on a ${request.cells}³ ${request.boundary} mesh, places of the source: ${request.places}, on ${adapter}`,
        "Relative error %, by separation in cells of the finest level\n",
        levelForceText(results),
        ...leftOut.map((why) => `Left out: ${why}`),
      ];
      const figures = { adapter, mesh: request.cells, ...request, results, leftOut };
      return { figures, message: text.join("\n"), indent: 2 };
    },
  });

export async function mondCommand({ mesh, backend, json, ...request }: MondOptions): Promise<number> {
  requireMeshSize(mesh);
  if (mesh < LEAST_MOND_CELLS) {
    const why = "targets keep a distance from the bodies and the faces that a smaller one has no room for";
    throw new GravmeshError("usage", `--mesh ${mesh}: expected at least ${LEAST_MOND_CELLS} cells; ${why}.`);
  }
  return bench(backend, json, {
    study: mondStudy({ ...request, cells: mesh }),
    whole: (results, adapter) => {
      const about = `${request.formulation} by ${request.poisson} on ${mesh}³ isolated cells, on ${adapter}`;
      return { figures: { adapter, mesh, ...request, results }, message: `${about}\n${mondText(results)}`, indent: 2 };
    },
  });
}
