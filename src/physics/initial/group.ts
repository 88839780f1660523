/**
 * Components about the same centre are each set up in the total potential of their spherically averaged mass profiles.
 * Those elsewhere or of another galaxy don't count: galaxies that are to collide start in equilibrium with themselves.
 */
import type { ExternalPotential } from "../potentials/potential.ts";
import { placedPotential } from "../potentials/settings.ts";
import { fixedTables, type InitialSettings, isRigid } from "./components.ts";
import type { FlatDensity } from "./flat-field.ts";
import { softenedFlat, softenedProfile, softeningOf } from "./mesh-softening.ts";
import type { ModelComponent, ModelContext } from "./model.ts";
import { modelOf } from "./models.ts";
import { gravityLaw, modifiedProfile } from "./modified-law.ts";
import { meanMass } from "./monopole.ts";
import { type SphericalComponent, type SphericalProfile, sumOfProfiles } from "./profiles.ts";
import { type EquilibriumSphere, equilibriumSpheres } from "./sphere.ts";
import { totalField } from "./total-field.ts";

/** What has a centre: a component, or an external potential. */
type Centred = Pick<ModelComponent, "offset" | "galaxy">;

export interface GroupMember {
  component: Centred;
  /** Absent: it feels the others only. */
  profile?: SphericalProfile;
  /** Beside the profile, where that is the spherical mean of something else. */
  flat?: FlatDensity;
  external?: ExternalPotential;
  /** Scale radius of the profile [length] */
  scale: number;
  /** Particles, whose field is the mesh's. */
  particles: boolean;
  /** To be set up in equilibrium. */
  live?: SphericalComponent;
  equilibrium?: EquilibriumSphere;
}

type Concentric = Pick<ModelContext, "alone" | "others" | "field" | "equilibrium">;

/** Mass profiles of external potentials end here, in sides of the box: as far out as eddington.ts looks. */
const OUTERMOST = 1e3;

type Settings = Pick<InitialSettings, "box" | "mesh" | "mond" | "particles" | "potential">;

/** Components and external potentials at rest, with their mass as the deck has it. `G` in deck units. */
function membersOf(settings: Settings, G: number): GroupMember[] {
  const { box, particles: components } = settings;
  const outermost = OUTERMOST * box.size;
  // One whose centre moves is concentric with no galaxy.
  const background = fixedTables(settings, G)
    .filter(({ path, orbit }) => path === undefined && orbit === undefined)
    .flatMap((component) =>
      placedPotential(component, box, G).map((external): GroupMember => {
        const profile = meanMass(external, G, outermost);
        return { component, external, particles: false, scale: Number.POSITIVE_INFINITY, ...(profile && { profile }) };
      }),
    );
  return [...components.map((component) => memberOf(component, G)), ...background];
}

/** Mass about each component's centre before it is cut off and solved, its own first, and about others; `particles`: a mesh smooths it. */
export function massesAbout(settings: Settings, G: number) {
  const members = membersOf(settings, G);
  return settings.particles.map((component, index) => {
    const [own, others] = [members[index], members.filter((_, k) => k !== index)];
    const isHere = (one: GroupMember) => sameCentre(own, one);
    return { component, about: [own, ...others.filter(isHere)], elsewhere: others.filter((one) => !isHere(one)) };
  });
}

/** What each component shares its centre with, in deck order; solved when it is asked for. `G` in deck units. */
export function concentric(settings: Settings, G: number): Concentric[] {
  const { box, particles: components } = settings;
  const softening = softeningOf(settings);
  const nu = gravityLaw(settings.mond);
  const law = nu && ((total: SphericalProfile) => modifiedProfile(total, nu, { G, boxSize: box.size }));
  const members = membersOf(settings, G);
  const groups = new Map<Centred, { group: GroupMember[]; solved: () => GroupMember[] }>();
  for (const member of members) {
    if (groups.has(member.component)) continue;
    const group = members.filter((other) => sameCentre(member, other));
    let solution: GroupMember[] | undefined;
    const solved = () => (solution ??= solve(group, softening, law));
    for (const { component } of group) groups.set(component, { group, solved });
  }
  return components.map((component) => {
    const { group, solved } = groups.get(component)!;
    const isOther = (one: GroupMember) => one.component !== component && one.profile !== undefined;
    return {
      // A closed form is of Newton's field of points.
      alone: softening === 0 && !nu && !group.some(isOther),
      others: () => sumOfProfiles(solved().flatMap((one) => (isOther(one) ? one.profile! : []))),
      field() {
        const spheres = solved().filter(({ flat, external }) => !flat && !external);
        const sources = {
          flat: solved().flatMap(({ flat }) => flat ?? []),
          spheres: spheres.flatMap(({ profile }) => profile ?? []),
          external: solved().flatMap(({ external }) => external ?? []),
        };
        return totalField(sources, G, nu);
      },
      equilibrium() {
        const found = solved().find((one) => one.component === component)?.equilibrium;
        if (!found) throw new TypeError("only a live component with a sphere has an equilibrium");
        return found;
      },
    };
  });
}

function memberOf(component: ModelComponent, G: number): GroupMember {
  const model = modelOf(component);
  const sphere = model.sphere?.(component);
  const shape = sphere?.shape ?? model.profile?.(component, G);
  const particles = !isRigid(component);
  const profile = sphere?.massless ? undefined : shape;
  const flat = profile && model.flat?.(component, G);
  return {
    ...{ component, particles, scale: shape?.scale ?? 0 },
    ...{ ...(profile && { profile }), ...(flat && { flat }) },
    ...(sphere && particles && { live: sphere }),
  };
}

/** Same centre in the same galaxy, to within a millionth of the smaller of the two scales. */
function sameCentre(a: GroupMember, b: GroupMember): boolean {
  if (a.component.galaxy !== b.component.galaxy) return false;
  const distance = Math.hypot(...a.component.offset.map((value, axis) => value - b.component.offset[axis]));
  return distance <= 1e-6 * Math.min(a.scale, b.scale);
}

/** The members with their mass as the field has it: softened, and of live spheres that of the particles. */
function solve(
  members: readonly GroupMember[],
  softening: number,
  law?: (total: SphericalProfile) => SphericalProfile,
): GroupMember[] {
  const felt = (profile: SphericalProfile) => (softening > 0 ? softenedProfile(profile, softening) : profile);
  const given = members.flatMap((one) => {
    const { profile, flat, particles, live } = one;
    if (live) return [];
    if (softening === 0 || !profile || !particles) return [one];
    return [{ ...one, profile: felt(profile), ...(flat && { flat: softenedFlat(flat, softening) }) }];
  });
  const live = members.filter(({ live }) => live);
  const solved = equilibriumSpheres(
    live.flatMap((member) => member.live ?? []),
    given.flatMap(({ profile }) => profile ?? []),
    { felt, ...(law && { law }) },
  );
  const solution = live.map(
    (one, i): GroupMember => ({
      ...{ ...one, equilibrium: solved[i] },
      ...(!one.live?.massless && { profile: felt(solved[i].profile) }), // tracers exert no force
    }),
  );
  return [...given, ...solution];
}
