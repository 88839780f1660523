/** Galaxies at their places: frames.ts with a scenario's masses and external potentials, rigid components among these. */

import { GravmeshError } from "../../foundation/base/errors.ts";
import { shortest } from "../../foundation/deck/problems.ts";
import { turnedInto } from "../particles/harmonics.ts";
import type { SourceBlock } from "../particles/source.ts";
import type { ExternalPotential } from "../potentials/potential.ts";
import { placedPotential, withPaths } from "../potentials/settings.ts";
import { fixedTables, type InitialSettings, isFromFile, isRigid } from "./components.ts";
import {
  type Encounter,
  type Frame,
  type GalaxyMasses,
  intoFrame,
  orientation,
  type PlacedGalaxies,
  placeGalaxies,
} from "./frames.ts";
import { concentric } from "./group.ts";
import type { ModelComponent, ModelContext, ModelMeans } from "./model.ts";
import { modelOf } from "./models.ts";
import { AZIMUTHS, azimuths, meanForce, meanMass } from "./monopole.ts";
import { type MovingPotential, withOrbits } from "./moving-potentials.ts";
import { orbitField } from "./orbit-field.ts";
import { type SphericalProfile, truncatedProfile } from "./profiles.ts";

/** Fields are looked at as far out as this, in sides of the box. */
const OUTERMOST = 1e3;
/** The squared circular speed that far out, over that at one side of the box, is less than this in every field of a finite depth. */
const STILL_BOUND = 0.3;

type Scenario = Pick<InitialSettings, "box" | "particles" | "potential" | "galaxy">;

/** Potentials of rigid components and [[potential]] tables, with the name of their galaxy. */
function fixedOf(scenario: Scenario, G: number): (UnmovedPotential & { galaxy?: string | undefined })[] {
  const { box, particles } = scenario;
  return [
    ...particles.filter(isRigid).map((one) => {
      const { name, galaxy } = one;
      return { name, galaxy, potential: rigidPotential(one, box.size) };
    }),
    ...fixedTables(scenario, G).flatMap((table) => {
      const parts = placedPotential(table, box, G);
      const nameOf = ({ kind }: ExternalPotential) => (parts.length > 1 ? `${table.name}: ${kind}` : table.name);
      const { galaxy, path, orbit, reflex, pulls } = table;
      return parts.map((potential) => ({ name: nameOf(potential), galaxy, potential, path, orbit, reflex, pulls }));
    }),
  ];
}

function rigidPotential(component: ModelComponent, boxSize: number): ExternalPotential {
  const [x, y, z] = component.offset.map((offset) => 0.5 * boxSize + offset);
  return { centre: [x, y, z], ...modelOf(component).potential!(component) };
}

/** An external potential in box coordinates as its table has it, with the file of its centre's path. */
export type UnmovedPotential = MovingPotential & { path?: string | undefined };

/** The external potentials of a scenario by name; the last is the frame's that a host has. */
export function unmovedPotentials(scenario: Scenario, G: number): UnmovedPotential[] {
  const { galaxy: galaxies = [], box } = scenario;
  const half = 0.5 * box.size;
  const placed = fixedOf(scenario, G).map(({ galaxy: of, ...one }): UnmovedPotential => {
    const galaxy = galaxies.find((one) => one.name === of);
    if (!galaxy) return one;
    const { potential } = one;
    const [x, y, z] = potential.centre.map((at) => at - half);
    const offset = turnedInto(orientation(galaxy, galaxies), x, y, z);
    const [X, Y, Z] = offset.map((d, k) => half + galaxy.centre[k] + d);
    const moved: ExternalPotential = { ...potential, centre: [X, Y, Z] };
    return { ...one, potential: moved };
  });
  const host = placed.find(({ reflex }) => reflex);
  if (!host) return placed;
  const { centre } = host.potential;
  const frame: ExternalPotential = { kind: "uniform-field", centre, parameters: { gx: 0, gy: 0, gz: 0 } };
  return [...placed, { name: "acceleration of the frame", potential: frame }];
}

/** The same with paths and orbits. Throws "input" and "scenario" for one that can't be. */
export async function externalPotentialsOf(
  scenario: Scenario & Pick<InitialSettings, "time">,
  { G, loadText }: Pick<ModelMeans, "G" | "loadText">,
): Promise<ExternalPotential[]> {
  const end = scenario.time.end ?? 0;
  const placed = await withPaths(unmovedPotentials(scenario, G), { end, loadText });
  return withOrbits(placed, { G, end, boxSize: scenario.box.size });
}

interface Known {
  /** Their profiles in equilibrium; found anew when left out. */
  about?: readonly Pick<ModelContext, "equilibrium">[] | undefined;
  /** Profiles of those that are read from files, by place in the deck. */
  files?: ReadonlyMap<number, SphericalProfile> | undefined;
  /** Near enough to check a deck: profiles as the deck names them, galaxies on orbits as points. */
  rough?: boolean;
}

