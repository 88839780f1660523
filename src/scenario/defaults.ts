/**
 * Defaults that depend on other keys of the deck, filled in before the schema is applied.
 * The deck is still unchecked here: where a rule needs a value that is itself wrong, it yields a harmless
 * stand-in, so that the message is about the wrong value and not about what follows from it.
 */

import type { DerivedDefault, RawTable } from "../deck/keys.ts";
import { cosmologyDefaults, matterOf } from "./cosmology.ts";
import { type MultigridSettings, multigridPresets } from "./multigrid.ts";

/** Virial equilibrium with G = M = 1 and E = −1/4 (Hénon units): a = 3π/16. */
export const HENON_PLUMMER_SCALE = (3 * Math.PI) / 16;

/** The part of the half box that a default cut-off may fill: clear of the mesh's edges from about 70 cells up. */
const FILLED_HALF_BOX = 0.9;
const STAND_IN = 1;

const isTable = (value: unknown): value is RawTable =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function entry(deck: RawTable, table: string, key: string): unknown {
  const found = deck[table];
  return isTable(found) ? found[key] : undefined;
}

function positiveNumber(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 && Number.isFinite(value) ? value : undefined;
}

function isNbody(deck: RawTable): boolean {
  return (entry(deck, "units", "system") ?? "nbody") === "nbody";
}

/** Largest |offset| along an axis. */
function reach(component: RawTable): number {
  const offset = component.offset ?? [0, 0, 0];
  if (!Array.isArray(offset) || !offset.every((x) => typeof x === "number")) return 0;
  return Math.max(...offset.map(Math.abs));
}

/** What the component is called when it has no name of its own: its kind, numbered when that is taken. */
function derivedName(deck: RawTable, index: number): string {
  const components = (Array.isArray(deck.particles) ? deck.particles : []).filter(isTable);
  const taken = new Set(components.map((component) => component.name));
  for (let i = 0; ; i++) {
    const kind = String(components[i]?.kind);
    if (components[i]?.name === undefined || i === index) {
      let name = kind;
      for (let n = 2; taken.has(name); n++) name = `${kind}-${n}`;
      if (i >= index) return name;
      taken.add(name);
    }
  }
}

export const nameOfKind: DerivedDefault = {
  text: "the kind",
  value: ({ deck, index }) => derivedName(deck, index),
};

export const seedByPosition: DerivedDefault = {
  text: "1, 2, … by position",
  value: ({ index }) => index + 1,
};

export const noneIfRigid: DerivedDefault = {
  text: "required, 0 if rigid",
  value: ({ component }) => (component.rigid === true ? 0 : undefined),
};

export const henonMass: DerivedDefault = {
  text: "required, 1 in nbody units",
  value: ({ deck }) => (isNbody(deck) ? 1 : undefined),
};

export const henonScale: DerivedDefault = {
  text: "required, 3π/16 in nbody units",
  value: ({ deck }) => (isNbody(deck) ? HENON_PLUMMER_SCALE : undefined),
};

/** `multiple` times the length under `key`, or the largest sphere about the component that fits the box. */
export function cutoffFrom(key: "scale" | "scaleLength", multiple: number): DerivedDefault {
  return {
    text: `${multiple} × ${key}, or what fits the box`,
    value({ deck, component }) {
      const scale = positiveNumber(component[key]);
      const size = positiveNumber(entry(deck, "box", "size"));
      if (scale === undefined || size === undefined) return STAND_IN;
      const room = size / 2 - (entry(deck, "box", "boundary") === "periodic" ? 0 : reach(component));
      return room > 0 ? Math.min(multiple * scale, FILLED_HALF_BOX * room) : STAND_IN;
    },
  };
}

export const boxSide: DerivedDefault = {
  text: "box.size",
  value: ({ deck }) => positiveNumber(entry(deck, "box", "size")) ?? STAND_IN,
};

/** Direct summation has no mesh; what compares with one takes this. */
const CELLS_WITHOUT_MESH = 64;

export const cellsUnlessDirect: DerivedDefault = {
  text: `required, ${CELLS_WITHOUT_MESH} with gravity = "direct"`,
  value: ({ deck }) => (deck.gravity === "direct" ? CELLS_WITHOUT_MESH : undefined),
};

export const whenComoving: DerivedDefault = {
  text: 'true with time.clock = "comoving"',
  value: ({ deck }) => entry(deck, "time", "clock") === "comoving",
};

export const perSideCubed: DerivedDefault = {
  text: "perSide³",
  value: ({ component }) => (positiveNumber(component.perSide) ?? 2) ** 3,
};

export const matterInBox: DerivedDefault = {
  text: "cosmology.matter times the critical density times the box",
  value({ deck }) {
    const size = positiveNumber(entry(deck, "box", "size")) ?? STAND_IN;
    return matterOf(positiveNumber(entry(deck, "cosmology", "matter")) ?? cosmologyDefaults.matter, size);
  },
};

export const endTime: DerivedDefault = {
  text: "time.end",
  value: ({ deck }) => positiveNumber(entry(deck, "time", "end")) ?? STAND_IN,
};

/** `key` of the deck's multigrid preset. */
export function fromPreset(key: keyof MultigridSettings): DerivedDefault {
  const presets: Record<string, MultigridSettings | undefined> = multigridPresets;
  return {
    text: `${multigridPresets.default[key]} (aubert2009: ${multigridPresets.aubert2009[key]})`,
    value: ({ deck }) => (presets[String(entry(deck, "multigrid", "preset"))] ?? multigridPresets.default)[key],
  };
}
