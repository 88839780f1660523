/**
 * What a run resolves: the lengths of its models, as their records name them, against a cell of the mesh or the softening of
 * a direct sum, and the fixed step against the times in which particles go round where the mass is densest and pass each
 * other. A warning gives what is too coarse as a ratio, with what would mend it.
 *
 * The limits are measured on a Plummer sphere of its own mass after twenty dynamical times (docs/resolution.md): at a = 1.5
 * cells its half-mass radius has grown by 22 % and 2K/|W| of the smoothed force began at 1.27; at a = 2 softenings it is
 * 28 %. Across a plane smoothing acts along one axis alone: a sech² layer of one cell begins at 1.13. Leapfrog steps of
 * 1/ω, ω² = GM(r)/r³, lose 3.5 % of the energy, of 0.7/ω 1 %; steps of 1.6 √(ε³/2Gm) in encounters of softened particles 7 %.
 */
import { greatest, groups, least } from "d3-array";
import { meshSizes } from "../deck/mesh-sizes.ts";
import { shortest } from "../deck/problems.ts";
import { unitSystem } from "../deck/units.ts";
import { directCostRemark } from "../direct/settings.ts";
import { lengthsOf, sampledComponents, sampledCount } from "../initial/components.ts";
import type { ModelComponent } from "../initial/model.ts";
import { modelOf } from "../initial/models.ts";
import { meshHalfWidth } from "../mesh/settings.ts";
import { fixedSteps } from "../time/settings.ts";
import { componentPlace, nominalPlaces } from "./galaxies.ts";
import { levelSizes } from "./levels.ts";
import type { Scenario } from "./scenario.ts";

/** Least lengths in cells, or in softenings: of a sphere or of a disk in its plane, and of a layer across it. */
const ENOUGH = { mesh: { round: 1.4, layer: 1 }, direct: { round: 2, layer: 1 } } as const;
/** In cells, of models that are set up for the mesh's force: at 0.27 the half-mass radius grows by 15 %. */
const ENOUGH_SOFTENED = 0.25;
/** The mesh that is proposed at most [cells per side]. */
const MOST_CELLS = 512;
/** ω times the step. */
const LONGEST_STEP = 1;
/** The same of a passage at the distance of the softening. */
const LONGEST_IN_PASSAGE = 1;
/** With fewer particles the orbits are the deck's own. */
const FEW = 10;
/** Where a model is densest, in its scale lengths. */
const INNER = 1 / 3;

type Component = ReturnType<typeof sampledComponents>[number];

type Compared = ReturnType<typeof compared>[number];
export type Resolved = ReturnType<typeof resolutionOf>[number];

/** Every length that a record names, of components with mass; none for a direct sum of points. */
export function resolutionOf(scenario: Scenario) {
  return compared(scenario).map(({ component: _, layer, setUp, softened, least, ...resolved }) => resolved);
}

/** Of the force, or of that in the levels around a component [length]; 0: a direct sum of points. */
export function forceResolution(scenario: Scenario, component?: Pick<ModelComponent, "name" | "galaxy">): number {
  const { gravity, box, mesh, direct, level } = scenario;
  if (gravity === "direct") return direct.softening;
  const around = level.filter((one) => component && [component.name, component.galaxy].includes(one.around));
  if (around.length === 0) return box.size / mesh.cells;
  const names = around.map(({ name }) => name);
  return Math.min(...levelSizes(scenario).flatMap(({ name, h }) => (names.includes(name) ? [h] : [])));
}

/** The side of the smallest cells of all meshes [length]. */
export function smallestCell(scenario: Scenario): number {
  const { box, mesh } = scenario;
  return Math.min(box.size / mesh.cells, ...levelSizes(scenario).map(({ h }) => h));
}

/** Lengths of components [length] against what the force resolves. */
function compared(scenario: Scenario) {
  const { gravity, mesh } = scenario;
  if (forceResolution(scenario) === 0) return [];
  return sampledComponents(scenario).flatMap((component) => {
    // Tracers have no force of their own that could be smoothed.
    if (component.mass === 0) return [];
    const { sphere, flat } = modelOf(component);
    // Its velocities are those of an equilibrium, and that equilibrium is the mesh's.
    const setUp = sphere !== undefined || flat !== undefined;
    const softened = setUp && gravity === "mesh" && mesh.softenedModels;
    const spacing = forceResolution(scenario, component);
    return lengthsOf(component).map(({ key, length, layer }) => {
      const least = softened ? ENOUGH_SOFTENED : ENOUGH[gravity][layer ? "layer" : "round"];
      const ratio = length / spacing;
      const against = gravity === "mesh" ? ("cell" as const) : ("softening" as const);
      return {
        ...{ component, name: component.name, key, length, layer, setUp, softened },
        /** How large what it is compared with is [length], and whether nothing need be said of it. */
        ...{ against, spacing, ratio, least, enough: ratio >= least },
      };
    });
  });
}

