/** From particles to what the report shows of them: which particles, from where, how wide; maps, profiles, rotation. */

import { cumsum } from "d3-array";
import { type DensityCentre, densityCentre } from "../../engine/diagnostics/density-centre.ts";
import {
  densityIn,
  linearEdges,
  logarithmicEdges,
  rotationIn,
  surfaceDensityIn,
} from "../../engine/diagnostics/profiles.ts";
import type { Box, IdRange, MapView, Reductions, RingWaves, Vector } from "../../physics/particles/reductions.ts";
import { type ComponentRange, galaxyNames, SPECIES, type Species } from "../../physics/particles/state.ts";
import { visibleOf } from "../../scenario/maps.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { PhantomMatter } from "../../scenario/simulation/phantom-matter.ts";
import type { DensityPicture } from "../page/pictures.ts";
import type { ReportProfile, ReportSnapshot } from "./model.ts";

/** Pixels of a picture's side; of an edge-on picture pages show the rows that hold something. */
const PIXELS = 400;
/** The picture's side holds this share of the mass shown, with some room about it. */
const SHARE_SHOWN = 0.97;
const ROOM = 1.3;
/** And with more, where galaxies may draw out tails. */
const ROOM_FOR_TAILS = 1.9;
const PROFILE_BINS = 32;
const RING_BINS = 30;
/** Particles closer together than this share of the box are at one place: what is shown is then the box. */
const ONE_PLACE = 2 ** -20;
/** A bin with fewer particles is noise. */
const LEAST_IN_BIN = 8;

/** What of a run its report shows; chosen on the initial particles and kept for the whole run. */
export interface ReportView {
  /** "disk", "all particles", … for captions. */
  shown: string;
  ranges: IdRange[];
  disk: boolean;
  /** Profiles are shown: not of a periodic box, which has no centre. */
  profiles: boolean;
  boxCentre: [number, number, number];
  /** Side of the pictures [length]. */
  span: number;
  /** Outer radius of profiles and rotation curves [length]. */
  radius: number;
  /** Of a particle shown [mass]. */
  meanMass: number;
  /** One galaxy of several: profiles are about where it is densest, whatever has been pulled out of it. */
  apart?: boolean;
  /** Axis of a disk that was set up tilted. */
  normal?: Vector;
  /** With profiles of their own, where there are several. */
  species?: SpeciesView[];
}

export interface SpeciesView {
  name: Species;
  ranges: IdRange[];
  /** Outer radius of the profile [length]. */
  radius: number;
}

/** Components that weigh anything: tracers among others aren't seen in a picture of mass. */
export async function withMass(particles: Reductions): Promise<ComponentRange[]> {
  const present = particles.components.filter(({ count }) => count > 0);
  if (present.length < 2) return present;
  const found: ComponentRange[] = [];
  for (const one of present) if ((await particles.centre([one])).mass > 0) found.push(one);
  return found;
}

export const idRanges = (components: readonly ComponentRange[]): IdRange[] =>
  components.map(({ first, count }) => ({ first, count }));

/** Which particles are shown. */
export function shownOf(components: readonly ComponentRange[]): Pick<ReportView, "shown" | "ranges" | "disk"> {
  const present = components.filter((c) => c.count > 0);
  const disk = present.some((c) => c.species === "disk");
  const visible = visibleOf(present);
  const named = [...new Set(visible.map((c) => c.species))].join(" and ");
  return {
    shown: visible.length === present.length ? "all particles" : `${named} particles`,
    ranges: idRanges(visible),
    disk,
  };
}

/** The species of components, each with its particles; none where there are fewer than `least`. */
export function speciesOf(components: readonly ComponentRange[], least = 2): Omit<SpeciesView, "radius">[] {
  const of = (name: Species) => components.filter(({ species, count }) => species === name && count > 0);
  const found = SPECIES.map((name) => ({ name, ranges: idRanges(of(name)) }));
  const present = found.filter(({ ranges }) => ranges.length > 0);
  return present.length >= least ? present : [];
}

/** The same with the radii that their profiles end at. */
export async function speciesViews(
  particles: Reductions,
  centre: Vector,
  components: readonly ComponentRange[],
  { mond, box }: Pick<Scenario, "mond" | "box">,
) {
  const views: SpeciesView[] = [];
  // Beside phantom matter a single one has a curve, too.
  for (const one of speciesOf(components, mond.formulation === "none" ? 2 : 1)) {
    views.push({ ...one, radius: await profileRadius(particles, centre, box, { disk: false, ranges: one.ranges }) });
  }
  return views;
}

