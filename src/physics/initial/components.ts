/** [[particles]] tables of all kinds; what differs between kinds is asked of the model's record. */
import { least } from "d3-array";
import { LARGEST_U32, type RawTable } from "../../foundation/deck/keys.ts";
import type { KindTables } from "../../foundation/deck/kinds.ts";
import { mismatch, mismatchIf, type Problem, shortest } from "../../foundation/deck/problems.ts";
import type { CosmologySettings } from "../cosmology/settings.ts";
import type { MondTable } from "../mond/settings.ts";
import type { BoxSettings } from "../particles/box.ts";
import type { PotentialSettings } from "../potentials/settings.ts";
import type { GalaxySettings } from "./galaxies.ts";
import type { MeshOfModels } from "./mesh-softening.ts";
import type { ModelComponent } from "./model.ts";
import { modelOf, models } from "./models.ts";

export const particleTables: KindTables = {
  name: "particles",
  noun: "component",
  nouns: "components",
  about: "One table a component, at least one; ids run through them in this order",
  meaning: "the model that the particles are drawn from",
  least: 1,
  kinds: models,
};

export interface InitialSettings {
  /** Particles that are summed directly keep velocities in float64; the mesh works with float32. */
  gravity?: "mesh" | "p3m" | "direct";
  box: BoxSettings;
  /** Models may be set up for its force instead of that of points. */
  mesh?: MeshOfModels;
  /** Models are set up in the field of its gravity. */
  mond?: MondTable;
  cosmology: CosmologySettings;
  time: { clock: "static" | "comoving"; start: number; end?: number };
  particles: readonly ModelComponent[];
  potential?: readonly PotentialSettings[];
  galaxy?: readonly GalaxySettings[];
}

type Components = Pick<InitialSettings, "particles">;
type SampledComponent = ModelComponent & { count: number };

/** True for a fixed external potential without particles. */
export function isRigid(component: ModelComponent): boolean {
  return component.rigid === true;
}

export function isFromFile(component: ModelComponent): boolean {
  return modelOf(component).files !== undefined;
}

/** Components whose particles are drawn from a model: neither rigid nor read from a file. */
export function sampledComponents({ particles }: Components): SampledComponent[] {
  return particles.filter((one): one is SampledComponent => one.count !== undefined && !isRigid(one));
}

/** Particles drawn from models; those of snapshots are known only when the file is read. */
export function sampledCount(scenario: Components): number {
  return sampledComponents(scenario).reduce((sum, component) => sum + component.count, 0);
}

/** A live sphere whose particles hold what its cut-off leaves of `mass`. */
export function isCutShort(component: ModelComponent): boolean {
  const sphere = isRigid(component) ? undefined : modelOf(component).sphere?.(component);
  return sphere !== undefined && sphere.mass === undefined;
}

/** Whether particles may differ in mass, by what the deck says of them. */
export function massesDiffer(scenario: Components): boolean {
  if (scenario.particles.some((component) => modelOf(component).massesDiffer?.(component))) return true;
  const sampled = sampledComponents(scenario);
  // What a cut-off leaves of a profile isn't known here.
  if (sampled.length > 1 && sampled.some(isCutShort)) return true;
  const masses = sampled.map(({ mass = 0, count }) => mass / count);
  return masses.some((mass) => mass !== masses[0]);
}

/** What the GPU holds to place the particles, until they are uploaded [bytes]. */
export function heldAtStart({ particles }: Components): number {
  return particles.reduce((sum, component) => sum + (modelOf(component).heldAtStart?.(component) ?? 0), 0);
}

/** [[potential]] tables, and what comes with components; `G` in deck units. */
export function fixedTables(
  { particles, potential = [] }: Pick<InitialSettings, "particles" | "potential">,
  G: number,
): PotentialSettings[] {
  const brought = particles.flatMap((one) =>
    (modelOf(one).fixedField?.(one, G) ?? []).map(({ kind, parameters }) => {
      const { galaxy, offset } = one;
      return { ...parameters, kind, galaxy, offset, name: `${one.name}: what completes it` };
    }),
  );
  return [...potential, ...brought];
}

/** Puts what `resolve` makes of it in the place of every name of a file. */
export function resolveFiles(
  { particles, potential = [] }: Pick<InitialSettings, "particles" | "potential">,
  resolve: (file: string) => string,
): void {
  for (const table of potential) if (table.path !== undefined) table.path = resolve(table.path);
  for (const component of particles) {
    const table: Record<string, unknown> = component;
    for (const key of modelOf(component).files ?? []) table[key] = resolve(String(table[key]));
  }
}

const largestOffset = ({ offset }: ModelComponent) => Math.max(...offset.map(Math.abs));

