/**
 * What a run resolves: what the cells at a component's radii and height, or the softening of a direct sum, will do to it; and the
 * fixed step against the times in which particles go round where the mass is densest and pass each other.
 *
 * A force is softened by a Gaussian of s per axis (physics/initial/mesh-softening.ts). A model in equilibrium with that of points expands;
 * over ten half-mass dynamical times a radius that holds a share p of its mass grows by
 *   Δr/r = 0.4 ln[M(r')/M_s(r')],   r' the radius of p/2 for 10 %, of 0.3 p for 50 % of the mass,
 * M all that shares its centre and M_s the same as the force has it; a height of a layer by as much with the vertical force,
 * F(s/z0) = [1 + 0.68 (s/z0)²]^(−1/2) of the disk's own part. Of a satellite a revolution leaves K = 1/[1 + (1.85/x)¹²] bound, x its tidal
 * radius over its half-mass radius: K(x/(1 + Δr/r))/K(x) of it with such a force. Measured and fitted: docs/resolution.md.
 */
import { greatest, groups, least } from "d3-array";
import { stencilReach } from "../engine/mesh/deposit/stencil.ts";
import { levelGeometry, levelProblems, MOST_SUBSTEPS } from "../engine/mesh/levels/level-grid.ts";
import type { Level } from "../engine/mesh/levels/level-settings.ts";
import { once } from "../foundation/base/once.ts";
import { meshSizes } from "../foundation/deck/mesh-sizes.ts";
import { rounded, shortest } from "../foundation/deck/problems.ts";
import { unitSystem } from "../foundation/deck/units.ts";
import { lengthsOf, sampledComponents, sampledCount } from "../physics/initial/components.ts";
import { massesAbout } from "../physics/initial/group.ts";
import { softenedMass, softeningInCells } from "../physics/initial/mesh-softening.ts";
import type { ModelComponent } from "../physics/initial/model.ts";
import { modelOf } from "../physics/initial/models.ts";
import { gravityLaw } from "../physics/initial/modified-law.ts";
import type { SphericalProfile } from "../physics/initial/profiles.ts";
import { centreOf, nominalPlaces } from "./galaxies.ts";
import { fastestHalo } from "./halo-steps.ts";
import { levelSizes, levelsOf } from "./level-sizes.ts";
import type { Scenario } from "./scenario.ts";

/** Of the logarithm of what a force lacks. */
const GROWTH = 0.4;
/** Radii that are judged, by the share of the mass that they hold, and where the force counts that lets them grow. */
const RADII = [
  { key: "r10", share: 0.1, felt: 0.05 },
  { key: "r50", share: 0.5, felt: 0.15 },
] as const;
/** Of a layer's force, smoothed by s = z0: 1/√(1 + LAYER). */
const LAYER = 0.68;
/** Set up for the mesh's force, radii and heights grow by SOFTENED (h/r)^1.5. */
const SOFTENED = 0.03;
/** Share of a satellite that stays bound, x its tidal radius in half-mass radii; nearer than NEAR nothing does, and beyond FAR no tide counts. */
const kept = (x: number) => 1 / (1 + (1.85 / x) ** 12);
const [NEAR, FAR] = [1.5, 3];
/** Changes by more than a tenth are warned of; energy errors are put down to larger ones. */
const [MOST, LARGE] = [0.1, 0.25];
/** The mesh that is proposed at most, and levels [cells per side]. */
const [MOST_CELLS, LEVEL_CELLS] = [512, [64, 96, 128, 192, 256]];
/** Half-mass radii that the core of a proposed level holds, and refinements of levels in each other that are proposed. */
const ROOM = 1.5;
const REFINEMENTS = [[2], [4], [4, 2], [4, 4], [4, 4, 2]] as const;
/** ω times the step, and the same of a passage at the distance of the softening. */
const [LONGEST_STEP, LONGEST_IN_PASSAGE] = [1, 1];
/** How much shorter proposed steps are; in an expanding box few haloes turn as fast as the largest. */
const [SPARE, SPARE_IN_HALOES] = [2, 1.1];
/** What the growth of radii was measured to; bisections of a radius. */
const [MEASURED, BISECTIONS] = [0.5, 50];
/** With fewer particles the orbits are the deck's own. */
const FEW = 10;
/** Where a model is densest, in its scale lengths. */
const INNER = 1 / 3;

