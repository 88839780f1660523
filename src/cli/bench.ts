/** `gravmesh bench`: what it measures on the adapter that a run would use; the papers' suites are in suite.ts. */
import { benchDirect, type DirectRequest, directText } from "../bench/direct.ts";
import { benchForce, type ForceResult, forceText, SCHEMES } from "../bench/force.ts";
import { benchStages, type StagesRequest, stagesText } from "../bench/stages.ts";
import { isMeshSize, nearestMeshSizes } from "../deck/mesh-sizes.ts";
import { GravmeshError } from "../errors.ts";
import type { Boundary } from "../particles/box.ts";
import { chooseEngine } from "../run/engine.ts";
import { EXIT } from "../run/failure.ts";
import { adapterText } from "../run/instrument.ts";
import { version } from "../version.ts";

export interface StagesOptions extends Omit<StagesRequest, "cells" | "particles"> {
  mesh: number[];
  particles?: number;
  json?: boolean;
}

export interface DirectOptions extends DirectRequest {
  json?: boolean;
}

export interface ForceOptions {
  mesh: number;
  boundary: Boundary;
  backend: "webgpu" | "cpu";
  json?: boolean;
}

function requireMeshSize(cells: number): void {
  if (isMeshSize(cells)) return;
  const near = nearestMeshSizes(cells).join(" and ");
  throw new GravmeshError("usage", `--mesh ${cells}: expected 2^k or 3·2^k cells. Nearest valid sizes: ${near}.`);
}

/** Prints a table a mesh size, or one JSON object a line. */
export async function stagesCommand({ mesh, json, ...request }: StagesOptions): Promise<number> {
  mesh.forEach(requireMeshSize);
  const { gpu } = await chooseEngine("webgpu");
  try {
    for (const cells of mesh) {
      const result = await benchStages(gpu!, { ...request, cells });
      const line = JSON.stringify({ gravmesh: version, date: new Date().toISOString(), ...result });
      process.stdout.write(json ? `${line}\n` : `${stagesText(result)}\n\n`);
    }
  } finally {
    gpu?.destroy();
  }
  return EXIT.success;
}

/** Prints the tables of shapes and of few targets, or JSON. */
export async function directCommand({ json, ...request }: DirectOptions): Promise<number> {
  const { gpu } = await chooseEngine("webgpu");
  try {
    const result = await benchDirect(gpu!, request);
    const about = { gravmesh: version, date: new Date().toISOString() };
    process.stdout.write(json ? `${JSON.stringify({ ...about, ...result }, null, 2)}\n` : `${directText(result)}\n`);
  } finally {
    gpu?.destroy();
  }
  return EXIT.success;
}

/** Prints the table of schemes, or JSON. */
export async function forceCommand({ mesh, boundary, backend, json }: ForceOptions): Promise<number> {
  requireMeshSize(mesh);
  const { gpu } = await chooseEngine(backend);
  const adapter = adapterText(gpu);
  try {
    const results: ForceResult[] = [];
    for (const scheme of SCHEMES[boundary]) results.push(await benchForce(gpu, mesh, boundary, scheme));
    const about = { gravmesh: version, date: new Date().toISOString(), adapter, mesh, boundary };
    const text = [
      `Force of a point mass on a ${mesh}³ ${boundary} mesh, on ${adapter}`,
      "Mean radial error % / rms scatter %, by separation in cells",
      forceText(results, boundary),
    ].join("\n");
    process.stdout.write(json ? `${JSON.stringify({ ...about, results }, null, 2)}\n` : `${text}\n`);
  } finally {
    gpu?.destroy();
  }
  return EXIT.success;
}
