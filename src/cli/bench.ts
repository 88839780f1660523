/** `gravmesh bench`: what it measures on the adapter that a run would use; the papers' suites are in suite.ts. */

import { GravmeshError } from "../base/errors.ts";
import { version } from "../base/version.ts";
import { benchDirect, type DirectRequest, directText } from "../bench/direct.ts";
import { benchForce, type ForceResult, forceText, schemesOf } from "../bench/force.ts";
import { benchLevelForce, type LevelForceRequest, levelForceText } from "../bench/level-force.ts";
import { benchMond, type MondRequest, mondText } from "../bench/mond.ts";
import { benchShapes, shapesText } from "../bench/shapes.ts";
import { benchStages, type StagesRequest, stagesText } from "../bench/stages.ts";
import { benchView, type ViewRequest, viewText } from "../bench/view.ts";
import { isMeshSize, nearestMeshSizes } from "../deck/mesh-sizes.ts";
import type { GpuContext } from "../gpu/context.ts";
import type { Boundary } from "../particles/box.ts";
import { chooseEngine } from "../run/engine.ts";
import { EXIT } from "../run/failure.ts";
import { adapterText } from "../run/instrument.ts";
import type { BackendChoice } from "../simulation/simulation.ts";
import { QUANTITIES, type Quantity } from "../view/view.ts";

type Options<T> = T & { json?: boolean };
/** `shapes`: with every variant of each kernel, too. */
type StagesOptions = Options<Omit<StagesRequest, "cells"> & { mesh: number[]; shapes?: boolean }>;
type ViewOptions = Options<Omit<ViewRequest, "cells" | "quantities"> & { mesh: number; quantity: Quantity | "all" }>;
type MondOptions = Options<Omit<MondRequest, "cells"> & { mesh: number; backend: "webgpu" | "cpu" }>;
type ForceOptions = Options<{ mesh: number; boundary: Boundary; backend: "webgpu" | "cpu" }> & {
  levels?: boolean;
  places: number;
  oneMesh: number;
};

function requireMeshSize(cells: number, option = "mesh"): void {
  if (isMeshSize(cells)) return;
  const near = nearestMeshSizes(cells).join(" and ");
  throw new GravmeshError("usage", `--${option} ${cells}: expected 2^k or 3·2^k cells. Nearest valid sizes: ${near}.`);
}

/** Measures on an engine and destroys it; resolves to the exit code. */
async function on(backend: BackendChoice, measure: (gpu: GpuContext | undefined) => Promise<void>): Promise<number> {
  const { gpu } = await chooseEngine(backend);
  try {
    await measure(gpu);
  } finally {
    gpu?.destroy();
  }
  return EXIT.success;
}

function print(json: boolean | undefined, figures: object, text: string, indent?: number): void {
  const about = { gravmesh: version, date: new Date().toISOString() };
  process.stdout.write(`${json ? JSON.stringify({ ...about, ...figures }, null, indent) : text}\n`);
}

export async function stagesCommand({ mesh, shapes, json, ...request }: StagesOptions): Promise<number> {
  for (const cells of mesh) requireMeshSize(cells);
  return on("webgpu", async (gpu) => {
    for (const cells of mesh) {
      const result = await benchStages(gpu!, { ...request, cells });
      const others = shapes && (await benchShapes(gpu!, { ...request, cells }));
      const texts = [stagesText(result), ...(others ? [shapesText(others)] : [])];
      print(json, { ...result, ...(others && { shapes: others.steps, pin: others.pin }) }, `${texts.join("\n\n")}\n`);
    }
  });
}

export function viewCommand({ mesh, quantity, json, ...request }: ViewOptions): Promise<number> {
  requireMeshSize(mesh);
  const quantities = quantity === "all" ? QUANTITIES : [quantity];
  return on("webgpu", async (gpu) => {
    const result = await benchView(gpu!, { ...request, cells: mesh, quantities });
    print(json, result, viewText(result), 2);
  });
}

export function directCommand({ json, ...request }: Options<DirectRequest>): Promise<number> {
  return on("webgpu", async (gpu) => {
    const result = await benchDirect(gpu!, request);
    print(json, result, directText(result), 2);
  });
}

export async function forceCommand(options: ForceOptions): Promise<number> {
  const { mesh, boundary, backend, levels, places, oneMesh: mostCells, json } = options;
  requireMeshSize(mesh);
  requireMeshSize(mostCells, "one-mesh");
  if (levels) return levelForce({ cells: mesh, boundary, places, mostCells }, backend, json);
  return on(backend, async (gpu) => {
    const adapter = adapterText(gpu);
    const results: ForceResult[] = [];
    for (const scheme of schemesOf(boundary)) results.push(await benchForce(gpu, mesh, boundary, scheme));
    const text = [
      `Force of a point mass on a ${mesh}³ ${boundary} mesh, on ${adapter}`,
      "Mean radial error % / rms scatter %, by separation in cells",
      forceText(results, boundary),
    ];
    print(json, { adapter, mesh, boundary, results }, text.join("\n"), 2);
  });
}

function levelForce(request: LevelForceRequest, backend: BackendChoice, json: boolean | undefined): Promise<number> {
  return on(backend, async (gpu) => {
    const adapter = adapterText(gpu);
    const { results, leftOut } = await benchLevelForce(gpu, request);
    const text = [
      `Force of a point mass with levels on a ${request.cells}³ ${request.boundary} mesh, places of the source: ${request.places}, on ${adapter}`,
      "Relative error %, by separation in cells of the finest level\n",
      levelForceText(results),
      ...leftOut.map((why) => `Left out: ${why}`),
    ];
    print(json, { adapter, mesh: request.cells, ...request, results, leftOut }, text.join("\n"), 2);
  });
}

export function mondCommand({ mesh, backend, json, ...request }: MondOptions): Promise<number> {
  requireMeshSize(mesh);
  return on(backend, async (gpu) => {
    const adapter = adapterText(gpu);
    const results = await benchMond(gpu, { ...request, cells: mesh });
    const about = `${request.formulation} by ${request.poisson} on ${mesh}³ isolated cells, on ${adapter}`;
    print(json, { adapter, mesh, ...request, results }, [about, mondText(results)].join("\n"), 2);
  });
}
