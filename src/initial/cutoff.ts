/**
 * What the cut-off of a live sphere takes of its profile, in a line for whoever weighs it against the rigid sphere of the
 * same keys: the particles' mass, and at half the cut-off enclosed mass and circular speed v = √(GM/r).
 */
import { shortest } from "../deck/problems.ts";
import { type InitialSettings, isCutShort } from "./components.ts";
import { concentric } from "./group.ts";
import { modelOf } from "./models.ts";

/** `G` in deck units. A component without an equilibrium is passed over: initialConditions() says what is wrong. */
export function cutoffRemarks(scenario: InitialSettings, G: number): string[] {
  const about = concentric(scenario, G);
  return scenario.particles.flatMap((component, index) => {
    // The field of tracers doesn't depend on what they lack: they have none.
    if (!isCutShort(component) || component.mass === 0) return [];
    const { shape, cutoff } = modelOf(component).sphere!(component);
    let live: ReturnType<(typeof about)[number]["equilibrium"]>;
    try {
      live = about[index].equilibrium();
    } catch {
      return [];
    }
    const r = cutoff / 2;
    const speed = (mass: number) => shown(Math.sqrt((G * mass) / r));
    const [inside, whole] = [live.profile.mass(r), shape.mass(r)];
    return [
      `${component.name} fades out towards cutoff = ${shortest(cutoff)}: its particles hold ` +
        `${shown(live.profile.mass(cutoff))} of mass = ${shortest(component.mass ?? 0)}; inside ${shortest(r)} they hold ` +
        `${shown(inside)} where a rigid one holds ${shown(whole)} (circular speed by itself ${speed(inside)} and ${speed(whole)})`,
    ];
  });
}

const shown = (value: number) => String(Number(value.toPrecision(3)));
