/**
 * A snapshot has to belong to the deck that names it: both are of an expanding box or neither is, and then they have the same
 * scale factor, box and cosmology. One message lists all that differs, with the file's value and the deck's.
 */

import { GravmeshError } from "../base/errors.ts";
import { Background } from "../cosmology/background.ts";
import type { CosmologySettings } from "../cosmology/settings.ts";
import { shortest } from "../deck/problems.ts";
import type { BoxSettings } from "../particles/box.ts";
import type { SnapshotFrame } from "./model.ts";

/** What a deck says that a snapshot may contradict. */
export interface DeckFrame {
  box: BoxSettings;
  cosmology: CosmologySettings;
  clock: "static" | "comoving";
  /** Comoving: scale factor at the start. */
  start: number;
}

/** Relative tolerances, for files in other units and numbers that were rounded when they were written down. */
const SAME_LENGTH = 1e-4;
const SAME_SCALE_FACTOR = 1e-4;
const SAME_PARAMETER = 1e-3;

/** Throws "input", with everything that differs, unless the snapshot is one of the deck's universe. */
export function requireFit(name: string, file: string, loaded: SnapshotFrame, deck: DeckFrame): void {
  const fail = (found: string, advice: string): never => {
    throw new GravmeshError("input", `${file} (component "${name}"): ${found}. ${advice}`);
  };
  if (deck.clock === "static") {
    if (loaded.comoving !== true) return;
    fail(
      `the snapshot is of an expanding box (a = ${shortest(loaded.time)}), the deck has time.clock = "static"`,
      `Set time.clock = "comoving" and time.start = ${shortest(loaded.time)}, or take a snapshot of a static run`,
    );
  }
  if (loaded.comoving === false) {
    fail(
      'the snapshot is of a static run, the deck has time.clock = "comoving"',
      'Take a snapshot of an expanding box, or set time.clock = "static"; a file of another code tells by ' +
        "Parameters/ComovingIntegrationOn = 1",
    );
  }
  const differences = comovingDifferences(loaded, deck);
  if (differences.length === 0) return;
  const keys = differences.map(({ key, found }) => `${key}=${shortest(found)}`).join(" ");
  fail(
    `it doesn't fit the deck: ${differences.map(({ text }) => text).join("; ")}`,
    `Take another snapshot, or the file's own values: ${keys}`,
  );
}

interface Difference {
  text: string;
  /** The deck's key. */
  key: string;
  /** In the file. */
  found: number;
}

function comovingDifferences({ time, boxSize, cosmology: said = {} }: SnapshotFrame, deck: DeckFrame): Difference[] {
  const { box, start, cosmology } = deck;
  const { today, parameters } = new Background(cosmology);
  const differences: Difference[] = [];
  const compare = (what: string, key: string, found: number | undefined, own: number, most: number) => {
    if (found === undefined || Math.abs(found - own) <= most) return;
    differences.push({ key, found, text: `${what} is ${shortest(found)} in the file, ${key} ${shortest(own)}` });
  };
  compare("the scale factor", "time.start", time, start, SAME_SCALE_FACTOR * start);
  compare("the box", "box.size", boxSize > 0 ? boxSize : undefined, box.size, SAME_LENGTH * box.size);
  compare("Ωm", "cosmology.omegaM", said.omegaM, today.matter, SAME_PARAMETER * today.matter);
  // What makes space flat follows from Ωm.
  const { omegaM = 0, darkEnergy = 0 } = said;
  const flat = cosmology.darkEnergy === "flat" && omegaM > 0 && Math.abs(omegaM + darkEnergy - 1) <= SAME_PARAMETER;
  if (!flat) compare("dark energy", "cosmology.darkEnergy", said.darkEnergy, today.darkEnergy, SAME_PARAMETER);
  compare("h", "cosmology.h", said.h, parameters.h, SAME_PARAMETER * parameters.h);
  return differences;
}
