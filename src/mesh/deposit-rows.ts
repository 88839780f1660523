/**
 * Deposit by row windows: particles in cell order are summed along x without atomics (deposit-rows.wgsl), and the
 * partial sums of neighbouring rows added up (deposit-combine.wgsl). The partial sums live in the force's space,
 * which takes them for a slab of the mesh at a time.
 */

import combineKernel from "../../wgsl/mesh/deposit-combine.wgsl";
import ngpKernel from "../../wgsl/mesh/deposit-ngp.wgsl";
import rowsKernel from "../../wgsl/mesh/deposit-rows.wgsl";
import cicWalk from "../../wgsl/mesh/deposit-rows-cic.wgsl";
import tscWalk from "../../wgsl/mesh/deposit-rows-tsc.wgsl";
import { workgroups } from "../gpu/batch.ts";
import { u32 } from "../gpu/buffers.ts";
import { type DepositShape, type DepositStage, depositConstants } from "./deposit-shape.ts";
import { FORCE_BYTES } from "./field.ts";

const GROUP = 64;
/** Rows of particles that a particle's stencil spans on an axis. */
const ROWS = { cic: 2, tsc: 3 } as const;
/** Cells of a window; the largest of these that divides the side. */
const WINDOWS = [32, 16, 8];
/** Invocations share a row in deposit-combine.wgsl, each taking this many cells. */
const COMBINED = 8;
/** Bytes of scratch a cell, and of a partial sum. */
const SCRATCH_BYTES = FORCE_BYTES;
const SUM_BYTES = 4;

interface Slab {
  /** First mesh plane, and how many. */
  first: number;
  count: number;
  /** Planes of particle rows that reach them. */
  planes: number;
}

/** Slabs of equal size (the last may be smaller) whose partial sums fit the scratch. */
export function slabs(cells: number, rows: number): Slab[] {
  const planes = (count: number) => Math.min(cells, count + rows - 1);
  const fits = (count: number) => rows ** 2 * SUM_BYTES * planes(count) <= SCRATCH_BYTES * cells;
  let parts = 1;
  while (!fits(Math.ceil(cells / parts))) parts++;
  const size = Math.ceil(cells / parts);
  return Array.from({ length: Math.ceil(cells / size) }, (_, part) => {
    const first = part * size;
    const count = Math.min(size, cells - first);
    return { first, count, planes: planes(count) };
  });
}

export async function rowDeposit(stage: DepositStage): Promise<DepositShape> {
  const { gpu, particles, mesh, settings } = stage;
  const { cells, assignment } = settings;
  if (assignment === "ngp") return cellDeposit(stage);
  const window = WINDOWS.find((size) => cells % size === 0) ?? 1;
  const constants = { ...depositConstants(stage), WINDOW: window };
  const [rows, combine] = await Promise.all([
    gpu.kernel({
      label: `deposit/rows ${assignment}`,
      sources: [rowsKernel, assignment === "cic" ? cicWalk : tscWalk],
      entry: "rows",
      constants,
    }),
    gpu.kernel({
      label: `deposit/combine ${assignment}`,
      sources: [combineKernel],
      entry: "combine",
      constants,
    }),
  ]);
  const parameters: GPUBuffer[] = [];
  const steps = slabs(cells, ROWS[assignment]).map(({ first, count, planes }) => {
    const slab = gpu.buffers.uniform("deposit slab", u32(first, count, planes));
    parameters.push(slab);
    return {
      rows: particles.eachHalf(({ positions, ids, massUnits }) =>
        rows.bind(slab, positions, ids, massUnits, mesh.cellStart, mesh.force, mesh.high),
      ),
      rowGroups: workgroups((cells ** 2 * planes) / window, GROUP),
      combine: combine.bind(slab, mesh.force, mesh.field, mesh.high),
      combineGroups: workgroups((cells ** 2 * count) / COMBINED, GROUP),
    };
  });
  return {
    name: "rows",
    encode(batch) {
      batch.clear(mesh.high);
      for (const step of steps) {
        batch.dispatch(step.rows[particles.current], step.rowGroups);
        batch.dispatch(step.combine, step.combineGroups);
      }
    },
    destroy: () => gpu.buffers.release(...parameters),
  };
}

/** NGP: a cell's mass is that of its own particles. */
async function cellDeposit(stage: DepositStage): Promise<DepositShape> {
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
  return { name: "rows", encode: (batch) => batch.dispatch(bound[particles.current], groups) };
}
