/**
 * Where galaxies are, how they move and how they are turned. A galaxy's own frame has its disks in the x-y plane, turning
 * anticlockwise about z; what is at x with v there, is in the box at
 *   X = C + R x,   V = W + R v,   R = R_z(node) R_x(inclination) R_z(spin),
 * about the centre of the box. Its spin then points to (sin Ω sin i, −cos Ω sin i, cos i). With Toomre & Toomre's (1972,
 * ApJ 178, 623, section II) argument ω the same angles are in the axes of the orbit, x to where the other galaxy is at its
 * pericentre and z along the orbit's angular momentum, with node = 180° − ω: the other one rises through this one's plane
 * where this one's stars sink through the orbit's.
 *
 * Each galaxy in orbit has its separation from the one it is `of`, and the centre of mass of all that orbit each other has
 * the centre and the velocity of the one that all go back to. A galaxy with a rigid part can't move: it stays where it is,
 * and the others are on orbits about a mass that is fixed.
 */
import { turnedInto } from "../particles/harmonics.ts";
import { fieldOrbit, type Orbit, pointOrbit } from "./field-orbit.ts";
import type { GalaxySettings, OrbitSettings } from "./galaxies.ts";
import type { OrbitField } from "./orbit-field.ts";

export type Triple = [number, number, number];
/** By rows. */
export type Rotation = [Triple, Triple, Triple];

/** Plain data: it is sent to threads. */
export interface Frame {
  /** From the centre of the box [length]. */
  centre: Triple;
  /** [velocity] */
  velocity: Triple;
  turn: Rotation;
}

export interface GalaxyMasses {
  /** Mass of all live components of the galaxy, and of its rigid ones within `radius` [mass]. */
  mass(name: string, radius: number): number;
  /** Mass of all of them within `radius` of its centre [mass]. */
  within(name: string, radius: number): number;
  /** What pulls two galaxies towards each other in a plane; undefined where it isn't known any more. */
  field(name: string, host: string, plane: Rotation): OrbitField | undefined;
  /** Whether it has a rigid part. */
  isHeld(name: string): boolean;
}

export interface Encounter extends Pick<OrbitSettings, "of" | "field" | "pericentre" | "eccentricity" | "separation"> {
  name: string;
  /** Masses of the galaxy and of the one that it is about, or what of that is within the separation [mass]. */
  masses: [number, number];
  /** From the start [time]; null where it isn't known any more. */
  untilPericentre: number | null;
  /** The one that it is about can't move. */
  held: boolean;
}

/** Orbits are those of the encounters, in their order; frames go by name. */
export type PlacedGalaxies = ReturnType<typeof placeGalaxies>;

/** Cosine and sine of an angle [degrees], exact at multiples of 90. */
function direction(degrees: number): [number, number] {
  const quarter = Math.round(degrees / 90);
  const rest = ((degrees - 90 * quarter) * Math.PI) / 180;
  let [c, s] = [Math.cos(rest), Math.sin(rest)];
  for (let k = ((quarter % 4) + 4) % 4; k > 0; k--) [c, s] = [-s, c];
  return [c + 0, s + 0]; // −0 would be another number in a checkpoint's text
}

const rows = (...of: Rotation): Rotation => of;
const aboutZ = ([c, s]: readonly number[]) => rows([c, 0 - s, 0], [s, c, 0], [0, 0, 1]);
const aboutX = ([c, s]: readonly number[]) => rows([1, 0, 0], [0, c, 0 - s], [0, s, c]);

function product(a: Rotation, b: Rotation): Rotation {
  const columns = [0, 1, 2].map((k) => turnedInto(a, b[0][k], b[1][k], b[2][k]));
  const row = (i: number): Triple => [columns[0][i], columns[1][i], columns[2][i]];
  return rows(row(0), row(1), row(2));
}

/** R_z(node) R_x(inclination) R_z(third) [degrees]. */
export function rotation(node: number, inclination: number, third: number): Rotation {
  return product(aboutZ(direction(node)), product(aboutX(direction(inclination)), aboutZ(direction(third))));
}

/** Axes of an orbit: the first to the pericentre of the galaxy that has it, the third along its angular momentum. */
const orbitAxes = ({ node, inclination, argument }: OrbitSettings) => rotation(node, inclination, argument);

/** How a galaxy is turned; `galaxies` are all of the deck. */
export function orientation(galaxy: GalaxySettings, galaxies: readonly GalaxySettings[]): Rotation {
  const { node, inclination, spin, argument } = galaxy;
  if (argument === undefined) return rotation(node, inclination, spin);
  const own = rotation(180 - argument, inclination, spin);
  // The other one is on the opposite side of the one that has the orbit.
  if (galaxy.orbit) return product(product(orbitAxes(galaxy.orbit), aboutZ([-1, 0])), own);
  const about = galaxies.find(({ orbit }) => orbit?.of === galaxy.name);
  return about?.orbit ? product(orbitAxes(about.orbit), own) : own;
}

