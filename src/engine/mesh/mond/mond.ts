/**
 * What modified gravity takes of the mesh: the interpolating function as WGSL, the reference of an isolated mesh on the GPU
 * (physics/mond/reference-field.ts), mass and centre of mass.
 */
import beyondWgsl from "../../../../wgsl/engine/mesh/mond/beyond-box.wgsl";
import centreWgsl from "../../../../wgsl/engine/mesh/mond/mond-centre.wgsl";
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { type Pass, workgroups } from "../../../foundation/gpu/batch.ts";
import { type BufferPool, f32, USAGE, u32 } from "../../../foundation/gpu/buffers.ts";
import type { WgslSource } from "../../../foundation/gpu/compose.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import { BEYOND_WORDS, beyondBox, CUBES_PER_SIDE, FIELD_STEP, seriesTerms } from "../../../physics/mond/beyond-box.ts";
import { interpolatingFunctions } from "../../../physics/mond/interpolation.ts";
import {
  mondReferenceSoftening,
  newtonianExternal,
  referenceField,
  type SmoothExcess,
} from "../../../physics/mond/reference-field.ts";
import type { MondSettings } from "../../../physics/mond/settings.ts";
import { FIELD_GHOSTS, type MeshBuffers } from "../field.ts";
import type { PoissonProblem } from "../poisson/poisson-solver.ts";

const GROUP = 64;
const BYTES = 4;
/** Of a column of cells: a vector and a matrix (net-force.ts). */
export const NET_FORCE_BYTES = 64;

/** What is held besides the potentials: sums of columns, and points beyond the box with their weights. */
export const mondBytes = (cells: number) => ({
  mesh: (2 * BYTES * CUBES_PER_SIDE + NET_FORCE_BYTES) * cells ** 2,
  other: BYTES * BEYOND_WORDS,
});

/** ν − 1 as a function of WGSL. */
export function interpolationSource({ interpolation }: MondSettings): WgslSource {
  const { nuMinusOne } = interpolatingFunctions[interpolation].wgsl;
  return {
    path: "src/physics/mond/interpolation.ts",
    text: `fn nuMinusOne(y: f32) -> f32 {\n  return ${nuMinusOne};\n}`,
  };
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
  return { path: "src/physics/mond/interpolation.ts", text: functions.join("\n") };
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

/**
 * Passes from mass words to `masses` [mass units], slab by slab, to vec4f (centre of mass [cells], mass units), and of an isolated mesh
 * to the series of phantom matter beyond the box [velocity²] (physics/mond/beyond-box.ts).
 */
export async function massPasses(
  gpu: GpuContext,
  pool: BufferPool,
  mesh: MeshBuffers,
  { masses, problem, mond }: { masses: readonly GPUBuffer[]; problem: PoissonProblem; mond: MondSettings },
): Promise<{ centre: GPUBuffer; series: GPUBuffer; passes: Pass[] }> {
  const { cells: n, pitch, slabs } = mesh;
  const centre = pool.storage("centre of mass", 4 * BYTES, "other", USAGE.UNIFORM);
  const blocks = pool.storage("mass of blocks", 4 * BYTES * CUBES_PER_SIDE ** 3, "other");
  const series = pool.storage("series of phantom matter", BYTES * seriesTerms.length, "other");
  const sums = pool.storage("masses of columns", 2 * BYTES * CUBES_PER_SIDE * n * n, "mesh");
  await pool.settle();
  const constants = { CELLS: n, PITCH: pitch, BLOCKS: `${CUBES_PER_SIDE}u` };
  const kernel = (entry: string) => gpu.kernel({ label: `mond/${entry}`, sources: [centreWgsl], entry, constants });
  const [columns, gather, total] = await Promise.all(["columns", "gather", "centre"].map(kernel));
  const passes = slabs.map(({ first, planes, cut, field, high }, s): Pass => {
    const range = pool.uniform("planes", u32(first, planes, ghostRows(mesh, cut)));
    const bound = columns.bind(range, field, high, sums, centre, masses[s], blocks);
    return { kernel: bound, groups: workgroups(CUBES_PER_SIDE * planes * n, GROUP) };
  });
  const [{ field, high }] = slabs;
  const none = pool.uniform("planes", u32(0, 0, 0));
  const all = [none, field, high, sums, centre, masses[0], blocks] as const;
  passes.push({ kernel: gather.bind(...all), groups: workgroups(CUBES_PER_SIDE ** 3, GROUP) });
  passes.push({ kernel: total.bind(...all), groups: [1, 1] });
  if (problem.boundary === "periodic") return { centre, series, passes };
  const { boxSize, G, massUnit } = problem;
  const { points, weights } = beyondBox(n, boxSize);
  const count = points.length / 4;
  const beyond = await Promise.all(
    ["sources", "series"].map((entry) =>
      gpu.kernel({ label: `mond/${entry}`, sources: [interpolationSource(mond), beyondWgsl], entry, constants }),
    ),
  );
  const softening = mondReferenceSoftening(n);
  const held = [
    pool.uniform("beyond", [
      ...f32(...newtonianExternal(mond), 1 / mond.a0),
      ...f32((G * massUnit) / boxSize ** 2, softening ** 2, FIELD_STEP),
    ]),
    pool.upload("points beyond the box", Float32Array.from(points), "other"),
    pool.upload("weights of points", Float32Array.from(weights), "other"),
    ...[blocks, centre, pool.storage("sources beyond the box", BYTES * count, "other"), series],
  ];
  const [sources, terms] = beyond.map((one) => one.bind(...held));
  passes.push(
    { kernel: sources, groups: workgroups(count, GROUP) },
    { kernel: terms, groups: [seriesTerms.length, 1] },
  );
  return { centre, series, passes };
}
