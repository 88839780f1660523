/** Why a sum over particles is no number: a particle that isn't one already, or sizes whose squares are too large. */
import { max } from "d3-array";
import type { ParticleSet } from "../particles/state.ts";

/** In words; the first particle that is nowhere, or else the largest numbers. */
export function causeOf({ count, positions, velocities, masses, components }: ParticleSet): string {
  const quantities = [
    { name: "position", values: positions, width: 3 },
    { name: "velocity", values: velocities, width: 3 },
    { name: "mass", values: masses, width: 1 },
  ] as const;
  for (const { name, values, width } of quantities) {
    for (let k = 0; k < width * count; k++) {
      if (Number.isFinite(values[k])) continue;
      const particle = Math.floor(k / width);
      const owner = components.find(({ first, count: n }) => particle >= first && particle < first + n);
      const of = owner ? ` of ${owner.name}` : "";
      return `the ${name} of particle ${particle}${of} is ${values.slice(width * particle, width * (particle + 1)).join(", ")}`;
    }
  }
  const sizes = quantities.map(({ name, values }) => `${name} ${(max(values, Math.abs) ?? 0).toPrecision(3)}`);
  return `sums of products overflow; the largest numbers are ${sizes.join(", ")}`;
}
