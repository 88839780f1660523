/** The mass profile of particles about the centre of the box, from their radii in bins of a few per cent. */

import type { Placement } from "./model.ts";
import { profileOfMasses, type SphericalProfile } from "./profiles.ts";

/** Radii of the bins' ends, in sides of the box. */
const [INNERMOST, OUTERMOST, NODES] = [1e-6, 1e2, 640];

export async function sampledProfile(
  { blocks, masses }: Pick<Placement, "blocks" | "masses">,
  boxSize: number,
): Promise<SphericalProfile> {
  const step = Math.log(OUTERMOST / INNERMOST) / (NODES - 1);
  const radii = Float64Array.from({ length: NODES }, (_, i) => INNERMOST * boxSize * Math.exp(i * step));
  const half = boxSize / 2;
  const within = new Float64Array(NODES);
  for await (const { first, count, positions } of blocks()) {
    const each = masses.every(1, { first, count });
    for (let i = 0; i < count; i++) {
      const [x, y, z] = [positions[3 * i] - half, positions[3 * i + 1] - half, positions[3 * i + 2] - half];
      const r = Math.sqrt(x * x + y * y + z * z);
      const bin = r > radii[0] ? Math.ceil(Math.log(r / radii[0]) / step) : 0;
      within[Math.min(NODES - 1, bin)] += each[i];
    }
  }
  for (let i = 1; i < NODES; i++) within[i] += within[i - 1];
  return profileOfMasses(radii, within, step);
}
