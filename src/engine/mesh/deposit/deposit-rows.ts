/**
 * Deposit by rows: particles in cell order are summed along x, in pencils of 2 × 2 rows, without atomics
 * (deposit-rows.wgsl), and the partial sums of neighbouring pencils added up (deposit-combine.wgsl), a slab of the mesh at a
 * time in the force's space. Each chunk of particles in turn fills a slab: the one in which a pencil begins writes its sums,
 * those in which it goes on add to them, each of which holds the end of one such pencil at most.
 */

import combineKernel from "../../../../wgsl/engine/mesh/deposit/deposit-combine.wgsl";
import ngpKernel from "../../../../wgsl/engine/mesh/deposit/deposit-ngp.wgsl";
import rowsKernel from "../../../../wgsl/engine/mesh/deposit/deposit-rows.wgsl";
import { workgroups } from "../../../foundation/gpu/batch.ts";
import { u32 } from "../../../foundation/gpu/buffers.ts";
import { bindable, type Range } from "../../../foundation/gpu/windows.ts";
import { type Assignment, assignments } from "../../../physics/particles/assignments.ts";
import {
  boundInSections,
  inSections,
  type SlabStarts,
  sectionConstants,
  sectionsOf,
} from "../../gpu-particles/sections.ts";
import { FIELD_GHOSTS, type MeshSlab } from "../field.ts";
import { FORCE_BYTES } from "../force/force-mesh.ts";
import { type DepositStage, type DepositVariant, depositConstants } from "../stage.ts";
import { depositSums } from "./deposit-sums.ts";
import { walkLength } from "./walk.ts";

const GROUP = 64;
/** Rows that the particles of a pencil (2 × 2 rows) reach on an axis. */
const spanOf = (assignment: Assignment) => assignments[assignment].order + 1;
/** Invocations share a pencil in deposit-combine.wgsl, each taking this many x. */
const COMBINED = 8;
/** Bytes of scratch a cell, and of a partial sum. */
const SCRATCH_BYTES = FORCE_BYTES;
const SUM_BYTES = 4;

const SECTION = 7;

/** Planes are those of pencils, two mesh planes each. */
interface Slab {
  first: number;
  count: number;
  /** Planes whose particles reach them. */
  planes: number;
}

/** Planes of pencils in planes of the mesh. */
const pencilPlanes = ({ first, planes }: Pick<SlabStarts, "first" | "planes">): Range => {
  return { first: first / 2, count: planes / 2 };
};

/**
 * Slabs of equal size (the last may be smaller) whose partial sums fit the scratch, or what of it can be bound [bytes], of
 * the planes of pencils `within`; `span` rows from a pencil, an axis. None where not even one plane's fit.
 */
export function slabs(
  cells: number,
  span: number,
  room = SCRATCH_BYTES * cells ** 3,
  within: Range = { first: 0, count: cells / 2 },
): Slab[] {
  const all = cells / 2;
  const planes = (count: number) => Math.min(all, count + span - 2);
  const fits = (count: number) => SUM_BYTES * span ** 2 * planes(count) * all * cells <= room;
  if (!fits(1)) return [];
  let parts = 1;
  while (!fits(Math.ceil(within.count / parts))) parts++;
  const size = Math.ceil(within.count / parts);
  return Array.from({ length: Math.ceil(within.count / size) }, (_, part) => {
    const first = within.first + part * size;
    const count = Math.min(size, within.first + within.count - first);
    return { first, count, planes: planes(count) };
  });
}

/** Those of a slab of the mesh; particles in sections have a seam behind a slab's partial sums. */
function slabsOf(slab: MeshSlab, { gpu, particles, mesh, settings: { cells, assignment } }: DepositStage): Slab[] {
  if (depositSums[assignment].rows === "cells") return [];
  const span = spanOf(assignment);
  const seam = inSections(particles, mesh.starts) ? SUM_BYTES * span ** 2 * cells : 0;
  return slabs(cells, span, bindable(gpu.device, slab.force).size - seam, pencilPlanes(slab));
}