type Component = ReturnType<typeof sampledComponents>[number];

export interface Resolved {
  name: string;
  /** "r10", "r50": radii that hold so much of the mass; "height"; "bound mass". */
  key: string;
  /** The radius, at which bound mass is judged as well, or height [length]. */
  length: number;
  against: "cell" | "softening";
  /** Side of the cells there, or the softening [length]. */
  spacing: number;
  ratio: number;
  /** What becomes of it within ten half-mass dynamical times, relative to what it is. */
  change: number;
  /** Nothing need be said of it. */
  enough: boolean;
}

type Masses = ReturnType<typeof massesAbout>[number];
type Judged = Resolved & { component: Component };

/** Levels with what they move with. */
type Placed = Level & { with: Pick<ModelComponent, "velocity" | "galaxy"> };

/** Every length that is judged, of components with mass; none for a direct sum of points. */
export const resolutionOf = once((scenario: Scenario): Resolved[] =>
  judged(scenario).map(({ component: _, ...resolved }) => resolved),
);

/** The side of the smallest cells of all meshes [length]. */
export const smallestCell = (scenario: Scenario): number => forceAbout({ ...scenario, gravity: "mesh" }, 0).h;

/** The same scenario with direct sums that are softened as pairs are, like with like. */
export function softenedAsPairs(scenario: Scenario, { softening, softeningKernel }: Scenario["p3m"]): Scenario {
  return { ...scenario, direct: { ...scenario.direct, softening, softeningKernel } };
}

/** Side of the cells, or the softening, that act so far from the middle of what is followed [length], and kicks in a step. */
export function forceAbout(scenario: Scenario, radius: number): { h: number; substeps: number } {
  const { spacing, levels } = forceOf(scenario);
  const [whole, substeps] = [{ h: spacing, substeps: 1 }, levels[0]?.substeps ?? 1];
  const reaching = levels.length > 0 ? levelSizes(scenario).filter(({ core }) => core >= radius) : [];
  return least([whole, ...reaching.map(({ h }) => ({ h, substeps }))], ({ h }) => h)!;
}

/** Mass inside r of what is about a centre [mass]. */
const massOf = (about: Masses["about"], r: number) =>
  about.reduce((sum, { profile }) => sum + (profile?.mass(r) ?? 0), 0);

const masses = once((scenario: Scenario) => massesAbout(scenario, unitSystem(scenario.units.system).G));
const massesOf = (scenario: Scenario, { name }: Pick<ModelComponent, "name">) =>
  masses(scenario)[scenario.particles.findIndex((one) => one.name === name)];
const frames = once((scenario: Scenario) => nominalPlaces(scenario, unitSystem(scenario.units.system).G).frames);

/** From the centre of the box [length]. */
const placeOf = (scenario: Scenario, one: Parameters<typeof centreOf>[0]) =>
  centreOf(one, frames(scenario).get(one.galaxy ?? ""));

const placed = once((scenario: Scenario): Placed[] =>
  levelsOf(scenario, []).map((level, l) => {
    const { around } = scenario.level[l];
    const component: ModelComponent | undefined = scenario.particles.find(({ name }) => name === around);
    return { ...level, with: component ?? { galaxy: around, velocity: [0, 0, 0] } };
  }),
);

type Force = ReturnType<typeof forceOf>;

