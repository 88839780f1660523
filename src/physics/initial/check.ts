/** What initial conditions must satisfy before anything is evolved, found as their blocks come. */

import { GravmeshError } from "../../foundation/base/errors.ts";
import { shortest } from "../../foundation/deck/problems.ts";
import { type CosmologySettings, coldMatterOf, matterOf } from "../cosmology/settings.ts";
import type { BoxSettings } from "../particles/box.ts";
import { LARGEST_IMAGE } from "../particles/fixed-point.ts";
import type { ParticleMasses } from "../particles/masses.ts";
import type { SourceBlock } from "../particles/source.ts";
import type { ComponentRange } from "../particles/state.ts";
import type { ModelComponent } from "./model.ts";
import { modelOf } from "./models.ts";

const AXES = ["x", "y", "z"];

type Range = Omit<ComponentRange, "species">;

/** Throws "input" for the first mass that is no number or negative; `masses` are those of ids from `first` on. */
export function requireMasses(masses: ParticleMasses, ranges: readonly Range[], first: number): void {
  for (const run of masses.runs) {
    const each = typeof run.mass === "number" ? Math.min(1, run.count) : run.count;
    for (let i = 0; i < each; i++) {
      const mass = typeof run.mass === "number" ? run.mass : run.mass[i];
      if (mass >= 0 && mass < Number.POSITIVE_INFINITY) continue;
      const expected = mass < 0 && Number.isFinite(mass) ? "a mass that is not negative" : "a finite number";
      failOf(ranges, first + run.first + i, expected, `mass = ${mass}`);
    }
  }
}

/** Throws "input" for the first number that is not finite or a speed that no run holds; ids count from `offset`. */
export function requireFiniteParticles(block: SourceBlock, ranges: readonly Range[], offset: number): void {
  const { first, count, positions, velocities } = block;
  for (let k = 0; k < 3 * count; k++) {
    const x = positions[k];
    const v = velocities[k];
    if (x - x === 0 && Math.abs(v) <= LARGEST_SPEED) continue;
    const id = offset + first + Math.floor(k / 3);
    const what = Number.isFinite(x) ? `velocity ${AXES[k % 3]} = ${v}` : `position ${AXES[k % 3]} = ${x}`;
    if (!Number.isFinite(x) || !Number.isFinite(v)) failOf(ranges, id, "a finite number", what);
    implausible(`speeds up to ${LARGEST_SPEED.toExponential()}`, `particle ${id} with ${what}`, SPEED_HINT);
  }
}

function failOf(ranges: readonly Range[], id: number, expected: string, found: string): never {
  const name = ranges.find(({ first, count }) => id >= first && id < first + count)?.name;
  throw new GravmeshError(
    "input",
    `initial conditions, component "${name}", particle ${id}: expected ${expected}, found ${found}. ` +
      "Check the parameters of this component, or the file it is read from.",
  );
}

/** Squares of speeds are formed in float32 [velocity]. */
const LARGEST_SPEED = 1e18;
const SPEED_HINT = "Check the unit of velocities.";
/** Range of G M/L [velocity²]: it leaves room for sums of squares of speeds within float32. */
const [LEAST_POTENTIAL, MOST_POTENTIAL] = [1e-30, 1e30];

/** Throws "input" for masses whose forces no run holds; with `external` other masses act, and tracers may be alone. */
export function requirePlausibleMass(
  masses: ParticleMasses,
  { box, G, external }: { box: BoxSettings; G: number; external: boolean },
): void {
  const { total, count } = masses;
  if (total === 0 && count > 0) {
    if (external) return;
    const hint =
      "Tracers need something that attracts them, a [[potential]] or another component. Are the masses in the file?";
    implausible("particles with mass", `${count} whose masses are all 0`, hint);
  }
  const potential = (G * total) / box.size;
  if (!(potential >= LEAST_POTENTIAL && potential <= MOST_POTENTIAL)) {
    const expected = `G · mass / box.size from ${LEAST_POTENTIAL} to ${MOST_POTENTIAL}`;
    const found = `${shortest(potential)} for the mass ${shortest(total)} and box.size = ${shortest(box.size)}`;
    implausible(expected, found, "Check the units of masses and lengths.");
  }
}

