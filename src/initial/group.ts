/**
 * Components about the same centre feel each other: their spherically averaged mass profiles together give the total
 * potential in which every one of them is set up. Components elsewhere are not taken into account (galaxies that are to
 * collide start in equilibrium with themselves).
 */
import type { ParticleComponent } from "./components.ts";
import { diskDraw, diskKinematics } from "./exponential-disk.ts";
import { keplerDraw } from "./kepler.ts";
import { isLattice } from "./lattice.ts";
import type { Draw } from "./model.ts";
import { plummerDraw } from "./plummer.ts";
import {
  hernquistShape,
  plummerShape,
  type SphericalProfile,
  type SphericalShape,
  sphericalDiskProfile,
  sumOfProfiles,
} from "./profiles.ts";
import { type EquilibriumSphere, equilibriumSpheres, type LiveSphere, sphereDraw } from "./sphere.ts";
import { uniformDraw } from "./uniform.ts";

type Sphere = Extract<ParticleComponent, { kind: "plummer" | "hernquist" }>;
type Galactic = Extract<ParticleComponent, { kind: "plummer" | "hernquist" | "exponential-disk" }>;

/** Whether the component is a fixed external field without particles. */
export function isRigid(component: ParticleComponent): component is Sphere & { rigid: true } {
  return (component.kind === "plummer" || component.kind === "hernquist") && component.rigid;
}

function isGalactic(component: ParticleComponent): component is Galactic {
  return component.kind === "plummer" || component.kind === "hernquist" || component.kind === "exponential-disk";
}

function shapeOf(component: Sphere): SphericalShape {
  return component.kind === "plummer"
    ? plummerShape(component.mass, component.scale)
    : hernquistShape(component.mass, component.scale);
}

/** Same centre to within a millionth of the smaller of the two scales. */
function concentric(a: Galactic, b: Galactic): boolean {
  const size = (component: Galactic) =>
    component.kind === "exponential-disk" ? component.scaleLength : component.scale;
  const distance = Math.hypot(...a.offset.map((value, axis) => value - b.offset[axis]));
  return distance <= 1e-6 * Math.min(size(a), size(b));
}

/** How to draw the particles of each component, in deck order; null for rigid ones, lattices and snapshots. */
export function componentDraws(components: readonly ParticleComponent[], G: number): (Draw | null)[] {
  const groups = new Map<Galactic, ReturnType<typeof solveGroup>>();
  for (const component of components) {
    if (!isGalactic(component) || groups.has(component)) continue;
    const members = components.filter(isGalactic).filter((other) => concentric(component, other));
    const solved = solveGroup(members);
    for (const member of members) groups.set(member, solved);
  }
  return components.map((component) => {
    if (component.kind === "snapshot" || isLattice(component) || isRigid(component)) return null;
    if (component.kind === "uniform") return uniformDraw(component);
    if (component.kind === "kepler") return keplerDraw(component, G);
    const group = groups.get(component)!;
    if (component.kind === "exponential-disk") {
      const others = sumOfProfiles([...group.profiles].filter(([member]) => member !== component).map(([, p]) => p));
      return diskDraw(component, diskKinematics(component, others, G));
    }
    const sphere = group.spheres.get(component);
    return sphere ? sphereDraw(sphere, G) : plummerDraw(component, G);
  });
}

/** Mass profiles of all members, and the equilibrium of the live spheres that need one. */
function solveGroup(members: readonly Galactic[]): {
  profiles: Map<Galactic, SphericalProfile>;
  spheres: Map<Galactic, EquilibriumSphere>;
} {
  const profiles = new Map<Galactic, SphericalProfile>();
  const live: { component: Sphere; sphere: LiveSphere }[] = [];
  for (const component of members) {
    if (component.kind === "exponential-disk") {
      profiles.set(component, sphericalDiskProfile(component.mass, component.scaleLength, component.cutoff));
    } else if (component.rigid) {
      profiles.set(component, shapeOf(component));
    } else {
      const { name, mass, cutoff } = component;
      live.push({ component, sphere: { name, shape: shapeOf(component), mass, cutoff } });
    }
  }
  const spheres = new Map<Galactic, EquilibriumSphere>();
  // A Plummer sphere by itself has a closed form.
  if (members.length === 1 && members[0].kind === "plummer") return { profiles, spheres };
  const solved = equilibriumSpheres(
    live.map(({ sphere }) => sphere),
    [...profiles.values()],
  );
  live.forEach(({ component }, i) => {
    profiles.set(component, solved[i].profile);
    spheres.set(component, solved[i]);
  });
  return { profiles, spheres };
}