/** Chooses the view on the initial particles. A periodic box is shown whole. */
export async function reportView(initial: Reductions, scenario: Scenario): Promise<ReportView> {
  const { size, boundary } = scenario.box;
  const middle = size / 2;
  const boxCentre: ReportView["boxCentre"] = [middle, middle, middle];
  const present = await withMass(initial);
  const shown = shownOf(present);
  const { ranges, disk } = shown;
  const meanMass = await meanMassOf(initial, ranges);
  const whole = { ...shown, profiles: boundary === "isolated", boxCentre, span: size, radius: middle, meanMass };
  if (boundary === "periodic" || initial.count === 0) return whole;
  const reach = extended(await initial.radius(SHARE_SHOWN, { centre: boxCentre, flat: false }, ranges), scenario.box);
  const { centre } = await initial.centre(ranges);
  const room = galaxyNames(present).length > 1 ? ROOM_FOR_TAILS : ROOM;
  const span = Math.min(size, 2 * room * reach);
  const radius = Math.min(middle, await profileRadius(initial, centre, scenario.box, { disk, ranges }));
  return { ...whole, span, radius, species: await speciesViews(initial, centre, present, scenario) };
}

async function meanMassOf(particles: Reductions, ranges: readonly IdRange[]): Promise<number> {
  const { mass, count } = await particles.centre(ranges);
  return mass / Math.max(1, count);
}

/** The radius that particles reach to, or half of the box where they are all at one place [length]. */
const extended = (radius: number, { size }: Pick<Box, "size">) => (radius > ONE_PLACE * size ? radius : size / 2);

/** The radius that profiles about `centre` end at [length]. */
export const profileRadius = async (
  particles: Reductions,
  centre: Vector,
  box: Pick<Box, "size">,
  { disk, ranges }: Pick<ReportView, "disk" | "ranges">,
) => extended(await particles.radius(disk ? 0.98 : 0.995, { centre, flat: disk }, ranges), box);

/** Face-on, and for disks edge-on. */
const mapsOf = ({ disk, boxCentre: centre, span }: ReportView, size: Pick<MapView, "width" | "height">): MapView[] =>
  (disk ? (["z", "y"] as const) : (["z"] as const)).map((axis) => ({ axis, centre, span, ...size }));

/** Maps of one snapshot: face-on, and for disks edge-on. */
export async function reportSnapshot(particles: Reductions, time: number, view: ReportView): Promise<ReportSnapshot> {
  const { span, ranges, meanMass } = view;
  const side = { width: PIXELS, height: PIXELS };
  const area = (span / PIXELS) ** 2;
  const [faceOn, edgeOn] = (await particles.maps(mapsOf(view, side), ranges)).map((masses) => ({
    values: new Float32Array(masses.map((one) => one / area)),
    ...{ ...side, spanX: span, spanY: span, quantum: meanMass / area },
  }));
  return { time, faceOn, ...(edgeOn && { edgeOn }) };
}

/** Face-on map of some of the particles, as wide as the view. */
export async function groupMap(particles: Reductions, ranges: IdRange[], view: ReportView): Promise<DensityPicture> {
  const group = { ...view, ranges, disk: false, meanMass: await meanMassOf(particles, ranges) };
  return (await reportSnapshot(particles, 0, group)).faceOn;
}

function filled<T extends { radius: number[]; count: number[] }>(profile: T, values: (keyof T)[]): number[][] {
  const keep = profile.count.flatMap((count, b) => (count >= LEAST_IN_BIN ? [b] : []));
  return (["radius", ...values] as (keyof T)[]).map((key) => keep.map((b) => (profile[key] as number[])[b]));
}

async function middleOf(particles: Reductions, { apart, ranges }: ReportView): Promise<DensityCentre> {
  if (apart) return densityCentre(particles, ranges);
  const { centre } = await particles.centre(ranges);
  return { centre, velocity: await particles.meanVelocity(ranges) };
}

/** Density profile (surface density for disks) of one snapshot, about the centre of what is shown. */
export async function reportProfile(particles: Reductions, time: number, view: ReportView) {
  if (!view.profiles) return undefined;
  const { disk, ranges } = view;
  const { centre } = await middleOf(particles, view);
  const edges = disk
    ? linearEdges(view.radius, RING_BINS)
    : logarithmicEdges(view.radius / 200, view.radius, PROFILE_BINS);
  const { normal } = view;
  const found = normal
    ? await particles.rings({ centre, normal, velocity: [0, 0, 0], edges, accelerations: false }, ranges)
    : await particles.shells(edges, { centre, flat: disk }, ranges);
  const [radius, density] = filled(disk ? surfaceDensityIn(found, edges) : densityIn(found, edges), ["density"]);
  return { time, radius, density };
}