/** On models that the mesh, or the softening, is too coarse for: of each component the length that is resolved least. */
export function resolutionWarnings(scenario: Scenario): string[] {
  return coarseComponents(scenario).map((one) => {
    const ways = waysOut(one, scenario);
    const advice = ways.length > 0 ? `. Try ${ways.join(", or ")}` : "";
    return `${one.name}: ${resolvedText(one, scenario)}, ${effectOf(one)}${advice}`;
  });
}

/** The component that the mesh is coarsest for, in words, and what would mend it; undefined where it is fine enough for all. */
export function coarsest(scenario: Scenario): { text: string; ways: string[] } | undefined {
  const worst = least(coarseComponents(scenario), resolution);
  return worst && { text: `${worst.name}: ${resolvedText(worst, scenario)}`, ways: waysOut(worst, scenario) };
}

/** The length of each component that is resolved least, where that is too little. */
function coarseComponents(scenario: Scenario): Compared[] {
  const coarse = compared(scenario).filter(({ enough }) => !enough);
  return groups(coarse, ({ component }) => component).map(([, all]) => least(all, resolution)!);
}

/** Over what would be enough. */
const resolution = ({ ratio, least: enough }: Compared) => ratio / enough;

/** "scale = 0.5 kpc is 0.27 of a cell (1.88 kpc)" */
function resolvedText({ key, length, against, spacing, ratio }: Resolved, { units }: Scenario): string {
  const shown = (value: number) => lengthText(Number(value.toPrecision(3)), units.system);
  const size = Number(ratio.toPrecision(2));
  const times = size < 1 ? `${size} of a ${against}` : `only ${size} times a ${against}`;
  return `${key} = ${lengthText(length, units.system)} is ${times} (${shown(spacing)})`;
}

export function lengthText(value: number, system: Scenario["units"]["system"]): string {
  return system === "nbody" ? shortest(value) : `${shortest(value)} ${unitSystem(system).labels.length}`;
}

function effectOf({ layer, setUp, softened, against }: Compared): string {
  const force = against === "cell" ? "the mesh's force" : "the softened force";
  if (!setUp) return `so that ${force} hardly follows its structure`;
  if (softened) return `too little even for a model that is set up for ${force}: it expands`;
  return `so that ${force} is too weak to hold it: ${layer ? "the disk gets thicker" : "it expands, and may dissolve"}`;
}

function waysOut(one: Compared, scenario: Scenario): string[] {
  const { length, setUp, softened, ratio, against, least } = one;
  const { box, mesh, units } = scenario;
  if (against === "softening") return [`direct.softening = ${shortest(Number((length / least).toPrecision(2)))}`];
  const cells = meshSizes.find((size) => size >= (least * box.size) / length);
  const smaller = Number(((mesh.cells * length) / least).toPrecision(2));
  const models = setUp && !softened && ratio >= ENOUGH_SOFTENED && scenario.mond.formulation === "none";
  return [
    ...(cells !== undefined && cells <= MOST_CELLS ? [`mesh.cells = ${cells}`] : []),
    ...(models ? ["mesh.softenedModels = true, which sets it up in equilibrium with the mesh's force"] : []),
    ...(canSum(scenario) ? ['gravity = "direct"'] : []),
    ...(fitsInto(smaller, scenario) ? [`a box.size of ${lengthText(smaller, units.system)}`] : []),
  ];
}

/** Whether a direct sum of this deck is allowed and takes no hours. */
function canSum(scenario: Scenario): boolean {
  const { box, time, mond } = scenario;
  if (box.boundary === "periodic" || time.clock === "comoving" || mond.formulation !== "none") return false;
  const count = sampledCount(scenario);
  return directCostRemark(count, count, fixedSteps(scenario) ?? Math.ceil(time.end)) === undefined;
}

