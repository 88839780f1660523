/**
 * AQUAL on the GPU (Bekenstein & Milgrom 1984; in float64 with the equations: engine/reference/mesh/aqual.ts): deposited mass in `field` and
 * `high` → modified potential in `field`, by the full approximation scheme from QUMOND's potential, which is the boundary of an
 * isolated mesh, too. The levels have buffers of their own, 14 bytes a cell in all.
 */
import aqualWgsl from "../../../../wgsl/engine/mesh/mond/aqual.wgsl";
import { GravmeshError } from "../../../foundation/base/errors.ts";
import { type Pass, workgroups } from "../../../foundation/gpu/batch.ts";
import { type BufferPool, f32, u32 } from "../../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { BufferSlice } from "../../../foundation/gpu/kernel.ts";
import { boundaryDecay } from "../../../physics/mond/external-boundary.ts";
import type { MondSettings } from "../../../physics/mond/settings.ts";
import type { MeshBuffers } from "../field.ts";
import { runLength } from "../multigrid/multigrid-levels.ts";
import { meanWords } from "../poisson/poisson-periodic.ts";
import type { PoissonProblem } from "../poisson/poisson-solver.ts";
import { allLevelSizes, COARSEST_SWEEPS, leastX, type MultigridSettings, notConverged } from "./aqual-settings.ts";
import { muSource } from "./mond.ts";
import { type Qumond, recorded } from "./qumond.ts";

const GROUP = 64;
const BYTES = 4;
/** Cells along x of an invocation that relaxes. */
const RUN = { processor: 32, gpu: 2 };
const COLOURS = 4;

interface LevelBuffers {
  cells: number;
  phi: GPUBuffer;
  old: GPUBuffer;
  source: GPUBuffer;
}

interface Passes {
  loadSource: Pass[];
  /** QUMOND's potential and the boundary. */
  begin: Pass[];
  cycle: Pass[];
  measure: Pass[];
  store: Pass[];
  totals: GPUBuffer;
}

/** Solves AQUAL after QUMOND, to a tolerance where there is one: then it is asked for after every cycle, and may throw "numerical". */
export async function addAqual(
  gpu: GpuContext,
  mesh: MeshBuffers,
  problem: PoissonProblem,
  { mond, multigrid, qumond }: { mond: MondSettings; multigrid: MultigridSettings; qumond: Qumond },
): Promise<void> {
  if (mesh.slabs.length > 1) {
    const expected = 'mond.formulation = "aqual": expected a mesh in one piece, which this device doesn\'t bind';
    throw new GravmeshError(
      "memory",
      `${expected}, found ${mesh.slabs.length} slabs; try fewer mesh.cells, or "qumond"`,
    );
  }
  const { centre, pool } = qumond.held;
  const levels = allLevelSizes(mesh.cells).map((cells): LevelBuffers => {
    const [phi, old, source] = ["potential", "first potential", "source"].map((name) =>
      pool.storage(`aqual ${name}`, BYTES * (cells + 2) ** 3, "mesh"),
    );
    return { cells, phi, old, source };
  });
  await pool.settle();
  const passes = await passesOf(gpu, pool, mesh, { problem, mond, multigrid, levels, centre });
  const { tolerance, maxCycles } = multigrid;
  qumond.stages.unshift(recorded((batch) => batch.passes(passes.loadSource)));
  qumond.stages.push({
    needsHost: tolerance > 0,
    encode(batch) {
      batch.passes(passes.begin);
      for (let cycle = 0; cycle < maxCycles; cycle++) batch.passes(passes.cycle);
      batch.passes(passes.store);
    },
    async run() {
      const batch = () => gpu.batch("aqual").stage("poisson");
      await batch().passes(passes.begin).submit();
      /** Over the source's rms. */
      const residuals: number[] = [];
      for (let cycle = 0; cycle < maxCycles && !(residuals[cycle - 1] <= tolerance); cycle++) {
        await batch().passes(passes.cycle).submit();
        const [source, residual] = new Float32Array(await batch().passes(passes.measure).readBack(passes.totals));
        residuals.push(source === 0 ? 0 : Math.sqrt(residual / source));
      }
      if (!(residuals.at(-1)! <= tolerance)) throw notConverged(residuals, maxCycles, multigrid);
      await batch().passes(passes.store).submit();
    },
  });
}

interface Given {
  problem: PoissonProblem;
  mond: MondSettings;
  multigrid: MultigridSettings;
  levels: readonly LevelBuffers[];
  centre: GPUBuffer;
}

