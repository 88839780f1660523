/**
 * Fixed steps of an expanding box with pairs, against orbits in the largest halo that it is expected to have by then: one in the box
 * an e-fold of mass (Sheth & Tormen 1999), of 200 times the mean density, an NFW profile with c = 10.14 (M/2·10¹² M☉/h)^−0.081 a^1.01
 * (Duffy et al. 2008, table 1). docs/p3m.md has the power that is missing where steps are longer.
 */
import { greatest, range } from "d3-array";
import { softeningAt } from "../engine/direct/softening.ts";
import { rounded } from "../foundation/deck/problems.ts";
import { unitSystem } from "../foundation/deck/units.ts";
import { Background } from "../physics/cosmology/background.ts";
import { Growth } from "../physics/cosmology/growth.ts";
import { lagrangianRadius, multiplicity } from "../physics/cosmology/mass-function.ts";
import { matterDensity } from "../physics/cosmology/overdensity.ts";
import { LinearPower } from "../physics/cosmology/power.ts";
import { isFromFile } from "../physics/initial/components.ts";
import type { ModelComponent } from "../physics/initial/model.ts";
import { nfwShape } from "../physics/initial/nfw.ts";
import type { Scenario } from "./scenario.ts";

const OVERDENSITY = 200;
/** Haloes of a smaller radius have too few particles to have an inside [ε]. */
const LEAST_RADIUS = 15;
/** From one mass or scale factor that is tried to the next. */
const [MASS_RATIO, TIME_RATIO] = [1.5, 1.25];

/** Of the halo whose inside turns fastest against the clock: ω = √(GM(ε)/ε³) over the variable that steps are equal in; rate 0: none. */
export function fastestHalo({ box, cosmology, gravity, p3m, particles, time, units }: Scenario) {
  const none = { name: "", rate: 0, substeps: p3m.substeps };
  const isRandomField = particles.some((one: ModelComponent) => one.kind === "lattice" || isFromFile(one));
  if (gravity !== "p3m" || !isRandomField) return none;
  const { G } = unitSystem(units.system);
  const background = new Background(cosmology);
  const growth = new Growth(background);
  const { transfer, spectralIndex, sigma8, As } = cosmology;
  const linear = new LinearPower(background, growth, {
    // A table isn't read yet; haloes of the same σ8 are as large.
    transfer: transfer === "file" ? "eisenstein-hu" : transfer,
    ...{ spectralIndex, amplitude: As > 0 ? { As } : { sigma8 } },
  });
  const density = matterDensity(background, G);
  const ofRadius = (OVERDENSITY * density * 4 * Math.PI) / 3;
  const [least, all] = [ofRadius * (LEAST_RADIUS * p3m.softening) ** 3, density * box.size ** 3];
  const down = (from: number, to: number, ratio: number) =>
    range(Math.log(from / to) / Math.log(ratio)).map((k) => from / ratio ** k);
  const tried = down(all, least, MASS_RATIO).map((mass) => {
    const { sigma, slope } = linear.sigmaAndSlope(lagrangianRadius(mass, density));
    return { mass, sigma, times: (Math.abs(slope / 3) * all) / mass };
  });
  const rates = down(time.end, time.start, TIME_RATIO).map((a) => {
    const grown = growth.D1(a) / growth.D1(1);
    const expected = tried.find(({ sigma, times }) => times * multiplicity("sheth-tormen", sigma * grown, a) > 1);
    if (!expected) return none;
    const { mass } = expected;
    const c = 10.14 * (mass / 200) ** -0.081 * a ** 1.01;
    const scale = Math.cbrt(mass / ofRadius) / c;
    const r = softeningAt(p3m, a);
    const within = nfwShape(mass / (Math.log1p(c) - c / (1 + c)), scale).mass(r);
    const turns = Math.sqrt((G * within) / (a * r) ** 3) / background.hubble(a);
    const name = `the largest halo expected at a = ${rounded(a, 2)}`;
    return { ...none, name, rate: time.spacing === "a" ? turns / a : turns };
  });
  return greatest(rates, ({ rate }) => rate) ?? none;
}