/** Side of the box's cells, or the softening [length], s in these, levels, and whether models are set up for it. */
function forceOf(scenario: Scenario) {
  const { gravity, box, mesh, direct, p3m } = scenario;
  if (gravity !== "mesh") {
    const { softening, substeps } = gravity === "p3m" ? p3m : { ...direct, substeps: 1 };
    return { spacing: softening, substeps, s: 1, levels: [], softened: mesh.softenedModels };
  }
  const [spacing, s] = [box.size / mesh.cells, softeningInCells(mesh, box.boundary)];
  return { spacing, substeps: 1, s, levels: placed(scenario), softened: mesh.softenedModels };
}

/** Side of the cells whose force acts at a radius about a component [length], how many kicks a step it gives there, and the level. */
function forceAt(
  scenario: Scenario,
  one: ModelComponent,
  radius: number,
  { spacing, levels, substeps } = forceOf(scenario),
) {
  const { box, mesh } = scenario;
  const whole = { h: spacing, substeps, level: undefined as number | undefined };
  if (levels.length === 0) return whole;
  const centre = placeOf(scenario, one);
  const geometry = levelGeometry(levels, mesh.cells, stencilReach(mesh));
  const there = levels.flatMap(({ refinement, place, substeps, with: { galaxy, velocity } }, l) => {
    const h = box.size / geometry[l].perBox;
    const off = Math.max(...centre.map((x, k) => Math.abs(box.size / 2 + x - place[k])));
    const goesAlong = galaxy === one.galaxy && velocity.every((v, k) => v === one.velocity[k]);
    return goesAlong && off + radius <= geometry[l].core * refinement * h ? [{ h, substeps, level: l }] : [];
  });
  return least([whole, ...there], ({ h }) => h)!;
}

/** `only`: of one component. */
function judged(scenario: Scenario, force = forceOf(scenario), only?: Component): Judged[] {
  if (force.spacing === 0) return [];
  const against = scenario.gravity === "mesh" ? "cell" : "softening";
  return sampledComponents(scenario).flatMap((component): Judged[] => {
    // Tracers have no force of their own that could be smoothed.
    if (component.mass === 0 || (only && component.name !== only.name)) return [];
    const at = (radius: number) => forceAt(scenario, component, radius, force).h;
    const entry = (key: string, length: number, spacing: number, change: number): Judged => {
      const [ratio, enough] = [length / spacing, Math.abs(change) <= MOST];
      return { component, name: component.name, key, length, against, spacing, ratio, change, enough };
    };
    const { sphere, extent } = modelOf(component);
    const all = massesOf(scenario, component);
    const [{ profile }] = all.about;
    if (!profile || !extent) return [];
    const reach = sphere?.(component).cutoff ?? extent.reach(component);
    /** With models set up for the mesh's force, and else. */
    const grown = (length: number, change: () => number) =>
      force.softened ? SOFTENED * (force.spacing / length) ** 1.5 : change();
    const radii = RADII.map(({ key, share, felt }) => {
      const [length, inner] = [share, felt].map((part) => radiusOf(profile, reach, part));
      const change = grown(length, () => growth(scenario, all, inner, force.s * at(inner)));
      return entry(key, length, at(length), change);
    });
    const [, half] = radii;
    const layers = lengthsOf(component).filter(({ layer }) => layer);
    const heights = layers.map(({ length: height }) => {
      const change = grown(height, () => thickening(all, { R: half.length, s: force.s * half.spacing, z0: height }));
      return entry("height", height, half.spacing, change);
    });
    const tide = sphere ? tidalRadius(scenario, all, reach) / half.length : FAR;
    const lost = tide > NEAR && tide < FAR ? [kept(tide / (1 + half.change)) / kept(tide) - 1] : [];
    return [...radii, ...heights, ...lost.map((change) => entry("bound mass", half.length, half.spacing, change))];
  });
}

/** The radius that holds a share of what a profile has inside `reach`, by bisection [length]. */
function radiusOf({ mass }: SphericalProfile, reach: number, share: number): number {
  let [low, high] = [0, reach];
  for (let k = 0; k < BISECTIONS; k++) {
    const middle = (low + high) / 2;
    if (mass(middle) < share * mass(reach)) low = middle;
    else high = middle;
  }
  return high;
}

