/**
 * What there is to say of a deck that is valid: warnings, which are doubts about the numbers of its run, and notes on what it
 * means. All follows from the deck, so that a resumed run says the same.
 */

import { directCostRemark } from "../engine/direct/settings.ts";
import { p3mRemarks } from "../engine/p3m/settings.ts";
import { fixedSteps } from "../engine/time/settings.ts";
import { once } from "../foundation/base/once.ts";
import { rounded, shortest } from "../foundation/deck/problems.ts";
import { unitSystem } from "../foundation/deck/units.ts";
import { neutrinoNotes } from "../physics/cosmology/settings.ts";
import { isCutShort, isFromFile, lengthsOf, sampledComponents, sampledCount } from "../physics/initial/components.ts";
import { concentric } from "../physics/initial/group.ts";
import type { ModelComponent } from "../physics/initial/model.ts";
import { modelOf } from "../physics/initial/models.ts";
import { potentialNotes } from "../physics/potentials/settings.ts";
import { boxNotes, boxWarnings } from "./box-power.ts";
import { centreOf, nominalPlaces, overlapRemarks } from "./galaxies.ts";
import { levelSizes, stayingLevels } from "./level-sizes.ts";
import { lengthText, resolutionWarnings, stepWarnings } from "./resolution.ts";
import type { Scenario } from "./scenario.ts";
import { sharedTimes } from "./timetables.ts";

/** A line each: why the run of this deck may be wrong, and what would mend it. */
export const scenarioWarnings = once((scenario: Scenario): readonly string[] => [
  ...overlapRemarks(scenario, unitSystem(scenario.units.system).G),
  ...resolutionWarnings(scenario),
  ...stepWarnings(scenario),
  ...boxWarnings(scenario),
  ...modifiedPullWarnings(scenario),
  ...remarksOfPairs(scenario).warnings,
]);

/** A line each: what massive neutrinos there are, how tables of potentials are fitted, what a cut-off takes of a profile, how far levels reach, where a box's power is right, what a direct sum costs. */
export const scenarioNotes = once((scenario: Scenario): readonly string[] => {
  const { cosmology, time } = scenario;
  const notes = [
    ...(time.clock === "comoving" ? neutrinoNotes(cosmology) : []),
    ...potentialNotes(scenario.potential),
    ...cutoffRemarks(scenario, unitSystem(scenario.units.system).G),
    ...sharedTimes(scenario),
  ];
  if (scenario.gravity !== "direct")
    return [...remarksOfPairs(scenario).notes, ...levelNotes(scenario), ...boxNotes(scenario), ...notes];
  const tracers = sampledComponents(scenario).filter(({ mass }) => mass === 0);
  const count = sampledCount(scenario);
  const massive = count - tracers.reduce((sum, one) => sum + one.count, 0);
  const cost = directCostRemark(count, massive, fixedSteps(scenario) ?? 1);
  return cost ? [...notes, cost] : notes;
});

/** On pairs that pull harder than all of a component does: Gm/ε² above GM/ℓ² at ε < ℓ/√N (Power et al. 2003, eq. 15). */
function hardWarnings(scenario: Scenario): string[] {
  const { p3m, units } = scenario;
  return sampledComponents(scenario).flatMap((one) => {
    const least =
      Math.min(...lengthsOf(one).flatMap(({ layer, length }) => (layer ? [] : [length]))) / Math.sqrt(one.count);
    if (one.mass === 0 || !(p3m.softening < least) || least === Number.POSITIVE_INFINITY) return [];
    const text = lengthText(least, units.system, 2);
    return [
      `${one.name}: with p3m.softening = ${shortest(p3m.softening)} two of its ${one.count} particles may pull at each other ` +
        `harder than all of it does, so that encounters change its orbits. Try ${text} or more, or more particles`,
    ];
  });
}