async function passesOf(
  gpu: GpuContext,
  pool: BufferPool,
  mesh: MeshBuffers,
  { problem, mond, multigrid, levels, centre }: Given,
): Promise<Passes> {
  const { boundary, boxSize, G, massUnit, totalUnits = 0 } = problem;
  const isolated = boundary === "isolated";
  const { field, high, pitch, cells } = mesh;
  const wanted = gpu.adapter.software ? RUN.processor : RUN.gpu;
  const mean = pool.uniform("mean mass", u32(...(isolated ? [0, 0] : meanWords(totalUnits, cells))));
  const totals = pool.storage("aqual residual", 2 * BYTES, "other");
  const partials = pool.storage("aqual rows", 2 * BYTES * cells ** 2, "mesh");
  await pool.settle();
  const decay = boundaryDecay(mond, G * massUnit * totalUnits, boxSize);
  const uniform = (l: number, colour = 0) => {
    const n = levels[l].cells;
    const h = boxSize / n;
    const wall = (2 ** l - 1) / (2 ** l + 1);
    const unit = (4 * Math.PI * G * massUnit) / h ** 3;
    return pool.uniform("aqual level", [
      ...u32(n, colour, runLength(n, wanted), levels[l + 1]?.cells ?? 0),
      ...f32(1 / h, wall, unit, leastX(mond, G * massUnit * totalUnits, boxSize)),
      ...f32(...mond.externalField, 1 / mond.a0, G * massUnit, h, decay, 0.5 ** l),
    ]);
  };
  const constants = { ISOLATED: isolated, PITCH: pitch };
  const kernel = (entry: string, finest = false) =>
    gpu.kernel({
      ...{ label: `aqual/${entry}`, sources: [muSource(mond), aqualWgsl], entry },
      constants: { ...constants, FINEST: finest },
    });
  const entries = ["relax", "ghosts", "guess", "restrictLevel", "remember", "prolong"] as const;
  const finestEntries = ["boundary", "loadSource", "loadPotential", "store", "measure", "total"] as const;
  const [kernels, finestKernels] = await Promise.all([
    Promise.all(entries.map((entry) => kernel(entry))),
    Promise.all(finestEntries.map((entry) => kernel(entry, true))),
  ]);
  const [relax, ghosts, guess, restrict, remember, prolong] = kernels;
  /** A pass over so many invocations of a level, and what stands in the place of the coarser one. */
  const pass = (
    on: (typeof kernels)[number],
    l: number,
    count: number,
    { colour = 0, beside }: { colour?: number; beside?: readonly BufferSlice[] } = {},
  ): Pass => {
    const { phi, old, source } = levels[l];
    const other = levels[l + 1] ?? levels[0];
    const others = beside ?? [other.phi, other.old, other.source];
    const bound = on.bind(uniform(l, colour), phi, old, source, mean, ...others, centre);
    return { kernel: bound, groups: workgroups(count, GROUP) };
  };
  const shell = (l: number) => 6 * (levels[l].cells + 2) ** 2;
  const withGhosts = (l: number): Pass[] => (isolated && l === 0 && decay === 0 ? [] : [pass(ghosts, l, shell(l))]);
  const relaxed = (l: number, sweeps: number): Pass[] => {
    const n = levels[l].cells;
    const sweep = Array.from({ length: COLOURS }, (_, colour) => [
      ...withGhosts(l),
      pass(relax, l, n ** 3 / 2 / runLength(n, wanted), { colour }),
    ]).flat();
    return Array.from({ length: sweeps }, () => sweep).flat();
  };
  const cycle = (l: number): Pass[] => {
    if (l === levels.length - 1) return relaxed(l, COARSEST_SWEEPS);
    const [n, m] = [levels[l].cells, levels[l + 1].cells];
    const { phi, old, source } = levels[l];
    const finer = { beside: [phi, old, source] };
    return [
      ...relaxed(l, multigrid.presmooth),
      ...withGhosts(l),
      pass(restrict, l, m ** 3),
      isolated ? pass(guess, l + 1, shell(l + 1), finer) : pass(ghosts, l + 1, shell(l + 1)),
      pass(remember, l + 1, (m + 2) ** 3),
      ...cycle(l + 1),
      ...withGhosts(l + 1),
      pass(prolong, l, n ** 3),
      ...relaxed(l, multigrid.postsmooth),
    ];
  };
  const [boundaryKernel, loadSource, loadPotential, store, measure, total] = finestKernels;
  const inField = { beside: [field, high, totals] };
  const toTotals = { beside: [field, partials, totals] };
  return {
    loadSource: [pass(loadSource, 0, cells ** 3 / 2, inField)],
    begin: [
      pass(loadPotential, 0, cells ** 3, inField),
      ...(isolated ? [pass(boundaryKernel, 0, shell(0), inField)] : []),
    ],
    cycle: cycle(0),
    measure: [
      ...withGhosts(0),
      pass(measure, 0, cells ** 2, toTotals),
      { ...pass(total, 0, 1, toTotals), groups: [1, 1] },
    ],
    store: [pass(store, 0, cells ** 3, inField)],
    totals,
  };
}
