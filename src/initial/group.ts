/**
 * Components about the same centre feel each other: their spherically averaged mass profiles together give the total
 * potential in which every one of them is set up. Components elsewhere are not taken into account (galaxies that are to
 * collide start in equilibrium with themselves).
 */
import { isRigid } from "./components.ts";
import type { ModelComponent, ModelContext } from "./model.ts";
import { modelOf } from "./models.ts";
import { type ScaledProfile, type SphericalProfile, sumOfProfiles } from "./profiles.ts";
import { type EquilibriumSphere, equilibriumSpheres, type Sphere } from "./sphere.ts";

/** A component with a mass profile. */
interface Member {
  component: ModelComponent;
  profile: ScaledProfile;
  /** To be set up in equilibrium. */
  live?: Sphere;
}

type Concentric = Pick<ModelContext, "alone" | "others" | "equilibrium">;

/** What each component shares its centre with, in deck order; solved when it is asked for. */
export function concentric(components: readonly ModelComponent[]): Concentric[] {
  const members = components.map(memberOf);
  const groups = new Map<Member, { alone: boolean; solved: () => ReturnType<typeof solveGroup> }>();
  for (const member of members) {
    if (!member || groups.has(member)) continue;
    const group = members.filter((other) => other !== undefined && sameCentre(member, other)) as Member[];
    let solution: ReturnType<typeof solveGroup> | undefined;
    const solved = () => (solution ??= solveGroup(group));
    for (const one of group) groups.set(one, { alone: group.length === 1, solved });
  }
  return members.map((member) => {
    const group = member && groups.get(member);
    const others = () => [...(group?.solved().profiles ?? [])].filter(([one]) => one !== member).map(([, p]) => p);
    return {
      alone: group?.alone ?? true,
      others: () => sumOfProfiles(others()),
      equilibrium() {
        const found = member && group?.solved().spheres.get(member);
        if (!found) throw new TypeError("only a live component with a sphere has an equilibrium");
        return found;
      },
    };
  });
}

function memberOf(component: ModelComponent): Member | undefined {
  const model = modelOf(component);
  const live = model.sphere?.(component);
  if (live) return { component, profile: live.shape, ...(isRigid(component) ? {} : { live }) };
  const profile = model.profile?.(component);
  return profile && { component, profile };
}

/** Same centre to within a millionth of the smaller of the two scales. */
function sameCentre(a: Member, b: Member): boolean {
  const distance = Math.hypot(...a.component.offset.map((value, axis) => value - b.component.offset[axis]));
  return distance <= 1e-6 * Math.min(a.profile.scale, b.profile.scale);
}

/** Mass profiles of all members, those that are given before those that are solved for; and the live spheres. */
function solveGroup(members: readonly Member[]) {
  const live = members.filter((member): member is Member & { live: Sphere } => member.live !== undefined);
  const profiles = new Map<Member, SphericalProfile>();
  for (const member of members) if (!member.live) profiles.set(member, member.profile);
  const solved = equilibriumSpheres(
    live.map((member) => member.live),
    [...profiles.values()],
  );
  const spheres = new Map<Member, EquilibriumSphere>();
  live.forEach((member, i) => {
    profiles.set(member, solved[i].profile);
    spheres.set(member, solved[i]);
  });
  return { profiles, spheres };
}
