/**
 * What a schema can't see: checks between keys of one deck, and remarks on decks that are valid but unwise.
 */

import type { RawTable } from "../deck/keys.ts";
import { cosmologyProblems } from "./cosmology.ts";
import { directCostRemark, directProblems } from "./direct.ts";
import { multigridProblems } from "./multigrid.ts";
import { mismatch, type Problem } from "./problems.ts";
import type { KeplerComponent, ParticleComponent, Scenario, TimeSettings } from "./scenario.ts";
import { LARGEST_U32 } from "./schema.ts";
import { componentOf, displayPath } from "./suggest.ts";

/** Components that are drawn from a model, as opposed to read from a file. */
export type SampledParticleComponent = Exclude<ParticleComponent, { kind: "snapshot" }>;

/** True for a fixed external field without particles. */
export function isRigid(component: ParticleComponent): boolean {
  return (component.kind === "plummer" || component.kind === "hernquist") && component.rigid;
}

/** Components whose particles are drawn from a model: neither rigid nor read from a file. */
export function sampledComponents(scenario: Scenario): SampledParticleComponent[] {
  return scenario.particles.filter(
    (component): component is SampledParticleComponent => component.kind !== "snapshot" && !isRigid(component),
  );
}

/** Particles drawn from models; those of snapshots are known only when the file is read. */
export function sampledCount(scenario: Scenario): number {
  return sampledComponents(scenario).reduce((sum, component) => sum + component.count, 0);
}

/** A step may be longer than the deck's by this fraction, so that 1.1 / 0.1 is 11 steps, not 12. */
const STEP_ROUNDING = 1e-9;

/** Steps of a fixed-step run; undefined for an adaptive one. */
export function fixedSteps({ time }: Pick<Scenario, "time">): number | undefined {
  if (time.step === "adaptive") return undefined;
  return stepsBetween(time, time.start, time.end);
}

/** Fixed steps, of equal length or equal in ln a, that lead from one time to another. */
export function stepsBetween({ clock, spacing, step }: TimeSettings, from: number, to: number): number {
  const way = clock === "comoving" && spacing === "log-a" ? Math.log(to / from) : to - from;
  return Math.max(1, Math.ceil((way / (step as number)) * (1 - STEP_ROUNDING)));
}

/** Distance from the box centre, along the worst axis, that the component's particles fill [length]. */
export function extent(component: SampledParticleComponent): number {
  const offset = Math.max(...component.offset.map(Math.abs));
  switch (component.kind) {
    case "uniform":
      return offset + component.side / 2;
    case "kepler":
      return offset + apocentre(component);
    case "lattice":
    case "plane-wave":
      return Number.POSITIVE_INFINITY; // all of the box
    default:
      return offset + component.cutoff;
  }
}

/** Farthest that a body of the pair gets from their centre of mass [length]: the lighter one, at apocentre. */
function apocentre({ semiMajorAxis, eccentricity, massRatio }: KeplerComponent): number {
  return (semiMajorAxis * (1 + eccentricity)) / (1 + massRatio);
}

/** Mesh points that a force at a particle reaches beyond its base cell, by scheme. */
const ASSIGNMENT_REACH = { ngp: 0, cic: 1, tsc: 1 } as const;
const GRADIENT_REACH = { "2-point": 1, "4-point": 2, spectral: 0 } as const;

/**
 * Half side of the cube about the box centre in which a particle of an isolated run lies on the mesh with
 * everything that its force needs [length]. Outside it a particle feels the monopole of the rest.
 */
export function meshHalfWidth({ box, mesh }: Scenario): number {
  if (box.boundary === "periodic") return box.size / 2;
  const reach = ASSIGNMENT_REACH[mesh.assignment] + GRADIENT_REACH[mesh.gradient];
  // CIC's base cell is floor(x/h − ½): half a cell more on the low side.
  const edge = reach + (mesh.assignment === "cic" ? 0.5 : 0);
  return box.size / 2 - (edge * box.size) / mesh.cells;
}

/** Checks that come before the schema's verdict, on the raw deck, so that they are listed with the others. */
export function rawProblems(deck: RawTable): Problem[] {
  const list = Array.isArray(deck.particles) ? deck.particles : [];
  return list.flatMap((_, index) => {
    const { rigid, count } = componentOf(deck, index) ?? {};
    const path = ["particles", index, "count"];
    if (rigid !== true && count === 0) return [mismatch(path, `a whole number from 1 to ${LARGEST_U32}`, count)];
    if (rigid === true && typeof count === "number" && count > 0) {
      const hint = "Leave count out, set it to 0, or set rigid = false";
      return [mismatch(path, "no count with rigid = true, which has no particles", count, hint)];
    }
    return [];
  });
}

const shortest = (value: number) => String(Number(value.toPrecision(6)));