/** `massOf`: of the live component at a place in the deck [mass]; `G` in deck units. */
export function placedGalaxies(
  scenario: Scenario,
  massOf: (index: number) => number,
  G: number,
  known: Known = {},
): PlacedGalaxies {
  const { galaxy: galaxies = [], particles } = scenario;
  const fixed = fixedOf(scenario, G);
  const profileOf = profilesOf(scenario, G, known);
  const live = particles.flatMap((one, index) => (isRigid(one) ? [] : [{ ...one, index }]));
  const sum = (name: string, radius: number, share: (index: number) => number) =>
    [
      ...live.map(({ galaxy, index }) => (galaxy === name ? massOf(index) * share(index) : 0)),
      ...fixed.map(({ galaxy, potential }) => (galaxy === name ? massWithin(potential, radius, G) : 0)),
    ].reduce((all, one) => all + one, 0);
  const outermost = OUTERMOST * scenario.box.size;
  const shareWithin = (radius: number) => (index: number) => {
    const profile = profileOf(index);
    return profile ? profile.mass(radius) / profile.mass(Number.MAX_VALUE) : 1;
  };
  const partsOf = (name: string) =>
    live.flatMap(({ galaxy, index }) => (galaxy === name ? [{ mass: massOf(index), profile: profileOf(index) }] : []));
  // While a deck is checked what names no mass, after a checkpoint what was in files.
  const isUnknown = (name: string) =>
    live.some(
      (one) =>
        one.galaxy === name && (known.rough ? one.mass === undefined : isFromFile(one) && !known.files?.has(one.index)),
    );
  const held = new Set(fixed.map(({ galaxy }) => galaxy));
  const masses: GalaxyMasses = {
    mass: (name, radius) => sum(name, radius, () => 1),
    within: (name, radius) => sum(name, radius, shareWithin(radius)),
    field(name, host, plane) {
      if (isUnknown(name) || isUnknown(host)) return undefined;
      const own = fixed.filter(({ galaxy }) => galaxy === host);
      const weight = 1 / AZIMUTHS;
      const circle = azimuths(0.5).map((at) => ({ direction: turnedInto(plane, at.cosine, at.sine, 0), weight }));
      const fields = own.flatMap(({ potential }) => meanMass(potential, G, outermost, circle) ?? []);
      const pair = { own: partsOf(name), host: partsOf(host), fixed: fields, held: held.has(host), outermost };
      return orbitField(pair, known.rough);
    },
    isHeld: (name) => held.has(name),
  };
  const places = placeGalaxies(galaxies, masses, G);
  const nowhere = places.encounters.find(isNowhere);
  if (nowhere && !known.rough) throw new GravmeshError("scenario", `galaxy "${nowhere.name}": ${nowhereText(nowhere)}`);
  return places;
}

/** Whether its field brings no galaxy from the separation to the pericentre. */
export const isNowhere = ({ untilPericentre: time }: Encounter) => time !== null && !Number.isFinite(time);

export function nowhereText({ of, masses, pericentre, separation }: Encounter): string {
  const [q, r, m, M] = [pericentre, separation, ...masses].map(shortest);
  return (
    `expected an orbit about "${of}" that leads from ${r} to ${q}, found none: the pull between them (masses ${m} and ${M} ` +
    "there, potentials with their factor at the start) is too weak, or falls too fast outwards. Try another separation or pericentre"
  );
}

/** From a live component to the mass about its centre, up to a factor; undefined of one that has no profile. */
function profilesOf(
  scenario: Scenario,
  G: number,
  { about, files, rough }: Known,
): (index: number) => SphericalProfile | undefined {
  let equilibria = about;
  return (index) => {
    const component = scenario.particles[index];
    const model = modelOf(component);
    const sphere = model.sphere?.(component);
    if (!sphere) return files?.get(index) ?? model.profile?.(component, G);
    if (rough) return truncatedProfile(sphere.shape, sphere.mass ?? sphere.shape.mass(sphere.cutoff), sphere.cutoff);
    equilibria ??= concentric(scenario, G);
    return equilibria[index].equilibrium().profile;
  };
}

/** How far out an orbit about a galaxy may lead [length]; Infinity unless its circular speed doesn't fall, so that all is bound. */
export function farthestApocentre(scenario: Scenario, galaxy: string, G: number): number {
  const { size } = scenario.box;
  const own = fixedOf(scenario, G).filter((one) => one.galaxy === galaxy);
  const speed2 = (r: number) => own.reduce((sum, { potential }) => sum + massWithin(potential, r, G), 0) / r;
  const far = OUTERMOST * size;
  return speed2(far) > STILL_BOUND * speed2(size) ? far : Number.POSITIVE_INFINITY;
}

/** The mass whose pull on a sphere is that of a potential in the mean [mass]. */
function massWithin(potential: ExternalPotential, radius: number, G: number): number {
  return (-(radius ** 2) * meanForce(potential, G)(radius)) / G;
}

/** Moves a block of particles, which are about the centre of the box, into a frame. */
export function blockInFrame(block: SourceBlock, frame: Frame, boxSize: number): SourceBlock {
  const { positions, velocities, count } = block;
  const half = 0.5 * boxSize;
  const point = new Float64Array(6);
  for (let at = 0; at < 3 * count; at += 3) {
    for (let k = 0; k < 3; k++) {
      point[k] = positions[at + k] - half;
      point[3 + k] = velocities[at + k];
    }
    intoFrame(frame, point);
    for (let k = 0; k < 3; k++) {
      positions[at + k] = half + point[k];
      velocities[at + k] = point[3 + k];
    }
  }
  return block;
}