const hostOf = ({ orbit }: GalaxySettings, galaxies: readonly GalaxySettings[]) =>
  orbit && galaxies.find(({ name }) => name === orbit.of);

/** The galaxy that another's orbits go back to in the end. */
function rootOf(galaxy: GalaxySettings, galaxies: readonly GalaxySettings[]): GalaxySettings {
  const next = hostOf(galaxy, galaxies);
  return next ? rootOf(next, galaxies) : galaxy;
}

/** Whether orbits lead from a galaxy back to itself. */
export function isCircular(galaxy: GalaxySettings, galaxies: readonly GalaxySettings[]): boolean {
  let next = hostOf(galaxy, galaxies);
  for (let k = 0; next && next !== galaxy && k < galaxies.length; k++) next = hostOf(next, galaxies);
  return next === galaxy;
}

const sum = (a: readonly number[], b: readonly number[], factor = 1) => a.map((x, k) => x + factor * b[k]) as Triple;

/** Frames of all galaxies, whose orbits lead to no circle; `G` in deck units. */
export function placeGalaxies(galaxies: readonly GalaxySettings[], masses: GalaxyMasses, G: number) {
  const encounters: Encounter[] = [];
  const orbits: (Orbit | undefined)[] = [];
  const frames = new Map<string, Frame>();
  const at = (galaxy: GalaxySettings): Frame => {
    const found = frames.get(galaxy.name);
    if (found) return found;
    const { centre, velocity } = onOrbit(galaxy) ?? galaxy;
    const frame: Frame = { centre, velocity, turn: orientation(galaxy, galaxies) };
    frames.set(galaxy.name, frame);
    return frame;
  };
  const onOrbit = (galaxy: GalaxySettings) => {
    const { name, orbit } = galaxy;
    const host = hostOf(galaxy, galaxies);
    if (!orbit || !host) return undefined;
    const { pericentre, eccentricity, separation, field } = orbit;
    const ofHost = orbit.mass === "within" ? "within" : "mass";
    const pair: [number, number] = [masses.mass(name, separation), masses[ofHost](host.name, separation)];
    const held = masses.isHeld(host.name);
    const points = () => pointOrbit(orbit, G * (held ? pair[1] : pair[0] + pair[1]));
    const actual = field === "actual" ? masses.field(name, host.name, orbitAxes(orbit)) : undefined;
    const path = actual ? fieldOrbit(actual, orbit, G) : field === "points" ? points() : undefined;
    const { position, velocity, untilPericentre } = (path ?? points()).at(separation);
    orbits.push(path);
    encounters.push({
      ...{ name, of: host.name, field, masses: pair, pericentre, eccentricity, separation },
      ...{ untilPericentre: path ? untilPericentre : null, held },
    });
    const [axes, of] = [orbitAxes(orbit), at(host)];
    return {
      centre: sum(of.centre, turnedInto(axes, ...position, 0)),
      velocity: sum(of.velocity, turnedInto(axes, ...velocity, 0)),
    };
  };
  for (const galaxy of galaxies) at(galaxy);
  for (const root of galaxies.filter(({ orbit }) => !orbit)) centreOnMass(root, galaxies, frames, masses);
  return { frames, encounters, orbits };
}

/** Moves a galaxy and those in orbit about it, so that their centre of mass is where the deck has it. */
function centreOnMass(
  root: GalaxySettings,
  galaxies: readonly GalaxySettings[],
  frames: Map<string, Frame>,
  masses: GalaxyMasses,
): void {
  const family = galaxies.filter((galaxy) => rootOf(galaxy, galaxies) === root);
  if (family.length === 1 || masses.isHeld(root.name)) return;
  const weights = family.map(({ name }) => masses.mass(name, Number.POSITIVE_INFINITY));
  const total = weights.reduce((all, mass) => all + mass, 0);
  const mean = (of: "centre" | "velocity") =>
    family.reduce<Triple>(
      (all, { name }, i) => sum(all, sum(frames.get(name)![of], root[of], -1), weights[i] / total),
      [0, 0, 0],
    );
  const [centre, velocity] = [mean("centre"), mean("velocity")];
  for (const { name } of family) {
    const frame = frames.get(name)!;
    frames.set(name, { ...frame, centre: sum(frame.centre, centre, -1), velocity: sum(frame.velocity, velocity, -1) });
  }
}

/** Takes point [x, y, z, vx, vy, vz] from a galaxy's frame to that of the box, about its centre; in place. */
export function intoFrame({ centre, velocity, turn }: Frame, point: Float64Array): void {
  const [x, y, z, vx, vy, vz] = point;
  point.set(sum(centre, turnedInto(turn, x, y, z)));
  point.set(sum(velocity, turnedInto(turn, vx, vy, vz)), 3);
}
