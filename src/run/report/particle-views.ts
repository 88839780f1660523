/** From particles to what the report shows of them: which particles, from where, how wide; maps, profiles, rotation. */

import { sum } from "d3-array";
import { type DensityCentre, densityCentre } from "../../diagnostics/density-centre.ts";
import {
  centreOfMass,
  densityProfile,
  linearEdges,
  logarithmicEdges,
  meanVelocity,
  type ParticleRange,
  projectedDensity,
  rotationCurve,
  surfaceDensityProfile,
} from "../../diagnostics/profiles.ts";
import type { DensityMap } from "../../page/pictures.ts";
import type { ParticleSet } from "../../particles/state.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import type { ReportProfile, ReportRotation, ReportSnapshot } from "./model.ts";

/** Pixels of a picture's side; of an edge-on picture pages show the rows that hold something. */
const PIXELS = 400;
/** The picture's side holds this share of the mass shown, with some room about it. */
const SHARE_SHOWN = 0.97;
const ROOM = 1.3;
const PROFILE_BINS = 32;
const RING_BINS = 30;
/** Radii are taken from at most about twice this many particles, evenly picked. */
const LARGEST_SAMPLE = 100_000;
/** A bin with fewer particles is noise. */
const LEAST_IN_BIN = 8;

/** What of a run its report shows; chosen on the initial particles and kept for the whole run. */
export interface ReportView {
  /** "disk", "all particles", … for captions. */
  shown: string;
  ranges: ParticleRange[];
  disk: boolean;
  /** Profiles are shown: not of a periodic box, which has no centre. */
  profiles: boolean;
  boxCentre: [number, number, number];
  /** Side of the pictures [length]. */
  span: number;
  /** Outer radius of profiles and rotation curves [length]. */
  radius: number;
  /** One galaxy of several: profiles are about where it is densest, whatever has been pulled out of it. */
  apart?: boolean;
}

/** The range as one, when ranges follow each other; profiles of several ranges are taken over copies. */
function gathered<T extends Float32Array | Float64Array>(values: T, width: number, ranges: readonly ParticleRange[]) {
  const total = ranges.reduce((sum, range) => sum + range.count, 0);
  if (total * width === values.length) return values;
  const out = new Float64Array(total * width);
  let at = 0;
  for (const { first, count } of ranges) {
    for (let i = first * width; i < (first + count) * width; i++) out[at++] = values[i];
  }
  return out;
}

export function shownParticles(particles: ParticleSet & { accelerations?: Float32Array }, view: ReportView) {
  const { ranges } = view;
  return {
    positions: gathered(particles.positions, 3, ranges),
    velocities: gathered(particles.velocities, 3, ranges),
    masses: gathered(particles.masses, 1, ranges),
    ...(particles.accelerations ? { accelerations: gathered(particles.accelerations, 3, ranges) } : {}),
  };
}

/** Radius about `centre` that holds `share` of the particles [length]; flat: only x and y count. */
export function radiusOf(
  positions: ArrayLike<number>,
  centre: readonly number[],
  share: number,
  flat: boolean,
): number {
  const count = positions.length / 3;
  const stride = Math.max(1, Math.floor(count / LARGEST_SAMPLE));
  const radii = new Float64Array(Math.ceil(count / stride));
  for (let k = 0, i = 0; i < count; i += stride, k++) {
    const x = positions[3 * i] - centre[0];
    const y = positions[3 * i + 1] - centre[1];
    const z = flat ? 0 : positions[3 * i + 2] - centre[2];
    radii[k] = Math.sqrt(x * x + y * y + z * z);
  }
  radii.sort();
  return radii[Math.min(radii.length - 1, Math.floor(share * radii.length))] ?? 0;
}

/**
 * Chooses the view on the initial particles. With a disk, halo particles are left out, because they would veil it.
 * A periodic box is shown whole.
 */