/** Δr/r, by the pull of all at a radius; s of the force there [length]. */
function growth(scenario: Scenario, all: Masses, r: number, s: number): number {
  const { G } = unitSystem(scenario.units.system);
  const law = gravityLaw(scenario.mond);
  const pull = (mass: number) => mass * (law ? law((G * mass) / r ** 2) : 1);
  const felt = ({ profile, particles }: (typeof all.about)[number]) =>
    profile && particles ? softenedMass(profile, s, r) : (profile?.mass(r) ?? 0);
  return GROWTH * Math.log(pull(massOf(all.about, r)) / pull(all.about.reduce((sum, one) => sum + felt(one), 0)));
}

/** Δz/z at a radius R of a disk, where its own layer pulls with 2πGΣ/z0 and all else with GM/R³; Σ = 2Rρ of its spherical mean. */
function thickening({ about }: Masses, { R, s, z0 }: Record<"R" | "s" | "z0", number>): number {
  const [{ profile }, ...others] = about;
  const own = (4 * Math.PI * R * profile!.density(R)) / z0;
  const rest = massOf(others, R) / R ** 3;
  const weaker = 1 / Math.sqrt(1 + LAYER * (s / z0) ** 2);
  return GROWTH * Math.log((own + rest) / (own * weaker + rest));
}

/** (m/2Σ M(<d)/d³)^{1/3} of what lies inside `reach`, M(<d) of all else, as on a flat rotation curve, where the deck puts it. */
function tidalRadius(scenario: Scenario, { component, about, elsewhere }: Masses, reach: number): number {
  const place = placeOf(scenario, component);
  const tide = elsewhere.reduce((sum, { component: other, profile }) => {
    const d = Math.hypot(...placeOf(scenario, other).map((x, k) => x - place[k]));
    return d > 0 && profile ? sum + profile.mass(d) / d ** 3 : sum;
  }, 0);
  return Math.cbrt(massOf(about, reach) / (2 * tide));
}

/** On models that the mesh, or the softening, takes more than a tenth of: by component, what changes most first. */
export function resolutionWarnings(scenario: Scenario): string[] {
  const coarse = judged(scenario).filter(({ enough }) => !enough);
  return groups(coarse, ({ name }) => name).map(([, all]) => {
    all.sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
    return [coarseText(all, scenario), ...waysOut(all[0], scenario)].join(", or ").replace(", or ", ". Try ");
  });
}

/** The component that the mesh takes most of, in words, and what would mend it; undefined where that explains no energy error. */
export function coarsest(scenario: Scenario): { text: string; ways: string[] } | undefined {
  const worst = greatest(judged(scenario), ({ change }) => change);
  if (!worst || worst.change < LARGE) return undefined;
  const { name, key, length, ratio, spacing } = worst;
  const text = `${name}: ${key} = ${shown(length)} is ${shown(ratio)} of a cell (${shown(spacing)})`;
  return { text, ways: waysOut(worst, scenario) };
}

/** "bulge: cells are too large for it: within ten dynamical times r10 (0.323 kpc, 1.7 cells of 0.188 kpc) grows by about 18 %" */
function coarseText(all: readonly Judged[], { units }: Scenario): string {
  const [{ name, against }] = all;
  const text = (value: number) => lengthText(value, units.system, 3);
  const parts = all.map(({ key, length, spacing, ratio, change }) => {
    const percent = Math.round(100 * Math.abs(change));
    if (key === "bound mass") return `${percent} % of the mass that its tide leaves is lost`;
    const by = change > MEASURED ? `more than ${100 * MEASURED}` : `about ${percent}`;
    return `${key} (${text(length)}, ${shown(ratio)} ${against}s of ${text(spacing)}) grows by ${by} %`;
  });
  const dissolves = all.some(({ change }) => change > MEASURED) ? ", and it may dissolve" : "";
  const large = against === "cell" ? "cells are too large" : "the softening is too large";
  return `${name}: ${large} for it: within ten dynamical times ${parts.join(", ")}${dissolves}`;
}

