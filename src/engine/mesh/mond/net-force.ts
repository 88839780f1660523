/**
 * Modified gravity without a net force on all mass (in float64, with the equations: engine/reference/mesh/net-force.ts). Not a bit changes
 * where the potential is Newton's.
 */
import netForceWgsl from "../../../../wgsl/engine/mesh/mond/net-force.wgsl";
import { type Pass, workgroups } from "../../../foundation/gpu/batch.ts";
import { u32 } from "../../../foundation/gpu/buffers.ts";
import type { GpuContext } from "../../../foundation/gpu/context.ts";
import type { Boundary } from "../../../physics/particles/box.ts";
import { FIELD_BYTES, FIELD_GHOSTS, type MeshBuffers } from "../field.ts";
import { GRADIENT_POINTS } from "../force/gradient.ts";
import { encodeGhosts } from "../ghosts.ts";
import type { GradientScheme } from "../settings.ts";
import { ghostRows, NET_FORCE_BYTES } from "./mond.ts";
import { type Qumond, recorded } from "./qumond.ts";

const GROUP = 64;
const VECTOR_BYTES = 16;

/** Takes off the net force after `qumond` and what has been added to it. */
export async function addNetForce(
  gpu: GpuContext,
  mesh: MeshBuffers,
  { qumond, gradient, boundary }: { qumond: Qumond; gradient: Exclude<GradientScheme, "spectral">; boundary: Boundary },
): Promise<void> {
  const { pool, slabs: held } = qumond.held;
  const { cells: n, pitch, slabs } = mesh;
  const sums = pool.storage("net force of columns", NET_FORCE_BYTES * n * n, "mesh");
  const shift = pool.storage("shift", VECTOR_BYTES, "other");
  await pool.settle();
  const passes = async (entry: string): Promise<Pass[]> => {
    const kernel = await gpu.kernel({
      ...{ label: `net-force/${entry}`, sources: [netForceWgsl], entry },
      constants: { CELLS: n, PITCH: pitch, POINTS: GRADIENT_POINTS[gradient], ISOLATED: boundary === "isolated" },
    });
    return slabs.map(({ first, planes, cut, field }, s) => {
      const range = pool.uniform("planes", u32(first, planes, ghostRows(mesh, cut)));
      const { newton, masses } = held[s];
      return { kernel: kernel.bind(range, field, newton, masses, sums, shift), groups: workgroups(planes * n, GROUP) };
    });
  };
  const [columns, [total], takeOff] = await Promise.all(["columns", "total", "takeOff"].map(passes));
  const masses = slabs.map(({ planes }, s) => ({ buffer: held[s].masses, offset: 0, planes }));
  qumond.stages.push(
    recorded((batch) => {
      encodeGhosts(batch, masses, FIELD_BYTES * pitch * n, FIELD_GHOSTS);
      batch.passes([...columns, { ...total, groups: [1, 1] }, ...takeOff]);
    }),
  );
}
