/**
 * Checks between [[galaxy]] tables and those that belong to them: names, orbits, what can't move, room in the box. Places
 * are those of the masses that the deck names; what a cut-off takes of them shifts a galaxy by less than it matters here.
 */

import { nearestWord } from "../foundation/base/nearest-word.ts";
import { displayPath, mismatch, mismatchIf, type Problem, shortest } from "../foundation/deck/problems.ts";
import { isRigid } from "../physics/initial/components.ts";
import { apocentre } from "../physics/initial/field-orbit.ts";
import { type Frame, isCircular } from "../physics/initial/frames.ts";
import type { GalaxySettings } from "../physics/initial/galaxies.ts";
import type { ModelComponent } from "../physics/initial/model.ts";
import { modelOf } from "../physics/initial/models.ts";
import { farthestApocentre, isNowhere, nowhereText, placedGalaxies } from "../physics/initial/placing.ts";
import { turnedInto } from "../physics/particles/harmonics.ts";
import { formulaOf } from "../physics/potentials/external.ts";
import { placedPotential } from "../physics/potentials/settings.ts";
import type { Scenario } from "./scenario.ts";

type Deck = Pick<Scenario, "galaxy" | "particles" | "potential" | "box">;

/** Rounding of a separation that is meant to be an apsis. */
const SAME = 1e-9;

export function galaxyProblems(deck: Deck, G: number): Problem[] {
  const { galaxy: galaxies, box } = deck;
  const members = memberProblems(deck);
  if (galaxies.length === 0) return members;
  if (box.boundary === "periodic") {
    const hint = 'Use boundary = "isolated", or offsets and velocities of the components';
    const expected = 'no [[galaxy]] table in a box with boundary = "periodic"';
    return [mismatch(["galaxy", 0, "name"], expected, galaxies[0].name, hint)];
  }
  const problems = [
    ...members,
    ...galaxies.flatMap((galaxy, index) => [
      ...emptyProblems(galaxy, index, deck),
      ...orbitProblems(galaxy, index, galaxies),
      ...angleProblems(galaxy, index, galaxies),
    ]),
    ...heldProblems(deck),
  ];
  if (problems.length > 0) return problems;
  const { encounters, frames } = nominalPlaces(deck, G);
  const unbound = galaxies.flatMap(({ name, orbit }, index) => {
    if (orbit?.field !== "actual") return [];
    const { of, pericentre: q, eccentricity } = orbit;
    const path = ["galaxy", index, "orbit"];
    const far = farthestApocentre(deck, of, G);
    if (apocentre(orbit) > far) {
      const expected = `at most ${shortest((far - q) / (far + q))} about "${of}", from whose potential nothing escapes`;
      return [mismatch([...path, "eccentricity"], expected, eccentricity, "Lower it")];
    }
    const nowhere = encounters.find((one) => one.name === name && isNowhere(one));
    return nowhere ? [{ path, message: `${displayPath(path)}: ${nowhereText(nowhere)}` }] : [];
  });
  return unbound.length > 0 ? unbound : roomProblems(deck, frames);
}

const nearest = (word: string, names: readonly string[]) => {
  const near = nearestWord(word, names);
  return near && `Did you mean "${near}"?`;
};

function memberProblems({ galaxy: galaxies, particles, potential }: Deck): Problem[] {
  const names = galaxies.map(({ name }) => name);
  const expected =
    names.length > 0 ? `the name of a galaxy (${names.join(", ")})` : "no galaxy, since the deck has none";
  const of = (section: string, tables: readonly { galaxy?: string | undefined }[]) =>
    tables.flatMap(({ galaxy }, index) => {
      if (galaxy === undefined || names.includes(galaxy)) return [];
      const hint = nearest(galaxy, names) ?? `Add a table [[galaxy]] with name = ${JSON.stringify(galaxy)}`;
      return [mismatch([section, index, "galaxy"], expected, galaxy, hint)];
    });
  return [...of("particles", particles), ...of("potential", potential)];
}

function emptyProblems({ name }: GalaxySettings, index: number, { particles, potential }: Deck): Problem[] {
  if ([...particles, ...potential].some(({ galaxy }) => galaxy === name)) return [];
  const hint = `Add galaxy = ${JSON.stringify(name)} to its [[particles]] tables, or remove this one`;
  return [mismatch(["galaxy", index, "name"], "a name that a component has as its galaxy", name, hint)];
}