/** Whether all that a deck places fits into a smaller box; where galaxies go nobody knows. */
function fitsInto(size: number, scenario: Scenario): boolean {
  const { box, galaxy, potential, particles } = scenario;
  if (galaxy.length > 0 || potential.length > 0 || particles.some((one) => one.velocity.some((v) => v !== 0)))
    return false;
  const room = meshHalfWidth({ ...scenario, box: { ...box, size } });
  return particles.every((one) => extentOf(one, scenario) <= room && modelOf(one).extent !== undefined);
}

/** How far a component's particles reach from the centre of the box along the worst axis [length]; 0: not known. */
export function extentOf(component: ModelComponent, scenario: Scenario): number {
  const { G } = unitSystem(scenario.units.system);
  const frame = nominalPlaces(scenario, G).frames.get(component.galaxy ?? "");
  const { centre, reach } = componentPlace(component, frame);
  return reach === 0 ? 0 : Math.max(...centre.map(Math.abs)) + reach;
}

export function stepWarnings(scenario: Scenario): string[] {
  const { gravity, direct, time } = scenario;
  const { step } = time;
  if (step === "adaptive" || time.clock === "comoving") return [];
  if (gravity === "direct" && direct.steps !== "shared") return [];
  const { component, rate } = fastestComponent(scenario);
  const warnings: string[] = [];
  if (component && rate * step > LONGEST_STEP) {
    warnings.push(
      `${component.name}: time.step = ${shortest(step)} is ${shown(rate * step)} of the time r/v of circular orbits in its ` +
        `inner part (${shown(1 / rate)}), which such steps don't follow. Try time.step = ${shown(LONGEST_STEP / 2 / rate)}`,
    );
  }
  return gravity === "direct" ? [...warnings, ...passageWarnings(scenario, step)] : warnings;
}

/** The component that particles go round in fastest, and how fast; 0: no component has a mass profile [1/time]. */
export function fastestComponent(scenario: Scenario): { component: Component | undefined; rate: number } {
  const component = greatest(sampledComponents(scenario), (one) => innerRate(one, scenario));
  const rate = component ? innerRate(component, scenario) : 0;
  return { component: rate > 0 ? component : undefined, rate };
}

/** ω = √(GM(r)/r³) where a component is densest, of all that shares its centre and as far as the force resolves it. */
function innerRate(component: Component, scenario: Scenario): number {
  const { G } = unitSystem(scenario.units.system);
  const lengths = lengthsOf(component).filter(({ layer }) => !layer);
  if (lengths.length === 0) return 0;
  const r = Math.max(forceResolution(scenario, component), INNER * Math.min(...lengths.map(({ length }) => length)));
  const near = scenario.particles.filter(
    (other) => other.galaxy === component.galaxy && other.offset.every((x, axis) => x === component.offset[axis]),
  );
  const mass = near.reduce((sum, other) => sum + massWithin(other, r, G), 0);
  return Math.sqrt((G * mass) / r ** 3);
}

function massWithin(component: ModelComponent, r: number, G: number): number {
  if (component.mass === 0) return 0;
  const { sphere, profile } = modelOf(component);
  return (sphere?.(component).shape ?? profile?.(component, G))?.mass(r) ?? 0;
}

/** On particles that pass each other within less than a shared step. */
function passageWarnings(scenario: Scenario, step: number): string[] {
  const { direct, units } = scenario;
  const { softening } = direct;
  const { G } = unitSystem(units.system);
  const components = sampledComponents(scenario).filter(({ mass = 0 }) => mass > 0);
  if (sampledCount(scenario) < FEW || components.length === 0) return [];
  const heaviest = Math.max(...components.map(({ mass = 0, count }) => mass / count));
  const passage = Math.sqrt(softening ** 3 / (2 * G * heaviest));
  if (step <= LONGEST_IN_PASSAGE * passage) return [];
  const mend = 'direct.steps = "block" with a Hermite integrator, or a larger direct.softening';
  if (softening === 0) {
    return [
      `time.step = ${shortest(step)} for all follows no close encounter of points (direct.softening = 0). Try ${mend}`,
    ];
  }
  return [
    `time.step = ${shortest(step)} is ${shown(step / passage)} times the time in which two particles pass at the distance ` +
      `direct.softening = ${lengthText(softening, units.system)} (${shown(passage)}): their encounters are not followed. ` +
      `Try time.step = ${shown(passage / 2)}, or ${mend}`,
  ];
}

const shown = (value: number) => shortest(Number(value.toPrecision(2)));