/** The lengths of the model, by their keys [length]; those across a plane are of a layer. A layer without height has none. */
export function lengthsOf(component: ModelComponent): { key: string; length: number; layer: boolean }[] {
  const { scales = [], heights = [] } = modelOf(component);
  const of = (keys: readonly string[], layer: boolean) =>
    keys.map((key) => ({ key, length: Number(component[key]), layer }));
  return [...of(scales, false), ...of(heights, true)].filter(({ length }) => length > 0);
}

/** Checks of an unchecked table that come before the schema's verdict, so that they are listed with the others. */
export function rawComponentProblems({ rigid, count }: RawTable, index: number): Problem[] {
  const path = ["particles", index, "count"];
  if (rigid !== true) return mismatchIf(count === 0, path, `a whole number from 1 to ${LARGEST_U32}`, count);
  const [given, hint] = [typeof count === "number" && count > 0, "Leave count out, set it to 0, or set rigid = false"];
  return mismatchIf(given, path, "no count with rigid = true, which has no particles", count, hint);
}

export function componentProblems(
  component: ModelComponent,
  index: number,
  { gravity, box, time, particles }: Pick<InitialSettings, "gravity" | "box" | "time" | "particles">,
): Problem[] {
  const model = modelOf(component);
  const at = (key: string) => ["particles", index, key];
  const problems: Problem[] = [];
  if (model.comoving && time.clock === "static") {
    const kinds = models.records.filter(({ comoving }) => comoving).map(({ name }) => name);
    const expected = `time.clock = "comoving" for the kinds ${kinds.join(", ").replace(/, ([^,]*)$/, " and $1")}`;
    problems.push(mismatch(at("kind"), expected, component.kind, "Set it in the table time"));
  } else {
    for (const { key, expected, hint } of model.problems?.(component, { gravity, box, particles }) ?? [])
      problems.push(mismatch(at(key), expected, component[key], hint));
  }
  if (isRigid(component) && !model.potential) {
    const expected = `false: no external potential stands for the kind "${component.kind}"`;
    problems.push(mismatch(at("rigid"), expected, true));
  } else if (isRigid(component) && box.boundary === "periodic") {
    const expected = 'rigid = false in a box with boundary = "periodic"';
    problems.push(mismatch(at("rigid"), expected, true, 'Use particles instead, or boundary = "isolated"'));
  }
  const half = box.size / 2;
  if (box.boundary === "periodic" && largestOffset(component) > box.size) {
    const expected = `at most box.size = ${shortest(box.size)} along each axis, since a periodic box wraps`;
    problems.push(mismatch(at("offset"), expected, component.offset));
  }
  if (component.count === undefined) return problems;
  if (component.galaxy !== undefined) {
    // Where it is, is known with all of its galaxy.
    problems.push(...scaleProblems(component, index, box));
  } else if (box.boundary === "isolated" && largestOffset(component) >= half) {
    const expected = `a centre inside the box, less than box.size/2 = ${shortest(half)} from its centre on each axis`;
    problems.push(mismatch(at("offset"), expected, component.offset));
  } else if (!isRigid(component)) {
    problems.push(...extentProblems(component, index, box), ...scaleProblems(component, index, box));
  }
  return problems;
}

/** Positions are kept to 2^-32 of the box: in a model this small they would fall on a few hundred points, or on one. */
const SMALLEST_SCALE = 2 ** -24;

function scaleProblems(component: ModelComponent, index: number, { size }: BoxSettings): Problem[] {
  const smallest = least(lengthsOf(component), ({ length }) => length);
  if (!smallest || smallest.length >= SMALLEST_SCALE * size) return [];
  const { key, length } = smallest;
  const expected = `at least box.size/2^24 = ${shortest(SMALLEST_SCALE * size)}, which positions in the box resolve`;
  return [mismatch(["particles", index, key], expected, length, `Raise ${key} or lower box.size`)];
}

function extentProblems(component: ModelComponent, index: number, box: BoxSettings): Problem[] {
  const { extent } = modelOf(component);
  if (!extent) return [];
  const offset = box.boundary === "periodic" ? 0 : largestOffset(component);
  const room = box.size / 2 - offset;
  const reach = extent.reach(component);
  if (reach <= room) return [];
  const aside = offset > 0 ? "box.size/2 − |offset|" : "box.size/2";
  const [key] = extent.keys;
  const [limit, most, size] = extent.width
    ? [offset > 0 ? `2 (${aside})` : "box.size", 2 * room, 2 * reach]
    : [aside, room, reach];
  const expected = `at most ${limit} = ${shortest(most)}, so that the particles are inside the box`;
  return [mismatch(["particles", index, key], expected, size, `Lower ${key} or raise box.size`)];
}
