/**
 * Deposit by 64-bit integer atomics (deposit-atomic.wgsl): "direct", a particle an invocation, needs no order;
 * "runs-8" and "runs-32", an invocation sums a run of particles before it touches the mesh, for particles in order.
 */

import atomicKernel from "../../wgsl/mesh/deposit-atomic.wgsl";
import cicColumns from "../../wgsl/mesh/deposit-atomic-cic.wgsl";
import ngpColumns from "../../wgsl/mesh/deposit-atomic-ngp.wgsl";
import tscColumns from "../../wgsl/mesh/deposit-atomic-tsc.wgsl";
import { workgroups } from "../gpu/batch.ts";
import { type AtomicShapeName, type DepositShape, type DepositStage, depositConstants } from "./deposit-shape.ts";

const GROUP = 64;
/** Particles that an invocation takes. */
const RUN = { direct: 1, "runs-8": 8, "runs-32": 32 } as const;
const COLUMNS = { ngp: ngpColumns, cic: cicColumns, tsc: tscColumns } as const;

export async function atomicDeposit(stage: DepositStage, name: AtomicShapeName): Promise<DepositShape> {
  const { gpu, particles, mesh, settings } = stage;
  const kernel = await gpu.kernel({
    label: `deposit/${name} ${settings.assignment}`,
    sources: [atomicKernel, COLUMNS[settings.assignment]],
    entry: "deposit",
    constants: { ...depositConstants(stage), RUN: RUN[name] },
  });
  const bound = particles.eachHalf(({ positions, ids, massUnits, images }) =>
    kernel.bind(positions, ids, massUnits, mesh.field, mesh.high, images),
  );
  const groups = workgroups(Math.ceil(particles.count / RUN[name]), GROUP);
  return {
    name,
    encode: (batch) => batch.clear(mesh.field).clear(mesh.high).dispatch(bound[particles.current], groups),
  };
}
