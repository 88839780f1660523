/** A run from deck to report: one that begins, or one that goes on where another process left it. */
import { join, resolve as resolvePath } from "node:path";
import { originOf } from "../engine/backend/backend.ts";
import { loadOnOthers } from "../engine/ranked/rank-channel.ts";
import { GravmeshError } from "../foundation/base/errors.ts";
import { adapterName } from "../foundation/gpu/adapter.ts";
import type { Ranks } from "../foundation/ranks/ranks.ts";
import { deckText } from "../scenario/deck.ts";
import { physicsNotes } from "../scenario/remarks.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { fewBodies, onEngine } from "../scenario/simulation/engine.ts";
import { type BackendChoice, Simulation } from "../scenario/simulation/simulation.ts";
import { changedScenario, overridesOf } from "./changed-run.ts";
import { hasCheckpoint } from "./checkpoint.ts";
import { type Engine, engineWithFallback, requireMemory } from "./engine.ts";
import type { PreparationEvent, Watcher } from "./events.ts";
import { loadExtensions } from "./extensions.ts";
import { EXIT } from "./failure.ts";
import { missingOfComplete, requireFinishedPart, secondsBefore, summaryIn } from "./finished-part.ts";
import { latticeRemark } from "./health.ts";
import { engineFor, engineOptions, type InstrumentRequest, reportDecks } from "./instrument.ts";
import { withStandardInput } from "./io/standard-input.node.ts";
import { levelFigures, levelWarnings } from "./level-events.ts";
import { type FolderLock, lockFolder } from "./lock.ts";
import { DECK_FILE } from "./outputs/deck.ts";
import { clearRun, prepareResultFolder, removeTemporaryFiles, requireFreshFolder } from "./result-folder.ts";
import { someOf } from "./results.ts";
import type { RunObserver } from "./run-observer.ts";
import { changeDeck, FRESH_RUN, readDeck, readRun, requireRun } from "./saved-run.ts";
import { fileLoaders, keepInFolder, loadScenario } from "./scenario-source.ts";
import { type CheckpointWishes, Session, type SessionOptions } from "./session.ts";
import { shellLine } from "./shell-word.ts";
import { readStartRecord, writeStartRecord } from "./start-record.ts";

const preparingPipeline = (detail?: string): PreparationEvent => ({
  ...{ event: "preparation", what: "Preparing the pipeline", fraction: 0 },
  ...(detail !== undefined && { detail }),
});

const absolute = (files: readonly string[]) => files.map((file) => resolvePath(file));

/** `scenario`: with `resume` the first of the overrides, if any; overrides of a resumed run are for its rest. */
export interface RunRequest extends Omit<InstrumentRequest, "scenario"> {
  scenario?: string;
  /** Folder of a run to go on with: interrupted, or complete and to be continued. */
  resume?: string;
  /** Folder that the deck's files are relative to; the deck's own when left out. */
  filesFrom?: string;
  /** Of the result folder, where the caller has it: it stays the caller's, and an earlier run in it makes room. */
  lock?: FolderLock;
  /** Processes that share the particles; this one alone when left out. */
  ranks?: Ranks;
  /** When the command began, on the clock of performance.now() [ms]; now when left out. */
  since?: number;
  onlooker?: RunObserver;
  wishes?: CheckpointWishes;
}

/** Resolves to the exit code. Throws GravmeshError for everything that goes wrong. */
export async function run(request: RunRequest, watch: Watcher, signal: AbortSignal): Promise<number> {
  let lock: FolderLock | undefined;
  const hold = (take: () => FolderLock) => {
    if (!request.lock) lock = take();
  };
  const warn = (message: string) => watch({ event: "warning", message });
  const call: Call = { request, since: request.since ?? performance.now(), watch, warn, hold, signal };
  let session: Session | undefined;
  try {
    session = request.resume === undefined ? await begin(call) : await resume(call, request.resume);
    return session ? await session.run(signal) : EXIT.success;
  } catch (error) {
    if (session || !(signal.aborted && error instanceof GravmeshError && error.kind === "aborted")) throw error;
    warn("Stopped before the first step: there is nothing to go on from.");
    return EXIT.interrupted;
  } finally {
    session?.destroy();
    lock?.release();
  }
}

interface Call {
  request: RunRequest;
  since: number;
  watch: Watcher;
  warn: (message: string) => void;
  /** Takes the result folder, unless the caller has; given back when the run ends in whatever way. */
  hold: (take: () => FolderLock) => void;
  signal: AbortSignal;
}

