/**
 * Deposit by row windows: particles in cell order are summed along x, in pencils of 2 × 2 rows, without atomics
 * (deposit-rows.wgsl), and the partial sums of neighbouring pencils added up (deposit-combine.wgsl). The partial sums live in the force's space,
 * which takes them for a slab of the mesh at a time.
 */

import combineKernel from "../../wgsl/mesh/deposit-combine.wgsl";
import ngpKernel from "../../wgsl/mesh/deposit-ngp.wgsl";
import rowsKernel from "../../wgsl/mesh/deposit-rows.wgsl";
import cicWalk from "../../wgsl/mesh/deposit-rows-cic.wgsl";
import tscWalk from "../../wgsl/mesh/deposit-rows-tsc.wgsl";
import { workgroups } from "../gpu/batch.ts";
import { u32 } from "../gpu/buffers.ts";
import { bindable } from "../gpu/windows.ts";
import { type DepositShape, type DepositStage, depositConstants } from "./deposit-shape.ts";
import { FORCE_BYTES } from "./field.ts";
import { walkLength } from "./walk.ts";

const GROUP = 64;
/** Rows that the particles of a pencil (2 × 2 rows) reach on an axis. */
const SPAN = { cic: 3, tsc: 4 } as const;
/** Invocations share a pencil in deposit-combine.wgsl, each taking this many x. */
const COMBINED = 8;
/** Bytes of scratch a cell, and of a partial sum. */
const SCRATCH_BYTES = FORCE_BYTES;
const SUM_BYTES = 4;

/** Planes are those of pencils, two mesh planes each. */
interface Slab {
  /** First plane, and how many. */
  first: number;
  count: number;
  /** Planes whose particles reach them. */
  planes: number;
}

/**
 * Slabs of equal size (the last may be smaller) whose partial sums fit the scratch, or what of it can be bound [bytes];
 * `span` rows from a pencil, an axis.
 */
export function slabs(cells: number, span: number, room = SCRATCH_BYTES * cells ** 3): Slab[] {
  const all = cells / 2;
  const planes = (count: number) => Math.min(all, count + span - 2);
  const fits = (count: number) => span ** 2 * SUM_BYTES * planes(count) * all * cells <= room;
  let parts = 1;
  while (!fits(Math.ceil(all / parts))) parts++;
  const size = Math.ceil(all / parts);
  return Array.from({ length: Math.ceil(all / size) }, (_, part) => {
    const first = part * size;
    const count = Math.min(size, all - first);
    return { first, count, planes: planes(count) };
  });
}

export async function rowDeposit(stage: DepositStage): Promise<DepositShape> {
  const { gpu, particles, mesh, settings } = stage;
  const { cells, assignment } = settings;
  if (assignment === "ngp") return cellDeposit(stage);
  const window = walkLength(cells);
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
  const scratch = bindable(gpu.device, mesh.force);
  const steps = slabs(cells, SPAN[assignment], scratch.size).map(({ first, count, planes }) => {
    const slab = gpu.buffers.uniform("deposit slab", u32(first, count, planes));
    parameters.push(slab);
    return {
      rows: particles.eachHalf(({ positions, ids, massUnits }) =>
        rows.bind(slab, positions, ids, massUnits, mesh.cellStart, scratch, mesh.high),
      ),
      rowGroups: workgroups(((cells / 2) * planes * cells) / window, GROUP),
      combine: combine.bind(slab, scratch, mesh.field, mesh.high),
      combineGroups: workgroups(((cells / 2) * count * cells) / COMBINED, GROUP),
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