/** Density profiles of the species of one snapshot, about the same centre, and of phantom matter as far as they go. */
export async function reportSpecies(particles: Reductions, time: number, view: ReportView, phantom?: PhantomMatter) {
  const { profiles, species = [] } = view;
  if (!profiles || species.length === 0) return [];
  const { centre } = await middleOf(particles, view);
  const found: ({ name: string } & ReportProfile)[] = [];
  for (const { name, ranges, radius: most } of species) {
    const edges = logarithmicEdges(most / 200, most, PROFILE_BINS);
    const shells = await particles.shells(edges, { centre, flat: false }, ranges);
    const [radius, density] = filled(densityIn(shells, edges), ["density"]);
    found.push({ name, time, radius, density });
  }
  if (!phantom) return found;
  const most = Math.max(...species.map(({ radius }) => radius));
  const edges = logarithmicEdges(most / 200, most, PROFILE_BINS);
  const { density } = phantom.shells(edges, centre);
  const filledShells = edges.slice(1).flatMap((_, b) => (density[b] > 0 ? [b] : []));
  return [
    ...found,
    {
      ...{ name: "phantom matter", time },
      radius: filledShells.map((b) => Math.sqrt(edges[b] * edges[b + 1])),
      density: filledShells.map((b) => density[b]),
    },
  ];
}

/** Rotation, dispersions and height of one snapshot, with the circular speed of the accelerations; undefined without a disk. */
export async function reportRotation(particles: Reductions, time: number, view: ReportView) {
  if (!view.disk || !view.profiles) return undefined;
  const middle = await middleOf(particles, view);
  const edges = linearEdges(view.radius, RING_BINS);
  const about = { ...middle, ...(view.normal && { normal: view.normal }), edges };
  const curve = rotationIn(await particles.rings({ ...about, accelerations: true }, view.ranges), edges);
  const height = heightsIn(await particles.waves(about, view.ranges));
  const values = [
    "rotation",
    "sigmaR",
    "sigmaZ",
    "height",
    ...(curve.circular ? (["circular"] as const) : []),
  ] as const;
  const [radius, rotation, sigmaR, sigmaZ, heights, circular] = filled({ ...curve, height }, [...values]);
  return {
    ...{ time, radius, rotation, sigmaR, sigmaZ, height: heights },
    ...(circular && { circular }),
    ...(!view.normal && { centre: middle.centre }),
  };
}

/** √(⟨z²⟩ − ⟨z⟩²) of each ring [length]. */
const heightsIn = ({ height, squaredHeight }: RingWaves) =>
  squaredHeight.map((square, k) => Math.sqrt(Math.max(0, square - height[k] ** 2)));

/** Angles at which the force of a ring is taken, and thinner rings that it is made of. */
const ANGLES = 256;
const PARTS = 8;

/**
 * Circular speeds that the components of a galaxy would have alone, by Newton's gravity; none of a single one. Of a disk
 * R ∂φ/∂R = Gm ⟨R (R − a cos φ)/(R² + a² − 2Ra cos φ + ε²)^{3/2}⟩ of its rings (a, m), softened by their height ε; of others,
 * as of spheres, GM(<R)/R.
 */
export async function componentSpeeds(particles: Reductions, view: ReportView, radius: readonly number[], G: number) {
  const own = [...view.ranges, ...(view.species ?? []).flatMap(({ ranges }) => ranges)];
  const components = particles.components.filter((one) => own.some(({ first }) => first === one.first));
  if (components.length < 2) return [];
  const { centre } = await middleOf(particles, view);
  const about = { centre, ...(view.normal && { normal: view.normal }), edges: linearEdges(view.radius, RING_BINS) };
  const within = async (one: ComponentRange) => {
    const { mass } = await particles.shells([0, ...radius], { centre, flat: false }, [one]);
    return [...cumsum(mass)].map((inside, k) => inside / radius[k]);
  };
  const found: { name: string; speed: number[] }[] = [];
  for (const one of components) {
    const ofRings = async () => ringSquares(await particles.waves(about, [one]), about.edges, radius);
    const squares = await (one.species === "disk" ? ofRings() : within(one));
    found.push({ name: one.name, speed: squares.map((square) => Math.sqrt(Math.max(0, G * square))) });
  }
  return found;
}

/** R ∂φ/∂R of rings at each radius in their plane, over G [mass/length]. */
function ringSquares(rings: RingWaves, edges: readonly number[], radius: readonly number[]): number[] {
  const heights = heightsIn(rings);
  const ofRing = (R: number, k: number) => {
    let [sum, weight] = [0, 0];
    for (let part = 0; part < PARTS; part++) {
      const a = edges[k] + ((edges[k + 1] - edges[k]) * (part + 0.5)) / PARTS;
      weight += ANGLES * a;
      for (let i = 0; i < ANGLES; i++) {
        const x = a * Math.cos((2 * Math.PI * (i + 0.5)) / ANGLES);
        sum += (a * R * (R - x)) / (R * R + a * a - 2 * R * x + heights[k] ** 2) ** 1.5;
      }
    }
    return sum / weight;
  };
  return radius.map((R) => rings.mass.reduce((sum, m, k) => (m > 0 ? sum + m * ofRing(R, k) : sum), 0));
}