/** What a run is made from: the deck, where its results go (`anew`), what it computes on. Throws where it would be refused. */
export async function opened(request: RunRequest, watch: Watcher, signal: AbortSignal, anew = true) {
  const { scenario: argument, overrides, filesFrom } = request;
  if (argument === undefined) {
    throw new GravmeshError("usage", "Which scenario? Give a deck's path or a name, as in `gravmesh run plummer`.");
  }
  const { extension = [], force = false, lock } = request;
  await loadExtensions(extension);
  loadOnOthers(request.ranks, absolute(extension));
  const { scenario, name } = await withStandardInput(signal, () => loadScenario(argument, overrides, filesFrom));
  const folder = request.out ?? join("results", name);
  if (!lock && anew) requireFreshFolder(folder, force);
  await request.onlooker?.expects(scenario, folder);
  const { backend } = request;
  const few = backend === "auto" && fewBodies(scenario) !== undefined;
  const engine = { ...(await engineFor(few ? "cpu" : backend, [scenario], watch)), ranks: request.ranks };
  // Without an adapter there is nothing to choose from.
  const choice: BackendChoice = few || engine.gpu ? backend : "cpu";
  return { scenario, folder, engine, backend: choice, extensions: absolute(extension) };
}

async function begin(call: Call): Promise<Session> {
  const { request, watch, hold, signal } = call;
  const { folder, ...beginning } = await opened(request, watch, signal);
  const { force = false, lock } = request;
  // Only when nothing stands in the way of the run may an earlier one go.
  const ready = () => (lock ? clearRun(folder) : hold(() => prepareResultFolder(folder, { force })));
  return beginIn(folder, beginning, ready, call);
}

/** `backend`: "auto" takes whichever of the engine and the CPU sums faster, for a direct sum. */
type Beginning = Omit<Awaited<ReturnType<typeof opened>>, "folder">;

/** `ready` is called before anything is written. */
function beginIn(folder: string, beginning: Beginning, ready: () => void, call: Call): Promise<Session> {
  const { scenario, engine, extensions } = beginning;
  return onEngine(engine, async () => {
    const { simulation, found, levels } = await madeSimulation(beginning, call);
    found.forEach(call.warn);
    ready();
    keepInFolder(scenario, folder);
    writeStartRecord(folder, { backend: simulation.backend, extensions });
    const before = { ...FRESH_RUN, extensions, found, levels };
    return sessionOf(call, { simulation, engine, folder, deck: deckText(scenario), before });
  });
}

function sessionOf(
  { since, watch, request: { onlooker, wishes } }: Call,
  about: Pick<SessionOptions, "simulation" | "engine" | "folder" | "deck" | "before">,
): Session {
  return new Session({ ...about, since, watch, onlooker, wishes });
}

/** The simulation at its start, and the warnings that its particles give rise to. Throws where the run would be refused. */
export async function madeSimulation(
  { scenario, engine, backend }: Beginning,
  { request: { ranks }, watch, signal }: Pick<Call, "request" | "watch" | "signal">,
) {
  requireMemory(scenario, engine);
  const found: string[] = [];
  const simulation = await Simulation.create(scenario, {
    ...simulationOptions(scenario, engine),
    ...{ backend, signal, ranks, onNote: (note) => found.push(note) },
    onInitialConditions: (done, total) => {
      if (done < total) watch({ event: "preparation", what: "Drawing initial conditions", fraction: done / total });
      else watch(preparingPipeline());
    },
    onPreparing: (detail) => watch(preparingPipeline(detail)),
  });
  for (const message of physicsNotes(simulation.components)) watch({ event: "note", message });
  const remark = await latticeRemark(simulation);
  const levels = await levelFigures(simulation);
  found.push(...(remark ? [remark] : []), ...levelWarnings(levels));
  return { simulation, found, levels: levels.map(({ followed }) => followed) };
}

