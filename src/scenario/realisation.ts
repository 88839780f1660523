/**
 * `seed=2`: another realisation of the same deck. The seed of every component is moved on by 1000 (seed − 1), so that 1 is
 * the deck as it stands, and components, of which there are at most 1000, share no numbers between realisations.
 */
import type { RawTable } from "../foundation/deck/keys.ts";
import { schemaOf, tablesOf } from "../foundation/deck/kinds.ts";
import { type Path, shown } from "../foundation/deck/problems.ts";
import { particleTables } from "../physics/initial/components.ts";
import { models } from "../physics/initial/models.ts";

/** The name of the override; no key of a deck. */
export const SEED = "seed";
/** Between the seeds of a component in two realisations. */
const APART = 1000;
const LARGEST_SEED = Math.floor(0xffff_ffff / APART);

/** Components whose particles are drawn, by position. */
function drawn(deck: RawTable): { table: RawTable; index: number }[] {
  return tablesOf(deck, particleTables.name).flatMap((table, index) => {
    const shape = schemaOf(particleTables, table)?.shape;
    const fromFile = models.records.some(({ name, files }) => name === table.kind && files !== undefined);
    return shape && SEED in shape && !fromFile && table.rigid !== true ? [{ table, index }] : [];
  });
}

/** Why `seed` can't be one of `deck`; undefined where it can. */
export function seedFault(seed: unknown, deck: RawTable): string | undefined {
  if (typeof seed !== "number" || !Number.isSafeInteger(seed) || seed < 1 || seed > LARGEST_SEED) {
    return `expected a whole number from 1 (the deck as it stands) to ${LARGEST_SEED}, found ${shown(seed)}`;
  }
  if (drawn(deck).length > 0) return undefined;
  return "nothing of this deck is drawn at random: no component has a seed";
}

/** Moves on the seeds in `deck`, in place; the keys that have changed. */
export function shiftSeeds(seed: number, deck: RawTable): Path[] {
  return drawn(deck).map(({ table, index }) => {
    const own = Object.hasOwn(table, SEED) ? table[SEED] : index + 1;
    // The schema refuses what is no number.
    table[SEED] = typeof own === "number" ? own + APART * (seed - 1) : own;
    return [particleTables.name, index, SEED];
  });
}