function implausible(expected: string, found: string, hint: string): never {
  throw new GravmeshError("input", `initial conditions: expected ${expected}, found ${found}. ${hint}`);
}

/** The matter of an expanding box may differ by this much: other codes round their constants. */
const SAME_MATTER = 3e-3;

/** Throws "input" unless particles that were read from files, with what else there is, are the matter of the box. */
export function requireMatter(masses: ParticleMasses, box: BoxSettings, cosmology: CosmologySettings): void {
  const { omegaM, neutrinoMasses } = cosmology;
  const expected = matterOf(coldMatterOf(cosmology), box.size);
  const found = masses.total;
  if (Math.abs(found / expected - 1) <= SAME_MATTER) return;
  const without = neutrinoMasses.length > 0 ? " without massive neutrinos" : "";
  throw new GravmeshError(
    "input",
    `initial conditions: expected the matter of cosmology.omegaM = ${shortest(omegaM)}${without} in a box of ${shortest(box.size)} Mpc/h, ` +
      `${shortest(expected)} · 1e10 Msun/h in all, found ${shortest(found)}, ${shortest(found / expected)} of it. ` +
      `Is a component missing, or are masses in another unit? They are those of omegaM = ${shortest((omegaM * found) / expected)}.`,
  );
}

/** Coordinates of a periodic box may be outside by so much [sides of the box]: by rounding, */
const ROUNDING = 1e-6;
/** and in files, as codes wrap positions now and then, and particles drift on meanwhile. */
const NOT_YET_WRAPPED = 1e-2;
/** A coordinate this many boxes away is in another unit of length, and a larger box no remedy. */
const OTHER_UNIT = 10;
/** Particles that fill less than this of an expanding box [sides of the box]: kpc in a box of Mpc. */
const OTHER_EXTENT = 0.01;

/** Particles outside, the first of them and where it is, and twice the farthest distance from the centre [length]. */
export interface Outside {
  outside: number;
  first: number;
  at: number[];
  farthest: number;
}

/**
 * Where a component's particles lie, block by block. An isolated run may go on from a snapshot with particles that have
 * left the box. In a periodic box each coordinate has to be inside before the offset, which may wrap, or after it, which
 * may centre a file.
 */
export class BoxCheck {
  /** What the particles so far gave. */
  readonly found: Outside = { outside: 0, first: -1, at: [], farthest: 0 };
  /** Range of all particles, by axis [length]. */
  readonly #low = new Float64Array(3).fill(Number.POSITIVE_INFINITY);
  readonly #high = new Float64Array(3).fill(Number.NEGATIVE_INFINITY);

  constructor(
    /** Ids of the whole component. */
    private readonly range: Range,
    private readonly component: ModelComponent,
    private readonly box: BoxSettings,
  ) {}

  /** Whether all particles so far are inside. Throws "input" for one of a file that is too far from an isolated box. */
  look(block: SourceBlock): boolean {
    const { component, box } = this;
    const fromFile = component.count === undefined;
    const periodic = box.boundary === "periodic";
    const slack = (fromFile ? NOT_YET_WRAPPED : ROUNDING) * box.size;
    const about = (x: number) => x >= -slack && x <= box.size + slack;
    if (periodic) this.#lookForOutside(block, (x, axis) => about(x - component.offset[axis]) || about(x));
    else if (fromFile) this.#requireReach(block);
    else this.#lookForOutside(block, (x) => x >= 0 && x < box.size);
    if (periodic && fromFile) this.#extend(block);
    return this.found.outside === 0;
  }

  /** Takes what was found of later particles of a component that is drawn. */
  add({ outside, first, at, farthest }: Outside): void {
    const { found } = this;
    if (found.outside === 0) Object.assign(found, { first, at });
    found.outside += outside;
    found.farthest = Math.max(found.farthest, farthest);
  }

