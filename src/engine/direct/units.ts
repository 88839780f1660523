/** Units of a direct sum on the GPU, in which the largest step is 1 and float32 holds equal masses exactly: see state.ts. */
import type { DirectPipelineSettings } from "./settings.ts";

/** How deck units and the pipeline's own go over into each other. */
export interface DirectUnits {
  /** Box coordinate of the origin on each axis [length]. */
  origin: number;
  /** Own units of length in one of the deck's [1/length]. */
  perLength: number;
  /** Own units of velocity in one of the deck's [1/velocity]. */
  perVelocity: number;
  /** The largest step [time]. */
  step: number;
  /** G·m of a mass [mass], in own units. */
  gm(mass: number): number;
  /** The mass [mass] whose G·m in own units is this. */
  mass(gm: number): number;
}

/** Units for particles of which the heaviest has `heaviest` [mass]. */
export function directUnits(
  { G, step, boxSize }: Pick<DirectPipelineSettings, "G" | "step" | "boxSize">,
  heaviest: number,
): DirectUnits {
  const gm = G * heaviest * step * step;
  const perLength = heaviest > 0 ? Math.cbrt(2 ** Math.ceil(Math.log2(gm)) / gm) : 1;
  const perMass = G * step * step * perLength ** 3;
  return {
    origin: boxSize / 2,
    perLength,
    perVelocity: step * perLength,
    step,
    gm: (mass) => perMass * mass,
    mass: (value) => value / perMass,
  };
}
