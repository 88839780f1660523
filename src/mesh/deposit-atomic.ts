/**
 * Deposit by 64-bit integer atomics: "direct", a particle an invocation; "bounded", the same without returned values
 * where the particles around are few (deposit-direct.wgsl); "runs-8" and "runs-128", an invocation sums a run of particles
 * before it touches the mesh (deposit-runs.wgsl), for crowded ones.
 */

import directKernel from "../../wgsl/mesh/deposit-direct.wgsl";
import cicParticle from "../../wgsl/mesh/deposit-particle-cic.wgsl";
import ngpParticle from "../../wgsl/mesh/deposit-particle-ngp.wgsl";
import tscParticle from "../../wgsl/mesh/deposit-particle-tsc.wgsl";
import runsKernel from "../../wgsl/mesh/deposit-runs.wgsl";
import cicSums from "../../wgsl/mesh/deposit-runs-cic.wgsl";
import ngpSums from "../../wgsl/mesh/deposit-runs-ngp.wgsl";
import tscSums from "../../wgsl/mesh/deposit-runs-tsc.wgsl";
import { workgroups } from "../gpu/batch.ts";
import { type AtomicShapeName, type DepositShape, type DepositStage, depositConstants } from "./deposit-shape.ts";

const GROUP = 64;
/** Particles that an invocation takes. */
const RUN = { direct: 1, bounded: 1, "runs-8": 8, "runs-128": 128 } as const;
const PARTICLE = { ngp: ngpParticle, cic: cicParticle, tsc: tscParticle } as const;
const SUMS = { ngp: ngpSums, cic: cicSums, tsc: tscSums } as const;

export async function atomicDeposit(stage: DepositStage, name: AtomicShapeName): Promise<DepositShape> {
  const { gpu, particles, mesh, settings } = stage;
  const { assignment } = settings;
  const run = RUN[name];
  const kernel = await gpu.kernel({
    label: `deposit/${name} ${assignment}`,
    sources: run === 1 ? [directKernel, PARTICLE[assignment]] : [runsKernel, SUMS[assignment]],
    entry: "deposit",
    constants: { ...depositConstants(stage), RUN: run, BOUNDED: name === "bounded" },
  });
  const bound = particles.eachHalf(({ positions, ids, massUnits, images }) =>
    kernel.bind(positions, ids, massUnits, mesh.field, mesh.high, images, mesh.cellStart),
  );
  const groups = workgroups(Math.ceil(particles.count / run), GROUP);
  return {
    name,
    encode: (batch) => batch.clear(mesh.field).clear(mesh.high).dispatch(bound[particles.current], groups),
  };
}