/** Undefined where there is nothing to do. */
async function resume(call: Call, folder: string): Promise<Session | undefined> {
  const { request, watch, warn, hold } = call;
  const overrides = overridesOf(request, folder);
  requireRun(folder);
  hold(() => lockFolder(folder));
  if (!hasCheckpoint(folder) && !summaryIn(folder)) return beginAnew(call, folder, overrides);
  const run = await readRun(folder, request.extension);
  loadOnOthers(request.ranks, run.memory.extensions);
  const { checkpoint, memory, skipped } = run;
  for (const message of skipped) warn(`Passed over a damaged checkpoint: ${message}`);
  const kind = originOf(checkpoint.state.format)!.backend;
  requireBackend(folder, kind, request.backend);
  const changed = overrides.length > 0 ? changedScenario(folder, run, overrides) : undefined;
  const { scenario = run.scenario } = changed ?? {};
  const missing = missingOfComplete(folder, scenario);
  if (missing?.length === 0 && !changed) {
    warn(`The run in ${folder} is complete; nothing to do.`);
    return undefined;
  }
  requireFinishedPart(folder, scenario, checkpoint, memory.outputs);
  if (missing && missing.length > 0) warn(`Of the run in ${folder} ${someOf(missing)} will be made anew.`);
  await request.onlooker?.expects(scenario, folder);
  await reportDecks([scenario], watch);
  memory.found.forEach(warn);
  return onEngine({ ...(await engineOf(folder, kind)), ranks: request.ranks }, async (engine) => {
    requireMemory(scenario, engine);
    const adapter = engine.gpu && adapterName(engine.gpu.adapter);
    if (checkpoint.adapter && adapter && adapter !== checkpoint.adapter) {
      warn(
        `The run was computed on ${checkpoint.adapter} so far and goes on on ${adapter}: as accurate as before, but not ` +
          "to the last bit what the first would have given.",
      );
    }
    watch(preparingPipeline());
    const simulation = await Simulation.resume(scenario, checkpoint, {
      ...simulationOptions(scenario, engine),
      ranks: request.ranks,
      onPreparing: (detail) => watch(preparingPipeline(detail)),
    });
    const deck = changed ? deckText(scenario) : run.deck;
    if (changed) {
      await changeDeck(folder, deck, run.found);
      warn(`The run in ${folder} goes on with ${changed.changes}.`);
    }
    const before = { ...memory, seconds: secondsBefore(folder, checkpoint.step, memory), resumes: memory.resumes + 1 };
    return sessionOf(call, { simulation, engine, folder, deck, before });
  });
}

/** A run that was killed before its first checkpoint: everything that makes it is there. */
async function beginAnew(call: Call, folder: string, overrides: readonly string[]): Promise<Session> {
  const { request, watch, warn } = call;
  if (overrides.length > 0) {
    const again = shellLine("gravmesh", "run", join(folder, DECK_FILE), ...overrides, "--out", folder, "--force");
    throw new GravmeshError(
      "usage",
      `The run in ${folder} was stopped before its first checkpoint: there is nothing to go on from. Begin it with other values: ${again}`,
    );
  }
  const record = readStartRecord(folder);
  if (record) requireBackend(folder, record.backend, request.backend);
  const named = request.extension && absolute(request.extension);
  const extensions = named ?? record?.extensions ?? [];
  await loadExtensions(extensions, named ? undefined : `The run in ${folder} was made with it`);
  loadOnOthers(request.ranks, extensions);
  const scenario = readDeck(folder);
  warn(`The run in ${folder} was stopped before its first checkpoint: it begins anew.`);
  await request.onlooker?.expects(scenario, folder);
  if (record) await reportDecks([scenario], watch);
  const found = record ? await engineOf(folder, record.backend) : await engineFor(request.backend, [scenario], watch);
  const engine = { ...found, ranks: request.ranks };
  const backend: BackendChoice = engine.gpu ? "webgpu" : "cpu";
  // Its files are written anew one by one, to the same content.
  return beginIn(folder, { scenario, engine, backend, extensions }, () => removeTemporaryFiles(folder), call);
}

/** Throws "usage" where another backend is asked for than the run was computed with. */
function requireBackend(folder: string, kind: Simulation["backend"], asked: BackendChoice): void {
  if (asked === "auto" || asked === kind) return;
  throw new GravmeshError(
    "usage",
    `The run in ${folder} was computed with --backend ${kind} and can only go on with it, found --backend ${asked}.`,
  );
}

/** The engine that a run goes on with. Throws "device" where it needs an adapter and there is none. */
function engineOf(folder: string, kind: Simulation["backend"]): Promise<Engine> {
  const otherwise =
    `the run in ${folder} was computed on a GPU and can only go on with one. Resume it where there is one, or compute it ` +
    `from the start on the CPU: ${shellLine("gravmesh", "run", join(folder, DECK_FILE), "--backend", "cpu", "--out", "ANOTHER-FOLDER")}`;
  return engineWithFallback(kind, otherwise);
}

function simulationOptions(scenario: Scenario, engine: Engine) {
  const loaders = fileLoaders(scenario, (particles) => requireMemory(scenario, engine, particles));
  return { ...engineOptions(engine.gpu), ...loaders };
}