  /** Throws "input" for all of an expanding box's matter in a small part of it: positions are in another unit. */
  requireSpread(): void {
    const extent = Math.max(...this.#high.map((x, axis) => x - this.#low[axis]));
    if (!(extent < OTHER_EXTENT * this.box.size)) return;
    const found = `all ${this.range.count} within ${Number(extent.toPrecision(3))} of the box of ${shortest(this.box.size)}`;
    const hint = 'Are positions in another unit than BoxSize? Say theirs as units beside file, and header = "deck".';
    implausible("particles all over an expanding box", found, hint);
  }

  /** After the last block. Throws where particles lie outside [0, L): how many, the first of them, what to try. */
  finish(): void {
    const { range, component, box } = this;
    const { outside, first, at, farthest } = this.found;
    if (outside === 0) return;
    const fromFile = component.count === undefined;
    const place = at.map((value) => Number(value.toPrecision(6))).join(", ");
    const larger =
      fromFile && farthest > OTHER_UNIT * box.size
        ? "Check the unit of lengths in the file"
        : `Try box.size = ${nextUp(farthest)} or more${remedy(component)}`;
    const advice = this.#centring(larger);
    throw new GravmeshError(
      fromFile ? "input" : "scenario",
      `initial conditions, component "${range.name}": expected all ${range.count} particles inside the box [0, ${box.size})³, ` +
        `found ${outside} outside, the first being particle ${first} at (${place}). ` +
        `${advice}.`,
    );
  }

  #lookForOutside({ first, count, positions }: SourceBlock, isInside: (x: number, axis: number) => boolean): void {
    const { component, box, found } = this;
    for (let i = 0; i < count; i++) {
      const at = 3 * i;
      const inside = isInside(positions[at], 0) && isInside(positions[at + 1], 1) && isInside(positions[at + 2], 2);
      if (inside) continue;
      for (let axis = 0; axis < 3; axis++) {
        if (isInside(positions[at + axis], axis)) continue;
        const unmoved = positions[at + axis] - (box.boundary === "periodic" ? component.offset[axis] : 0);
        found.farthest = Math.max(found.farthest, 2 * Math.abs(unmoved - 0.5 * box.size));
      }
      if (found.outside === 0) {
        found.first = this.range.first + first + i;
        found.at = Array.from(positions.subarray(at, at + 3));
      }
      found.outside += 1;
    }
  }

  #requireReach({ first, count, positions }: SourceBlock): void {
    const { range, box } = this;
    for (let k = 0; k < 3 * count; k++) {
      if (Math.abs(Math.floor(positions[k] / box.size)) <= LARGEST_IMAGE) continue;
      throw new GravmeshError(
        "input",
        `initial conditions, component "${range.name}": expected positions at most ${LARGEST_IMAGE} boxes of ${shortest(box.size)} away, ` +
          `found particle ${range.first + first + Math.floor(k / 3)} at ${AXES[k % 3]} = ${positions[k]}. ` +
          "Check the unit of lengths, or try a larger box.size.",
      );
    }
  }

  #extend({ count, positions }: SourceBlock): void {
    for (let k = 0; k < 3 * count; k++) {
      this.#low[k % 3] = Math.min(this.#low[k % 3], positions[k]);
      this.#high[k % 3] = Math.max(this.#high[k % 3], positions[k]);
    }
  }

  /** With the offset that moves a file to the middle of a box that has room: alone for places below 0, which no larger box has. */
  #centring(otherwise: string): string {
    const { component, box } = this;
    const half = 0.5 * box.size;
    const slack = NOT_YET_WRAPPED * box.size;
    const low = Array.from(this.#low, (x, axis) => x - component.offset[axis]);
    const high = Array.from(this.#high, (x, axis) => x - component.offset[axis]);
    if (component.count !== undefined || !high.every((x, axis) => x - low[axis] <= box.size + slack)) return otherwise;
    const aboutZero = low.every((x) => x >= -half - slack) && high.every((x) => x <= half + slack);
    const offset = low.map((x, axis) => shortest(aboutZero ? half : half - 0.5 * (x + high[axis]))).join(", ");
    return `${low.some((x) => x < -slack) ? "Try" : `${otherwise}, or`} offset = [${offset}], which centres them`;
  }
}

/** Three digits, rounded up. */
function nextUp(value: number): string {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2);
  return ((Math.floor(value / unit) + 1) * unit).toPrecision(3);
}

function remedy(component: ModelComponent): string {
  if (component.count === undefined) return " (that of the run that wrote the file)";
  const lower = modelOf(component).extent?.keys.map((key) => `a lower ${key} (now ${component[key]})`);
  return lower ? `, ${lower.join(", ")} or an offset nearer to the centre` : "";
}
