/**
 * What modified gravity takes of the mesh: the interpolating function as WGSL, the reference of an isolated mesh on the GPU
 * (mond/reference-field.ts), mass and centre of mass.
 */
import centreWgsl from "../../wgsl/mesh/mond-centre.wgsl";
import { GravmeshError } from "../base/errors.ts";
import { type Pass, workgroups } from "../gpu/batch.ts";
import { type BufferPool, USAGE, u32 } from "../gpu/buffers.ts";
import type { WgslSource } from "../gpu/compose.ts";
import type { GpuContext } from "../gpu/context.ts";
import { interpolatingFunctions } from "../mond/interpolation.ts";
import { referenceField, type SmoothExcess } from "../mond/reference-field.ts";
import type { MondSettings } from "../mond/settings.ts";
import { FIELD_GHOSTS, type MeshBuffers } from "./field.ts";
import type { PoissonProblem } from "./poisson-solver.ts";

const GROUP = 64;
const BYTES = 4;

/** ν − 1 as a function of WGSL. */
export function interpolationSource({ interpolation }: MondSettings): WgslSource {
  const { nuMinusOne } = interpolatingFunctions[interpolation].wgsl;
  return { path: "src/mond/interpolation.ts", text: `fn nuMinusOne(y: f32) -> f32 {\n  return ${nuMinusOne};\n}` };
}

/** μ and d ln μ/d ln x as functions of WGSL, where there is a closed form. */
export function muSource({ interpolation }: MondSettings): WgslSource {
  const { wgsl } = interpolatingFunctions[interpolation];
  if (!("mu" in wgsl))
    throw new GravmeshError("scenario", `mond.interpolation = "${interpolation}" has no μ in closed form`);
  const functions = [
    `fn muOf(x: f32) -> f32 {\n  return ${wgsl.mu};\n}`,
    `fn muSlopeOf(x: f32) -> f32 {\n  return ${wgsl.muSlope};\n}`,
  ];
  return { path: "src/mond/interpolation.ts", text: functions.join("\n") };
}

/** [nodes][orders] of (potential, slope, source, 0) by steps of the radius, both in cells; one zero where the mesh is periodic. */
export function referenceTable(
  cells: number,
  { boundary, boxSize, G, massUnit, totalUnits = 0 }: PoissonProblem,
  mond: MondSettings,
  excess: SmoothExcess,
) {
  if (boundary === "periodic" || totalUnits === 0) return { values: new Float32Array(8), orders: 1, step: 1 };
  const reference = referenceField(mond, G * massUnit * totalUnits, { boxSize, cells, excess });
  const { orders, step, potential, slope, source } = reference;
  const values = new Float32Array(4 * potential.length);
  const h = boxSize / cells;
  for (let i = 0; i < potential.length; i++) values.set([potential[i], slope[i] * h, source[i]], 4 * i);
  return { values, orders, step: step / h };
}

/** Rows of a slab's field before its own. */
export const ghostRows = ({ cells }: MeshBuffers, cut: boolean): number => (cut ? FIELD_GHOSTS * cells : 0);

/** Passes from mass words to `masses` [mass units], slab by slab, and to vec4f (centre of mass [cells], mass units). */
export async function centrePasses(
  gpu: GpuContext,
  pool: BufferPool,
  mesh: MeshBuffers,
  masses: readonly GPUBuffer[],
): Promise<{ centre: GPUBuffer; passes: Pass[] }> {
  const { cells: n, pitch, slabs } = mesh;
  const centre = pool.storage("centre of mass", 4 * BYTES, "other", USAGE.UNIFORM);
  const sums = pool.storage("masses of columns", 2 * BYTES * n * n, "mesh");
  await pool.settle();
  const kernel = (entry: string) =>
    gpu.kernel({
      label: `mond/${entry}`,
      sources: [centreWgsl],
      entry,
      constants: { CELLS: n, PITCH: pitch },
    });
  const [columns, total] = await Promise.all([kernel("columns"), kernel("centre")]);
  const passes = slabs.map(({ first, planes, cut, field, high }, s): Pass => {
    const range = pool.uniform("planes", u32(first, planes, ghostRows(mesh, cut)));
    return { kernel: columns.bind(range, field, high, sums, centre, masses[s]), groups: workgroups(planes * n, GROUP) };
  });
  const [{ field, high }] = slabs;
  const none = pool.uniform("planes", u32(0, 0, 0));
  passes.push({ kernel: total.bind(none, field, high, sums, centre, masses[0]), groups: [1, 1] });
  return { centre, passes };
}
