/** An interrupted run as its folder keeps it: the deck, the simulation's checkpoint, and what the run itself wants back. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { StageTime } from "../engine/backend/backend.ts";
import { GravmeshError } from "../foundation/base/errors.ts";
import { isRigid, sampledComponents, sampledCount } from "../physics/initial/components.ts";
import { wholeArray } from "../physics/particles/saved-arrays.ts";
import { parseScenario } from "../scenario/parse.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { misfit } from "../scenario/simulation/checkpoint.ts";
import type { CheckpointInPieces, Simulation } from "../scenario/simulation/simulation.ts";
import { NO_TIME, type RunTraffic } from "./accounts.ts";
import { deckHash, type FoundCheckpoint, readCheckpoint, writeCheckpoint } from "./checkpoint.ts";
import { figureFault } from "./checkpoint-figures.ts";
import { loadExtensions } from "./extensions.ts";
import { writeFileAtomic } from "./io/files.node.ts";
import { DECK_FILE } from "./outputs/deck.ts";
import type { KeptLines } from "./outputs/line-file.ts";
import { removeTemporaryFiles } from "./result-folder.ts";
import { deckTextIn } from "./scenario-source.ts";
import { shellLine } from "./shell-word.ts";

/** What the run itself wants back on resume, besides the simulation's state. */
export type RunMemory = typeof FRESH_RUN;

export const FRESH_RUN = {
  seconds: NO_TIME,
  resumes: 0,
  stages: [] as StageTime[],
  /** What the host asked of the device; undefined on the CPU. */
  traffic: undefined as RunTraffic | undefined,
  /** Warnings that the particles at the start have given rise to. */
  found: [] as string[],
  /** What the cores of levels held of what they are around, at the start. */
  levels: [] as (number | null)[],
  outputs: {} as Record<string, unknown>,
  lines: {} as Record<string, KeptLines>,
  extensions: [] as string[],
};

/** The part of a checkpoint that is neither arrays nor in the file format's own fields. */
interface Extra extends RunMemory, Omit<CheckpointInPieces, "step" | "time" | "initialSums" | "masses" | "state"> {
  /** Mass per component; null where masses differ within one and an array holds them. */
  masses: number[] | null;
}

/** Name of the array of single masses among the arrays of the state. */
const MASSES = "run.masses";

/** Writes a checkpoint; `deck`: the text of the deck as run. Throws "io". */
export async function saveRun(folder: string, deck: string, simulation: Simulation, memory: RunMemory): Promise<void> {
  const { state, masses, initialSums, step, time, ...rest } = await simulation.checkpointInPieces();
  const single = masses instanceof Float64Array;
  const extra: Extra = { ...memory, ...rest, masses: single ? null : masses };
  await writeCheckpoint(folder, {
    state: { ...state, arrays: single ? { ...state.arrays, [MASSES]: masses } : state.arrays },
    progress: { step, time, initialSums, extra },
    deckHash: deckHash(deck),
  });
}

/** Opens a run; `extensions` replace its own. `skipped`: damaged checkpoints. Throws "usage", "input", "scenario". */
export async function readRun(folder: string, extensions: readonly string[] = []) {
  requireRun(folder);
  const deck = deckTextIn(join(folder, DECK_FILE));
  let opened: OpenedRun | undefined;
  const { skipped } = await readCheckpoint(folder, deckHash(deck), async (found) => {
    const fault = figureFault(found.progress);
    if (fault) return fault;
    const { memory, checkpoint } = await partsOf(found);
    const given = extensions.length > 0;
    if (given) memory.extensions = extensions.map((file) => resolve(file));
    await loadExtensions(
      given ? extensions : memory.extensions,
      given ? undefined : `The run in ${folder} was made with it`,
    );
    const scenario = readDeck(folder);
    opened = { scenario, checkpoint, memory, found };
    const wrong = misfit(scenario, checkpoint) ?? countFault(scenario, checkpoint);
    return wrong && `it doesn't fit its deck: ${wrong}`;
  });
  removeTemporaryFiles(folder);
  return { ...opened!, deck, skipped };
}

interface OpenedRun {
  found: FoundCheckpoint;
  scenario: Scenario;
  checkpoint: CheckpointInPieces;
  memory: RunMemory;
}

/** Gives a run another deck, the checkpoint first: a process that is killed in between changes nothing. Throws "io". */
export async function changeDeck(folder: string, deck: string, found: FoundCheckpoint): Promise<void> {
  await writeCheckpoint(folder, { ...found, deckHash: deckHash(deck) });
  writeFileAtomic(join(folder, DECK_FILE), deck);
}

/** The simulation's part of a checkpoint and the run's. */
async function partsOf({ state, progress }: FoundCheckpoint): Promise<Pick<OpenedRun, "checkpoint" | "memory">> {
  const { step, time, initialSums, extra } = progress;
  const { masses, components, output, tick, externalPotentials, adaptive, cosmicEnergy, adapter, ...memory } =
    extra as Extra;
  const { [MASSES]: single, ...arrays } = state.arrays;
  const checkpoint: CheckpointInPieces = {
    ...{ step, time, initialSums, output, tick, components, externalPotentials, adapter },
    ...{ ...(adaptive && { adaptive }), ...(cosmicEnergy && { cosmicEnergy }) },
    masses: masses ?? (single && ((await wholeArray(single)) as Float64Array)) ?? [],
    state: { ...state, arrays },
  };
  return { memory: { ...FRESH_RUN, ...memory }, checkpoint };
}

/** The particles that a deck's models have are as many as its deck says; a snapshot's may be any number more. */
function countFault(scenario: Scenario, { components }: CheckpointInPieces): string | undefined {
  const found = components.reduce((sum, { count }) => sum + count, 0);
  const sampled = sampledCount(scenario);
  const known = scenario.particles.filter((one) => !isRigid(one)).length === sampledComponents(scenario).length;
  if (known ? found === sampled : found >= sampled) return undefined;
  return `expected ${known ? "" : "at least "}${sampled} particles, found ${found}`;
}

/** The deck as run. Throws "scenario". */
export function readDeck(folder: string): Scenario {
  const file = join(folder, DECK_FILE);
  return parseScenario(deckTextIn(file), { file });
}

/** Throws "usage" where a folder holds no run. */
export function requireRun(folder: string): void {
  if (existsSync(join(folder, DECK_FILE))) return;
  throw new GravmeshError(
    "usage",
    `${folder} holds no run to resume (no ${DECK_FILE}). Give the folder that the run was started with, or start it ` +
      `with \`${shellLine("gravmesh", "run", "SCENARIO", "--out", folder)}\`.`,
  );
}
