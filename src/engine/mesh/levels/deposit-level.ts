/** Deposit on levels: by atomics, from particles in the order of the box's cells. */
import runsKernel from "../../../../wgsl/engine/mesh/deposit/deposit-runs.wgsl";
import type { Batch } from "../../../foundation/gpu/batch.ts";
import { sectionConstants } from "../../gpu-particles/sections.ts";
import { DEPOSIT_PLACES, type DepositSelection } from "../deposit/deposit.ts";
import { depositSums } from "../deposit/deposit-sums.ts";
import type { MeshBuffers } from "../field.ts";
import { depositConstants, type MeshStage } from "../stage.ts";
import { dispatchInPlanes, levelSlotConstants } from "./level-slots.ts";

const GROUP = 64;
const SECTION = 7;
/** Particles that an invocation takes which deposits on a level. */
const RUN = 8;

/** Adds chosen particles to the words of a level's mesh, by which they aren't ordered. */
export async function depositOnLevel(
  stage: MeshStage,
  mesh: MeshBuffers,
  selection: DepositSelection,
  { field, high }: { field: GPUBuffer; high: GPUBuffer },
): Promise<(batch: Batch) => void> {
  const { gpu, particles, settings } = stage;
  const { assignment } = settings.mesh;
  const kernel = await gpu.kernel({
    label: `deposit on a level/${assignment}`,
    sources: [runsKernel, depositSums[assignment].runs, ...selection.sources],
    entry: "deposit",
    constants: {
      ...depositConstants({ ...stage, mesh, settings: settings.mesh }),
      ...{ RUN, GHOSTS: 0, MOVES: true },
      ...{ ...sectionConstants(particles, mesh.starts, SECTION), WHOLE: true, PLANE_STARTS: 1 },
      ...{ ...levelSlotConstants(stage, DEPOSIT_PLACES + 2), ...selection.constants },
    },
  });
  const [places, thisLevel] = selection.buffers;
  return dispatchInPlanes(stage, { run: RUN, group: GROUP }, (here, slots) =>
    // Nothing is read of a section: the level's mesh is whole.
    kernel.bindNamed({ ...here, field, high, places, thisLevel, section: places, planeStarts: places, ...slots }),
  );
}
