/** A run from deck to report: one that begins, or one that goes on where another process left it. */
import { join, resolve as resolvePath } from "node:path";
import { originOf } from "../backend.ts";
import { onEngine } from "../engine.ts";
import { GravmeshError } from "../errors.ts";
import { adapterName } from "../gpu/context.ts";
import { deckText } from "../scenario/deck.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { type BackendChoice, Simulation } from "../simulation.ts";
import { chooseEngine, type Engine, requireMemory } from "./engine.ts";
import type { Watcher } from "./events.ts";
import { loadExtensions } from "./extensions.ts";
import { EXIT } from "./failure.ts";
import { engineFor, engineOptions } from "./instrument.ts";
import { type FolderLock, lockFolder } from "./lock.ts";
import { prepareResultFolder, requireFreshFolder } from "./result-folder.ts";
import { NOTHING_YET, readRun, requireRun } from "./saved-run.ts";
import { fileLoaders, loadScenario } from "./scenario-source.ts";
import { Session } from "./session.ts";

export interface RunRequest {
  /** Path or bare name; absent with `resume`. */
  scenario?: string;
  overrides: readonly string[];
  backend: BackendChoice;
  /** Result folder; results/NAME by default. */
  out?: string;
  /** Folder of an interrupted run. */
  resume?: string;
  force?: boolean;
  /** Modules that add to gravmesh's lists, loaded before the deck is read. */
  extension?: readonly string[];
}

/** Runs; resolves to the exit code. Throws GravmeshError for everything that goes wrong. */
export async function run(request: RunRequest, watch: Watcher, signal: AbortSignal): Promise<number> {
  let lock: FolderLock | undefined;
  const hold: Hold = (taken) => {
    lock = taken;
  };
  let session: Session | undefined;
  try {
    session = request.resume === undefined ? await begin(request, watch, hold) : await resume(request, watch, hold);
    return session ? await session.run(signal) : EXIT.success;
  } finally {
    session?.destroy();
    lock?.release();
  }
}

/** Takes the lock of the result folder, to be given back when the run ends in whatever way. */
type Hold = (lock: FolderLock) => void;

async function begin(request: RunRequest, watch: Watcher, hold: Hold): Promise<Session> {
  if (request.scenario === undefined) {
    throw new GravmeshError("usage", "Which scenario? Give a deck's path or a name, as in `gravmesh run plummer`.");
  }
  const { extension = [], force = false } = request;
  await loadExtensions(extension);
  const { scenario, name } = loadScenario(request.scenario, request.overrides);
  const path = request.out ?? join("results", name);
  requireFreshFolder(path, force);
  return onEngine(await engineFor(request.backend, [scenario], watch), async (engine) => {
    requireMemory(scenario, engine);
    const simulation = await Simulation.create(scenario, {
      ...simulationOptions(scenario, engine),
      onInitialConditions: (done, total) => {
        if (done < total) watch({ event: "preparation", what: "Drawing initial conditions", fraction: done / total });
        else watch({ event: "preparation", what: "Preparing the pipeline", fraction: 0 });
      },
    });
    // Only now, when nothing stands in the way of the run, may an earlier one go.
    hold(prepareResultFolder(path, { force }));
    const before = { ...NOTHING_YET, extensions: extension.map((file) => resolvePath(file)) };
    return new Session({ simulation, engine, folder: path, deck: deckText(scenario), before, watch });
  });
}

async function resume(request: RunRequest, watch: Watcher, hold: Hold): Promise<Session | undefined> {
  const path = request.resume!;
  if (request.scenario !== undefined || request.out !== undefined || request.force) {
    throw new GravmeshError(
      "usage",
      `--resume continues the run in ${path} with its own deck: leave out SCENARIO, key=value, --out and --force.`,
    );
  }
  requireRun(path);
  hold(lockFolder(path));
  const { scenario, deck, checkpoint, memory, skipped } = await readRun(path, request.extension);
  for (const message of skipped) watch({ event: "warning", message: `Passed over a damaged checkpoint: ${message}` });
  const kind = originOf(checkpoint.state.format)!.backend;
  if (request.backend !== "auto" && request.backend !== kind) {
    throw new GravmeshError(
      "usage",
      `The run in ${path} was computed with --backend ${kind} and can only go on with it, found --backend ${request.backend}.`,
    );
  }
  const only = `the run in ${path} was computed on a GPU and can only go on with one.`;
  return onEngine(await chooseEngine(kind, only), async (engine) => {
    requireMemory(scenario, engine);
    const adapter = engine.gpu && adapterName(engine.gpu.adapter);
    if (checkpoint.adapter && adapter && adapter !== checkpoint.adapter) {
      const message =
        `The run was computed on ${checkpoint.adapter} so far and goes on on ${adapter}: as accurate as before, but not ` +
        "to the last bit what the first would have given.";
      watch({ event: "warning", message });
    }
    watch({ event: "preparation", what: "Preparing the pipeline", fraction: 0 });
    const simulation = await Simulation.resume(scenario, checkpoint, simulationOptions(scenario, engine));
    if (simulation.done) {
      watch({ event: "warning", message: `The run in ${path} is complete (time ${simulation.time}); nothing to do.` });
      simulation.destroy();
      engine.gpu?.destroy();
      return undefined;
    }
    const before = { ...memory, resumes: memory.resumes + 1 };
    return new Session({ simulation, engine, folder: path, deck, before, watch });
  });
}

function simulationOptions(scenario: Scenario, engine: Engine) {
  const loaders = fileLoaders(scenario, (particles) => requireMemory(scenario, engine, particles));
  return { ...engineOptions(engine.gpu), ...loaders };
}
