/** Linear theory of a comoving run, which spectra and haloes are set beside. */

import { linearPowerOf } from "../../cosmology/linear-power.ts";
import type { LinearPower } from "../../cosmology/power.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { loadText } from "../scenario-source.ts";

/** Made once a run. */
const made = new WeakMap<Scenario, Promise<LinearPower>>();

/** Undefined on a static clock. */
export async function linearTheory(scenario: Scenario): Promise<LinearPower | undefined> {
  if (scenario.time.clock !== "comoving") return undefined;
  const power = made.get(scenario) ?? linearPowerOf(scenario.cosmology, loadText);
  made.set(scenario, power);
  return await power;
}