function orbitProblems(galaxy: GalaxySettings, index: number, galaxies: readonly GalaxySettings[]): Problem[] {
  const { name, orbit, centre, velocity } = galaxy;
  if (!orbit) return [];
  const at = (...keys: string[]) => ["galaxy", index, ...keys];
  const { of, pericentre, eccentricity, separation } = orbit;
  const others = galaxies.map((one) => one.name).filter((other) => other !== name);
  if (!others.includes(of)) {
    const expected = `the name of another galaxy (${others.join(", ") || "there is none"})`;
    return [mismatch(at("orbit", "of"), expected, of, nearest(of, others))];
  }
  if (isCircular(galaxy, galaxies)) {
    const hint = "One of them has to stand without an orbit";
    return [mismatch(at("orbit", "of"), "a galaxy whose own orbit doesn't lead back to this one", of, hint)];
  }
  const inside = orbit.mass === "within" && orbit.field === "actual";
  const actual =
    'Leave it out: the actual field is of what is inside at every separation. field = "points" keeps the orbit as it was';
  const far = apocentre(orbit);
  const [outside, closed] = [separation < pericentre || separation > far * (1 + SAME), Number.isFinite(far)];
  const most = closed ? ` to the apocentre ${shortest(far)}` : " up";
  const expected = `a separation from the pericentre ${shortest(pericentre)}${most}`;
  const mend = eccentricity === 0 ? "On a circle it is the pericentre" : "Raise it, or lower the pericentre";
  return [
    ...mismatchIf(inside, at("orbit", "mass"), '"total", unless field = "points"', orbit.mass, actual),
    ...mismatchIf(outside, at("orbit", "separation"), expected, separation, closed ? mend : "Raise it"),
    ...Object.entries({ centre, velocity }).flatMap(([key, value]) => {
      const [given, hint] = [value.some((x) => x !== 0), `The ${key} of "${of}" is that of the centre of mass of both`];
      return mismatchIf(given, at(key), `no ${key} of a galaxy that has an orbit`, value, hint);
    }),
  ];
}

function angleProblems(galaxy: GalaxySettings, index: number, galaxies: readonly GalaxySettings[]): Problem[] {
  const { name, argument, node, orbit } = galaxy;
  if (argument === undefined) return [];
  const path = ["galaxy", index, "argument"];
  const about = galaxies.filter((one) => one.orbit?.of === name).length;
  if (!orbit && about !== 1) {
    const found = about === 0 ? "one without" : `one with ${about} galaxies about it`;
    const message = `galaxy[${index}].argument: expected a galaxy on one orbit, found ${found}. Give its node`;
    return [{ path, message }];
  }
  return node === 0 ? [] : [mismatch(path, `either node or argument`, argument, "Leave one of them out")];
}

/** A fixed field can't follow a galaxy. */
function heldProblems(deck: Deck): Problem[] {
  const { galaxy: galaxies, particles, potential, box } = deck;
  const moving = (name: string | undefined) =>
    galaxies.find((one) => one.name === name && (one.orbit || one.velocity.some((v) => v !== 0)));
  const hint = (name: string) =>
    `Use particles for it, or let the others be in orbit about "${name}" and keep it at rest`;
  const still = "false in a galaxy that moves: a fixed field can't follow it";
  const rigid = particles.flatMap((component, index) => {
    const galaxy = isRigid(component) ? moving(component.galaxy) : undefined;
    return galaxy ? [mismatch(["particles", index, "rigid"], still, true, hint(galaxy.name))] : [];
  });
  const tables = potential.flatMap((table, index) => {
    const path = ["potential", index, "galaxy"];
    const galaxy = moving(table.galaxy);
    const atRest = "a galaxy at rest: a fixed field can't follow one";
    if (galaxy) return [mismatch(path, atRest, galaxy.name, hint(galaxy.name))];
    const own = galaxies.find(({ name }) => name === table.galaxy);
    const formulas = placedPotential(table, box, 1).map((part) => formulaOf(part, 1));
    if (!own || formulas.every(({ formula }) => formula.spherical)) return [];
    const key = own.inclination !== 0 ? "inclination" : own.node !== 0 ? "node" : "spin";
    const round = formulas.every(({ formula, p }) => formula.round?.(p));
    if (own[key] === 0 || (key !== "inclination" && round)) return [];
    const expected = `0 of a galaxy with a ${table.kind} potential, which can't be turned`;
    return [mismatch(["galaxy", galaxies.indexOf(own), key], expected, own[key])];
  });
  const host = galaxies.flatMap(({ name, argument }, index) => {
    if (argument === undefined || !potential.some((table) => table.galaxy === name)) return [];
    const expected = "no argument of a galaxy with a [[potential]]";
    return [mismatch(["galaxy", index, "argument"], expected, argument, "Give its node")];
  });
  return [...rigid, ...tables, ...host];
}

