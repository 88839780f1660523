/**
 * With which other keys particles that are under way can go on: those that say how they are moved and for how long. What the
 * particles were drawn with, and what their numbers mean, is theirs.
 */
import { displayPath, shown } from "../../deck/problems.ts";
import { isRigid } from "../../initial/components.ts";
import { differencesOf } from "../../scenario/continuation.ts";
import type { Scenario } from "../../scenario/scenario.ts";

/** Why a table's keys, or a key, can't be another with the particles that there are. */
const FIXED: Readonly<Record<string, string>> = {
  particles: "the particles are drawn with it",
  galaxy: "the particles are placed by it",
  cosmology: "the particles are drawn with it",
  units: "the particles' numbers are in these units",
  box: "the particles lie in this box",
  "time.clock": "the particles' velocities go by this clock",
  "time.start": "the particles are of a later time",
  "time.continued": "it belongs to the outputs of a run that was continued",
};

const reasonFor = (table: string, key: string): string | undefined => FIXED[`${table}.${key}`] ?? FIXED[table];

export function isForkable(table: string, key: string): boolean {
  return reasonFor(table, key) === undefined;
}

/** What forbids it to go on from one scenario with another; nothing where it may. */
export function forkRefusals(before: Scenario, now: Scenario): string[] {
  return differencesOf(before, now).flatMap(({ path, found, now: next }) => {
    const reason = reasonFor(String(path[0]), String(path.at(-1)));
    const rigid = path[0] === "particles" && isRigid(before.particles[Number(path[1])]);
    // A component without particles is a potential: it may be another.
    if (reason === undefined || (rigid && path.at(-1) !== "rigid" && path.at(-1) !== "kind")) return [];
    return [
      `${displayPath(path)} is ${shown(found)}, and ${reason}: a fork can't have ${shown(next)}. Start the deck again with it`,
    ];
  });
}