export function reportView(initial: ParticleSet, scenario: Scenario): ReportView {
  const { size, boundary } = scenario.box;
  const middle = size / 2;
  const boxCentre: [number, number, number] = [middle, middle, middle];
  const disk = initial.components.some((c) => c.species === "disk" && c.count > 0);
  const visible = initial.components.filter((c) => c.count > 0 && !(disk && c.species === "halo"));
  const all = visible.length === initial.components.filter((c) => c.count > 0).length;
  const named = [...new Set(visible.map((c) => c.species))].join(" and ");
  const view: ReportView = {
    shown: all ? "all particles" : `${named} particles`,
    ranges: visible.map(({ first, count }) => ({ first, count })),
    disk,
    profiles: boundary === "isolated",
    boxCentre,
    span: size,
    radius: middle,
  };
  if (boundary === "periodic" || initial.count === 0) return view;
  const shown = shownParticles(initial, view);
  const centre = centreOfMass(shown);
  const reach = radiusOf(shown.positions, boxCentre, SHARE_SHOWN, false);
  view.span = Math.min(size, 2 * ROOM * reach);
  view.radius = Math.min(middle, radiusOf(shown.positions, centre, disk ? 0.98 : 0.995, disk));
  return view;
}

/** Maps of one snapshot: face-on, and for disks edge-on. */
export function reportSnapshot(particles: ParticleSet, time: number, view: ReportView): ReportSnapshot {
  const shown = shownParticles(particles, view);
  const mean = sum(shown.masses) / Math.max(1, shown.masses.length);
  const map = (axis: "z" | "y"): DensityMap => {
    const size = { width: PIXELS, height: PIXELS };
    const seen = projectedDensity(shown, { axis, centre: view.boxCentre, span: view.span, ...size });
    return { ...seen, quantum: mean * (PIXELS / view.span) ** 2 };
  };
  const snapshot: ReportSnapshot = { time, faceOn: map("z") };
  if (view.disk) snapshot.edgeOn = map("y");
  return snapshot;
}

function filled<T extends { radius: number[]; count: number[] }>(profile: T, values: (keyof T)[]): number[][] {
  const keep = profile.count.flatMap((count, b) => (count >= LEAST_IN_BIN ? [b] : []));
  return (["radius", ...values] as (keyof T)[]).map((key) => keep.map((b) => (profile[key] as number[])[b]));
}

/** What profiles are about. */
function middleOf(shown: ReturnType<typeof shownParticles>, { apart }: ReportView): DensityCentre {
  return apart ? densityCentre(shown) : { centre: centreOfMass(shown), velocity: meanVelocity(shown) };
}

/** Density profile (surface density for disks) of one snapshot, about the centre of what is shown. */
export function reportProfile(particles: ParticleSet, time: number, view: ReportView): ReportProfile | undefined {
  if (!view.profiles) return undefined;
  const shown = shownParticles(particles, view);
  const { centre } = middleOf(shown, view);
  const profile = view.disk
    ? surfaceDensityProfile(shown, centre, linearEdges(view.radius, RING_BINS))
    : densityProfile(shown, centre, logarithmicEdges(view.radius / 200, view.radius, PROFILE_BINS));
  const [radius, density] = filled(profile, ["density"]);
  return { time, radius, density };
}

/** Rotation curve of one snapshot, with the circular speed when accelerations are given; undefined without a disk. */
export function reportRotation(
  particles: ParticleSet & { accelerations?: Float32Array },
  time: number,
  view: ReportView,
): ReportRotation | undefined {
  if (!view.disk || !view.profiles) return undefined;
  const shown = shownParticles(particles, view);
  const { centre, velocity } = middleOf(shown, view);
  const curve = rotationCurve(shown, centre, velocity, linearEdges(view.radius, RING_BINS));
  const [radius, rotation, circular] = filled(curve, curve.circular ? ["rotation", "circular"] : ["rotation"]);
  return { time, radius, rotation, ...(circular ? { circular } : {}) };
}