export const lengthText = (value: number, system: Scenario["units"]["system"], digits = 6) =>
  [rounded(value, digits), ...(system === "nbody" ? [] : [unitSystem(system).labels.length])].join(" ");

function waysOut({ component, against }: Judged, scenario: Scenario): string[] {
  const { box, mesh, level, mond } = scenario;
  const force = forceOf(scenario);
  const mends = (change: Partial<Force>) =>
    judged(scenario, { ...force, ...change }, component).every(({ enough }) => enough);
  if (against === "softening") {
    const finer = meshSizes.map((size) => Number(((force.spacing * meshSizes[0]) / size).toPrecision(2)));
    return [`direct.softening = ${shortest(finer.find((spacing) => mends({ spacing })) ?? 0)}`];
  }
  const refined = proposedLevels(component, scenario, mends);
  if (level.length > 0) return refined;
  const cells = meshSizes.find((size) => size > mesh.cells && mends({ spacing: box.size / size }));
  const models = mond.formulation === "none" && !mesh.softenedModels && mends({ softened: true });
  return [
    ...refined,
    ...(cells !== undefined && cells <= MOST_CELLS ? [`mesh.cells = ${cells}`] : []),
    ...(models ? ["mesh.softenedModels = true, which sets it up in equilibrium with the mesh's force"] : []),
  ];
}

/** The fewest and smallest levels about a component that mend it, in those that there are, with the substeps that they want. */
function proposedLevels(component: Component, scenario: Scenario, mends: (change: Partial<Force>) => boolean) {
  const { box, mesh, mond, level: tables, time } = scenario;
  if (mond.formulation !== "none" || mesh.gradient === "spectral" || mesh.deposit === "host") return [];
  const force = forceOf(scenario);
  const { level: within } = forceAt(scenario, component, 0);
  const [x, y, z] = placeOf(scenario, component).map((d) => box.size / 2 + d);
  const around = within === undefined ? component.name : tables[within].around;
  const half = Math.max(...judged(scenario, force, component).map(({ length }) => length));
  for (const refinements of REFINEMENTS) {
    for (const cells of LEVEL_CELLS) {
      const more = refinements.map((refinement, k): Placed => {
        const parent = k > 0 ? force.levels.length + k - 1 : within;
        return { name: "", parent, refinement, cells, follows: [], place: [x, y, z], substeps: 1, with: component };
      });
      const finer = { ...force, levels: [...force.levels, ...more] };
      // What it is around should lie in a core.
      const holds = forceAt(scenario, component, ROOM * half, finer).level !== undefined;
      const wrong = levelProblems(finer.levels, { ...mesh, boundary: box.boundary }).length > 0;
      if (wrong || !holds || !mends(finer)) continue;
      const keys = (R: number) => `around = ${JSON.stringify(around)}, refinement = ${R}, cells = ${cells}`;
      const kicks =
        time.step === "adaptive" ? 1 : kicksFor(innerRate(component, scenario, finer).rate * time.step, SPARE);
      const substeps = kicks > (tables[0]?.substeps ?? 1) ? ` and substeps = ${kicks} in all` : "";
      const another = tables.length > 0 ? "another" : "a";
      return [`${another} [[level]] with ${refinements.map(keys).join(", in it one with ")}${substeps}`];
    }
  }
  return [];
}

/** Substeps that follow circular orbits of ω times the step. */
const kicksFor = (angle: number, spare: number) => Math.min(MOST_SUBSTEPS, Math.ceil((spare * angle) / LONGEST_STEP));