/** Whether particles and mesh in sections can be deposited by rows. */
export function rowsFit(stage: DepositStage): boolean {
  return stage.mesh.slabs.every((slab) => slabsOf(slab, stage).length > 0);
}

/** Whether a slab takes anything from the planes of a slab of the mesh. */
function reaches(slab: SlabStarts, { first, planes }: Slab, cells: number): boolean {
  const all = cells / 2;
  const own = pencilPlanes(slab);
  const places = Array.from({ length: planes }, (_, k) => (first - 1 + k + all) % all);
  return places.some((plane) => plane >= own.first && plane < own.first + own.count);
}

export async function rowDeposit(stage: DepositStage): Promise<DepositVariant> {
  const { gpu, particles, mesh, settings } = stage;
  const { cells, assignment } = settings;
  const sums = depositSums[assignment].rows;
  if (sums === "cells") return cellDeposit(stage);
  if (!sums || !rowsFit(stage)) throw new Error("there is no room for the partial sums of a deposit by rows");
  const walk = walkLength(cells);
  const constants = { ...depositConstants(stage), WALK: walk, SPREAD: `${gpu.threads}u` };
  const [rows, combine] = await Promise.all([
    gpu.kernel({
      label: `deposit/rows ${assignment}`,
      sources: [rowsKernel, sums],
      entry: "rows",
      constants: { ...constants, ...sectionConstants(particles, mesh.starts, SECTION) },
    }),
    gpu.kernel({
      label: `deposit/combine ${assignment}`,
      sources: [combineKernel],
      entry: "combine",
      constants: { ...constants, GHOSTS: mesh.slabs[0].cut ? FIELD_GHOSTS : 0 },
    }),
  ]);
  const own = gpu.buffers.pool();
  const sections = sectionsOf(own, particles, mesh.starts);
  const pencils = (planes: number) => (cells / 2) * planes;
  const steps = mesh.slabs.flatMap((meshSlab) => {
    const { field, high, force } = meshSlab;
    const scratch = bindable(gpu.device, force);
    return slabsOf(meshSlab, stage).map((slab) => {
      const { first, count, planes } = slab;
      const uniform = own.uniform("deposit slab", u32(first, count, planes, pencilPlanes(meshSlab).first));
      const reaching = sections.filter((section) => reaches(mesh.starts.slabs[section.slab], slab, cells));
      return {
        rows: boundInSections(rows, particles, reaching, ({ positions, ids, massUnits }, { starts }) => {
          return [uniform, positions, ids, massUnits, starts, scratch, high];
        }),
        rowGroups: workgroups((pencils(planes) * cells) / walk, GROUP),
        combine: combine.bind(uniform, scratch, field, high),
        combineGroups: workgroups((pencils(count) * cells) / COMBINED, GROUP),
      };
    });
  });
  return {
    encode(batch) {
      for (const { high } of mesh.slabs) batch.clear(high);
      for (const step of steps) {
        for (const section of step.rows) batch.dispatch(section[particles.current], step.rowGroups);
        batch.dispatch(step.combine, step.combineGroups);
      }
    },
    destroy: () => own.destroyAll(),
  };
}

/** NGP: a cell's mass is that of its own particles. */
async function cellDeposit(stage: DepositStage): Promise<DepositVariant> {
  const { gpu, particles, mesh, settings } = stage;
  const kernel = await gpu.kernel({
    label: "deposit/cells ngp",
    sources: [ngpKernel],
    entry: "cells",
    constants: depositConstants(stage),
  });
  const bound = particles.eachHalf(({ ids, massUnits }) =>
    kernel.bind(ids, massUnits, mesh.cellStart, mesh.field, mesh.high),
  );
  const groups = workgroups(settings.cells ** 3, GROUP);
  return { encode: (batch) => void batch.clear(mesh.high).dispatch(bound[particles.current], groups) };
}