/** A galaxy of no more of the other's mass is a satellite, which may begin within its halo. */
const SATELLITE = 0.1;

/** On galaxies that begin within each other, but for a satellite. */
export function overlapRemarks(deck: Deck, G: number): string[] {
  const { galaxy: galaxies, particles } = deck;
  const { frames, encounters } = nominalPlaces(deck, G);
  const isSatellite = (name: string, of: string) =>
    encounters.some((one) => one.name === name && one.of === of && one.masses[0] <= SATELLITE * one.masses[1]);
  const reachOf = ({ name, orbit }: GalaxySettings, other: string) => {
    const own = particles.filter((component) => component.galaxy === name && !isRigid(component));
    const reach = own.map((one) => Math.hypot(...one.offset) + componentPlace(one, undefined).reach);
    const isMeant = orbit?.of === other && orbit.mass === "within";
    return isMeant || isSatellite(name, other) ? 0 : Math.max(0, ...reach);
  };
  return galaxies.flatMap((one, i) =>
    galaxies.slice(i + 1).flatMap((other) => {
      const [a, b] = [one, other].map(({ name }) => frames.get(name)!.centre);
      const apart = Math.hypot(...a.map((x, k) => x - b[k]));
      const reach = [reachOf(one, other.name), reachOf(other, one.name)];
      if (reach.includes(0) || apart >= reach[0] + reach[1]) return [];
      return [
        `${one.name} and ${other.name} overlap at the start: they reach ${reach.map(shortest).join(" and ")} and are ` +
          `${shortest(apart)} apart; each is in equilibrium by itself alone (a larger orbit.separation avoids that)`,
      ];
    }),
  );
}

/** Frames with the masses that the deck names. */
export function nominalPlaces(deck: Deck, G: number) {
  const components: readonly ModelComponent[] = deck.particles;
  return placedGalaxies(deck, (index) => components[index].mass ?? 0, G, { rough: true });
}

/** Where the deck puts each component, from the centre of the box, and how far its particles reach [length]. */
export function componentPlace(component: ModelComponent, frame: Frame | undefined) {
  return { centre: centreOf(component, frame), reach: modelOf(component).extent?.reach(component) ?? 0 };
}

/** From the centre of the box, of a component or a potential [length]. */
export function centreOf(
  { offset }: Pick<ModelComponent, "offset" | "galaxy">,
  frame: Frame | undefined,
): readonly number[] {
  return frame ? turnedInto(frame.turn, ...offset).map((x, k) => frame.centre[k] + x) : offset;
}

function roomProblems({ galaxy: galaxies, particles, box }: Deck, frames: ReadonlyMap<string, Frame>): Problem[] {
  const half = box.size / 2;
  return galaxies.flatMap(({ name, orbit }, index) => {
    const places = particles
      .filter((component) => component.galaxy === name && !isRigid(component))
      .map((component) => ({ component, ...componentPlace(component, frames.get(name)) }));
    const far = places.find(({ centre, reach }) => Math.max(...centre.map(Math.abs)) + reach > half);
    if (!far) return [];
    const path = ["galaxy", index, ...(orbit ? ["orbit", "separation"] : ["centre"])];
    const at = far.centre.map((x) => shortest(x)).join(", ");
    const [key] = modelOf(far.component).extent?.keys ?? [];
    const reach = key ? `, reaches ${shortest(far.reach)} (${key})` : "";
    const needed = 2 * (Math.max(...far.centre.map(Math.abs)) + far.reach);
    const message =
      `galaxy[${index}] "${name}": expected its particles within box.size/2 = ${shortest(half)} of the box's centre, ` +
      `found that ${far.component.name} is at [${at}]${reach}. Raise box.size to ${shortest(needed)} or more` +
      `${key ? `, or lower ${key}` : ""}${orbit ? " or orbit.separation" : ""}`;
    return [{ path, message }];
  });
}
