/** Deposit on levels: by atomics, from particles in the order of the box's cells. */
import runsKernel from "../../wgsl/mesh/deposit-runs.wgsl";
import { type Batch, workgroups } from "../gpu/batch.ts";
import { sectionConstants } from "../particles/sections.ts";
import { DEPOSIT_SUMS, type DepositSelection } from "./deposit.ts";
import { type DepositStage, depositConstants } from "./stage.ts";

const GROUP = 64;
const SECTION = 7;
/** Particles that an invocation takes which deposits on a level. */
const RUN = 8;

/** Adds chosen particles to the words of a mesh in one piece by which they aren't ordered. */
export async function depositOnLevel(
  stage: DepositStage,
  selection: DepositSelection,
  { field, high }: { field: GPUBuffer; high: GPUBuffer },
): Promise<(batch: Batch) => void> {
  const { gpu, particles, mesh, settings } = stage;
  const { assignment } = settings;
  const kernel = await gpu.kernel({
    label: `deposit on a level/${assignment}`,
    sources: [runsKernel, DEPOSIT_SUMS[assignment], ...selection.sources],
    entry: "deposit",
    constants: {
      ...depositConstants(stage),
      ...{ RUN, GHOSTS: 0, MOVES: true },
      ...{ ...sectionConstants(particles, mesh.starts, SECTION), WHOLE: true, PLANE_STARTS: 1 },
      ...selection.constants,
    },
  });
  const bound = particles.windows.map((window) =>
    particles.ofWindow(window, ({ positions, ids, massUnits, images }) => {
      const { buffers } = selection;
      const unused = [ids, buffers[0], buffers[0]];
      return kernel.bind(positions, ids, massUnits, field, high, images, ...unused, ...buffers);
    }),
  );
  return (batch) => {
    for (const [w, { count }] of particles.windows.entries()) {
      batch.dispatch(bound[w][particles.current], workgroups(count, RUN * GROUP));
    }
  };
}