function remarksOfPairs(scenario: Scenario): { notes: string[]; warnings: string[] } {
  if (scenario.gravity !== "p3m") return { notes: [], warnings: [] };
  const count = scenario.particles.some(isFromFile) ? undefined : sampledCount(scenario);
  const { notes, warnings } = p3mRemarks(scenario, count, (length) => lengthText(length, scenario.units.system));
  return { notes, warnings: [...warnings, ...hardWarnings(scenario)] };
}

/** What is left out of the physics of these components, which files may have. */
export const physicsNotes = (components: readonly { species: string }[]): string[] =>
  components.some(({ species }) => species === "gas")
    ? ["gas feels gravity alone, as stars do: it has neither pressure nor cooling, and forms no stars"]
    : [];

/** Modified gravity pulls bodies in an isolated box rightly up to so far from each other, in sides of the box (docs/mond.md). */
const FARTHEST_PULL = 0.6;

function modifiedPullWarnings(scenario: Scenario): string[] {
  const { box, mond, units } = scenario;
  if (mond.formulation === "none" || box.boundary === "periodic") return [];
  const { frames } = nominalPlaces(scenario, unitSystem(units.system).G);
  const centres = scenario.particles.map((one: ModelComponent) => centreOf(one, frames.get(one.galaxy ?? "")));
  const distances = centres.flatMap((a) => centres.map((b) => Math.hypot(...a.map((x, k) => x - b[k]))));
  const farthest = Math.max(...distances);
  if (farthest <= FARTHEST_PULL * box.size) return [];
  const apart = lengthText(farthest, units.system, 3);
  const wanted = lengthText(farthest / FARTHEST_PULL, units.system, 2);
  return [
    `components begin ${apart} apart, ${rounded(farthest / box.size, 3)} of box.size: beyond ${FARTHEST_PULL} modified gravity in an ` +
      `isolated box errs by more than 2 % in their pull. Try box.size = ${wanted}`,
  ];
}

/**
 * What the cut-off of a live sphere takes of its profile, for whoever weighs it against the rigid sphere of the same keys: the
 * particles' mass, and at half the cut-off enclosed mass and circular speed v = √(GM/r). `G` in deck units. A component without an equilibrium is passed over: initialConditions() says what is wrong.
 */
function cutoffRemarks(scenario: Scenario, G: number): string[] {
  const about = concentric(scenario, G);
  return scenario.particles.flatMap((component: ModelComponent, index) => {
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
    const speed = (mass: number) => rounded(Math.sqrt((G * mass) / r), 3);
    const [inside, whole] = [live.profile.mass(r), shape.mass(r)];
    return [
      `${component.name} fades out towards cutoff = ${shortest(cutoff)}: its particles hold ` +
        `${rounded(live.profile.mass(cutoff), 3)} of mass = ${shortest(component.mass ?? 0)}; inside ${shortest(r)} they hold ` +
        `${rounded(inside, 3)} where a rigid one holds ${rounded(whole, 3)} (circular speed by itself ${speed(inside)} and ${speed(whole)})`,
    ];
  });
}

/** Cells and core of each level, the core in lengths of what it is around. */
function levelNotes(scenario: Scenario): string[] {
  const { units, level: tables } = scenario;
  const staying = stayingLevels(scenario);
  return levelSizes(scenario).map(({ name, h, core, cells }, l) => {
    const { around } = tables[l];
    const text = (value: number) => lengthText(value, units.system, 3);
    const lengths = sampledComponents(scenario)
      .filter((one) => around !== undefined && [one.name, one.galaxy].includes(around))
      .flatMap((one) => {
        const longest = Math.max(...lengthsOf(one).map(({ length }) => length));
        const found = lengthsOf(one).find(({ length }) => length === longest);
        return found ? [`${rounded(core / longest, 3)} times ${found.key} of ${one.name}`] : [];
      });
    const stays = staying.includes(name) ? `; it stays where it is, as ${around} does` : "";
    const size = `level "${name}", ${cells}³ cells of ${text(h)}: its core reaches ${text(core)} to each side`;
    return `${size}${lengths.length > 0 ? `, ${lengths.join(", ")}` : ""}${stays}`;
  });
}