/** Problems between the keys of a scenario that the schema has passed. */
export function crossProblems(scenario: Scenario): Problem[] {
  const { box, time } = scenario;
  const problems: Problem[] = [];
  const half = box.size / 2;
  const isolated = box.boundary === "isolated";

  if (time.step !== "adaptive") {
    if (time.step > time.end) {
      problems.push(mismatch(["time", "step"], `at most time.end = ${time.end}`, time.step));
    } else if (!(time.end / time.step < 2 ** 31)) {
      problems.push(mismatch(["time", "step"], `fewer than 2^31 steps up to time.end = ${time.end}`, time.step));
    }
  }

  for (const { path, expected, found, hint } of cosmologyProblems(scenario)) {
    problems.push(mismatch(path, expected, found, hint));
  }
  if (scenario.gravity === "direct") problems.push(...directSumProblems(scenario));

  if (scenario.mesh.poisson === "multigrid") {
    for (const { key, expected, hint } of multigridProblems(scenario.mesh.cells, scenario.multigrid)) {
      problems.push(mismatch(["multigrid", key], expected, scenario.multigrid[key], hint));
    }
    if (scenario.mesh.gradient === "spectral") {
      const hint = 'The spectral gradient needs the transform: use poisson = "fft", or differences';
      problems.push(mismatch(["mesh", "gradient"], '2-point or 4-point with poisson = "multigrid"', "spectral", hint));
    }
  }

  const names = new Map<string, number>();
  scenario.particles.forEach((component, index) => {
    const at = (key: string) => ["particles", index, key];
    const earlier = names.get(component.name);
    if (earlier !== undefined) {
      const taken = `a name other than that of ${displayPath(["particles", earlier])}`;
      problems.push(mismatch(at("name"), taken, component.name, "Every component needs its own name"));
    } else names.set(component.name, index);

    if (isRigid(component) && !isolated) {
      const expected = 'rigid = false in a box with boundary = "periodic"';
      problems.push(mismatch(at("rigid"), expected, true, 'Use particles instead, or boundary = "isolated"'));
    }
    if (component.kind === "snapshot") return;
    const offset = Math.max(...component.offset.map(Math.abs));
    if (offset >= half) {
      const expected = `a centre inside the box, less than box.size/2 = ${shortest(half)} from its centre on each axis`;
      problems.push(mismatch(at("offset"), expected, component.offset));
    } else if (!isRigid(component)) problems.push(...extentProblems(component, index, scenario));
  });

  const total = sampledCount(scenario);
  if (scenario.particles.every(isRigid)) {
    const hint = "Add a component with particles, or set rigid = false";
    problems.push({
      path: ["particles"],
      message: `particles: expected at least one component with particles, found only rigid ones. ${hint}`,
    });
  } else if (total > LARGEST_U32) {
    problems.push({
      path: ["particles"],
      message: `particles: expected at most ${LARGEST_U32} particles in all (ids are 32-bit), found ${total}`,
    });
  }
  return problems;
}

function directSumProblems({ box, time, direct }: Scenario): Problem[] {
  const problems: Problem[] = [];
  if (box.boundary === "periodic") {
    const hint = 'The sum over pairs has no periodic images: use boundary = "isolated", or gravity = "mesh"';
    problems.push(mismatch(["box", "boundary"], '"isolated" with gravity = "direct"', "periodic", hint));
  }
  if (time.step === "adaptive") {
    const hint = 'Give the largest step here; direct.steps = "adaptive" or "block" divides it as the run goes';
    problems.push(mismatch(["time", "step"], 'a number with gravity = "direct"', "adaptive", hint));
  }
  for (const { key, expected, hint } of directProblems(direct)) {
    problems.push(mismatch(["direct", key], expected, direct[key], hint));
  }
  return problems;
}

function extentProblems(component: SampledParticleComponent, index: number, { box }: Scenario): Problem[] {
  const half = box.size / 2;
  const offset = box.boundary === "periodic" ? 0 : Math.max(...component.offset.map(Math.abs));
  const aside = offset > 0 ? ` − |offset|` : "";
  const isCube = component.kind === "uniform";
  const room = isCube ? 2 * (half - offset) : half - offset;
  if (component.kind === "lattice" || component.kind === "plane-wave") return [];
  const isPair = component.kind === "kepler";
  const size = isCube ? component.side : isPair ? apocentre(component) : component.cutoff;
  if (size <= room) return [];
  const key = isCube ? "side" : isPair ? "semiMajorAxis" : "cutoff";
  const limit = isCube && offset === 0 ? "box.size" : isCube ? `2 (box.size/2${aside})` : `box.size/2${aside}`;
  const expected = `at most ${limit} = ${shortest(room)}, so that the particles are inside the box`;
  return [mismatch(["particles", index, key], expected, size, `Lower ${key} or raise box.size`)];
}

/** Remarks on a valid scenario, one line each, for a person to weigh. */
export function scenarioRemarks(scenario: Scenario): string[] {
  const { box, mesh } = scenario;
  const cell = box.size / mesh.cells;
  if (scenario.gravity === "direct") {
    const remark = directCostRemark(sampledCount(scenario), fixedSteps(scenario) ?? 1);
    return remark ? [remark] : [];
  }
  const usable = meshHalfWidth(scenario);
  const remarks: string[] = [];
  for (const component of sampledComponents(scenario)) {
    const { name } = component;
    if (box.boundary === "isolated" && extent(component) > usable) {
      remarks.push(
        `${name} reaches ${shortest(extent(component))} from the box centre; the mesh force ends at ${shortest(usable)}, ` +
          "particles beyond feel only the monopole of the rest (a larger box.size or mesh.cells avoids that)",
      );
    }
    const [key, length] = smallestScale(component);
    if (length < cell) {
      remarks.push(
        `${name}: ${key} = ${shortest(length)} is less than one cell, ${shortest(cell)}; the mesh force smooths it out`,
      );
    }
  }
  return remarks;
}

function smallestScale(component: SampledParticleComponent): [key: string, length: number] {
  switch (component.kind) {
    case "uniform":
      return ["side", component.side];
    case "lattice":
    case "plane-wave":
      return ["perSide", Number.POSITIVE_INFINITY];
    case "kepler":
      return ["semiMajorAxis", component.semiMajorAxis];
    case "exponential-disk":
      return component.scaleHeight < component.scaleLength
        ? ["scaleHeight", component.scaleHeight]
        : ["scaleLength", component.scaleLength];
    default:
      return ["scale", component.scale];
  }
}