export function stepWarnings(scenario: Scenario): string[] {
  const { gravity, direct, level, time } = scenario;
  const { step } = time;
  if (step === "adaptive" || (gravity === "direct" && direct.steps !== "shared")) return [];
  const comoving = time.clock === "comoving";
  const passages = gravity === "mesh" || comoving ? [] : passageWarnings(scenario, step);
  const { name, rate, substeps } = fastestComponent(scenario);
  const angle = (rate * step) / substeps;
  if (angle <= LONGEST_STEP) return passages;
  const spare = comoving ? SPARE_IN_HALOES : SPARE;
  const own = substeps > 1 ? `, divided by ${substeps} substeps,` : "";
  const tables = gravity === "p3m" ? "[p3m]" : level.length > 0 && "all [[level]] tables";
  const more = tables ? `, or substeps = ${kicksFor(rate * step, spare)} in ${tables}` : "";
  const orbits =
    `${name}: time.step = ${shortest(step)}${own} is ${shown(angle)} of the time r/v of circular orbits in its ` +
    `inner part (${shown(1 / rate)}), which such steps don't follow. ` +
    `Try time.step = ${shown((LONGEST_STEP * substeps) / spare / rate)}${more}`;
  return [orbits, ...passages];
}

/** The component, or halo, whose particles go round fastest against the kicks that they get; rate 0: none has a mass profile [1/time]. */
export function fastestComponent(scenario: Scenario): { name: string } & Rate {
  if (scenario.time.clock === "comoving") return fastestHalo(scenario);
  const rates = sampledComponents(scenario).map((one) => ({ name: one.name, ...innerRate(one, scenario) }));
  return greatest(rates, ({ rate, substeps }) => rate / substeps) ?? { name: "", rate: 0, substeps: 1 };
}

type Rate = { rate: number; substeps: number };

/** ω = √(GM(r)/r³) where a component is densest, of all that shares its centre and as far as the force resolves it. */
function innerRate(component: Component, scenario: Scenario, force = forceOf(scenario)): Rate {
  const { G } = unitSystem(scenario.units.system);
  const lengths = lengthsOf(component).filter(({ layer }) => !layer);
  if (lengths.length === 0) return { rate: 0, substeps: 1 };
  const inner = INNER * Math.min(...lengths.map(({ length }) => length));
  const { h, substeps } = forceAt(scenario, component, inner, force);
  const r = Math.max(h, inner);
  return { rate: Math.sqrt((G * massOf(massesOf(scenario, component).about, r)) / r ** 3), substeps };
}

/** On particles that pass each other within less than a shared step. */
function passageWarnings(scenario: Scenario, step: number): string[] {
  const { gravity, direct, p3m, units } = scenario;
  const withPairs = gravity === "p3m";
  const { softening, substeps } = withPairs ? p3m : { ...direct, substeps: 1 };
  const { G } = unitSystem(units.system);
  const components = sampledComponents(scenario).filter(({ mass = 0 }) => mass > 0);
  if (sampledCount(scenario) < FEW || components.length === 0) return [];
  const heaviest = Math.max(...components.map(({ mass = 0, count }) => mass / count));
  const passage = Math.sqrt(softening ** 3 / (2 * G * heaviest));
  if (step <= LONGEST_IN_PASSAGE * passage * substeps) return [];
  const key = withPairs ? "p3m.softening" : "direct.softening";
  const mend = `${withPairs ? "more p3m.substeps" : 'direct.steps = "block" with a Hermite integrator'}, or a larger ${key}`;
  if (softening === 0) {
    return [
      `time.step = ${shortest(step)} for all follows no close encounter of points (direct.softening = 0). Try ${mend}`,
    ];
  }
  return [
    `time.step = ${shortest(step)} is ${shown(step / passage)} times the time in which two particles pass at the distance ` +
      `${key} = ${lengthText(softening, units.system)} (${shown(passage)}): their encounters are not followed. ` +
      `Try time.step = ${shown((passage * substeps) / 2)}, or ${mend}`,
  ];
}

const shown = (value: number) => rounded(value, 2);
