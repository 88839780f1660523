/**
 * Deposit by 64-bit integer atomics: "direct" for each particle (deposit-direct.wgsl); "runs-8" and "runs-128" sum a run of
 * particles before they touch the mesh (deposit-runs.wgsl), for crowded cells. Where particles or mesh are larger than a
 * binding, a slab takes the particles of its planes and of those beside it, and keeps what is its own.
 */

import sectionPart from "../../wgsl/lib/section.wgsl";
import directKernel from "../../wgsl/mesh/deposit-direct.wgsl";
import cicParticle from "../../wgsl/mesh/deposit-particle-cic.wgsl";
import ngpParticle from "../../wgsl/mesh/deposit-particle-ngp.wgsl";
import tscParticle from "../../wgsl/mesh/deposit-particle-tsc.wgsl";
import runsKernel from "../../wgsl/mesh/deposit-runs.wgsl";
import cicSums from "../../wgsl/mesh/deposit-runs-cic.wgsl";
import ngpSums from "../../wgsl/mesh/deposit-runs-ngp.wgsl";
import tscSums from "../../wgsl/mesh/deposit-runs-tsc.wgsl";
import type { SlabStarts } from "../particles/cells.ts";
import { SectionGroups } from "../particles/section-groups.ts";
import { type Planes, sectionConstants, sectionsOf } from "../particles/sections.ts";
import { type AtomicShapeName, type DepositShape, type DepositStage, depositConstants } from "./deposit-shape.ts";
import { FIELD_GHOSTS } from "./field.ts";

const GROUP = 64;
/** Binding of the section in the kernels. */
const SECTION = 7;
/** Planes of the mesh that a plane of pencils has, the least that particles are known by. */
const PENCIL_PLANES = 2;
/** Particles that an invocation takes. */
const RUN = { direct: 1, "runs-8": 8, "runs-128": 128 } as const;
const PARTICLE = { ngp: ngpParticle, cic: cicParticle, tsc: tscParticle } as const;
const SUMS = { ngp: ngpSums, cic: cicSums, tsc: tscSums } as const;

export async function atomicDeposit(stage: DepositStage, name: AtomicShapeName): Promise<DepositShape> {
  const { gpu, particles, mesh, settings } = stage;
  const { assignment } = settings;
  const run = RUN[name];
  const kernel = await gpu.kernel({
    label: `deposit/${name} ${assignment}`,
    sources: [sectionPart, ...(run === 1 ? [directKernel, PARTICLE[assignment]] : [runsKernel, SUMS[assignment]])],
    entry: "deposit",
    constants: {
      ...depositConstants(stage),
      ...{ RUN: run, GHOSTS: mesh.slabs[0].cut ? FIELD_GHOSTS : 0 },
      ...sectionConstants(particles, mesh.starts, SECTION),
    },
  });
  const own = gpu.buffers.pool();
  const sections = sectionsOf(own, particles, mesh.starts, (slab) => planesThatReach(slab, stage));
  const bound = sections.map(({ window, slab, bindings }) => {
    const { field, high } = mesh.slabs[slab];
    return particles.ofWindow(window, ({ positions, ids, massUnits, images }) =>
      kernel.bind(positions, ids, massUnits, field, high, images, mesh.starts.slabs[slab].starts, ...bindings),
    );
  });
  const groups = await SectionGroups.create(gpu, own, { particles, starts: mesh.starts }, sections, run * GROUP);
  return {
    name,
    encode(batch) {
      for (const { field, high } of mesh.slabs) batch.clear(field).clear(high);
      groups.encode(batch);
      for (const [s, kernel] of bound.entries()) groups.dispatch(batch, kernel[particles.current], s);
    },
    destroy: () => own.destroyAll(),
  };
}

/** The planes of pencils whose particles reach a slab, in ranges that don't go around the box. */
function planesThatReach({ first, planes }: SlabStarts, { settings, particles }: DepositStage): Planes[] {
  const { cells, assignment } = settings;
  if (planes === cells) return [{ from: 0, to: cells }];
  const below = assignment === "ngp" ? 0 : PENCIL_PLANES;
  const above = assignment === "tsc" ? PENCIL_PLANES : 0;
  const [from, to] = [first - below, first + planes + above];
  const ranges = [{ from: Math.max(0, from), to: Math.min(cells, to) }];
  if (particles.boundary === "isolated") return ranges; // nobody inside reaches around
  if (from < 0) ranges.push({ from: from + cells, to: cells });
  if (to > cells) ranges.push({ from: 0, to: to - cells });
  return ranges;
}
