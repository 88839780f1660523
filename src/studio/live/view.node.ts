/** `gravmesh view`: the page on 127.0.0.1, alone or with a result folder, which may still grow. */
import { setTimeout as sleep } from "node:timers/promises";
import type { WarningEvent } from "../../run/events.ts";
import { loadExtensions } from "../../run/extensions.ts";
import { EXIT } from "../../run/failure.ts";
import { Audience, type Showing } from "./audience.node.ts";
import type { FrameSourceName, ServeRequest } from "./request.ts";
import { RunFolder, requireFrames, scenarioOfResults } from "./run-folder.node.ts";
import { servePage } from "./server.node.ts";

export type ViewEvent =
  | { event: "serving"; address: string; folder: string | null; title: string | null; frames: number }
  | WarningEvent;

/** Time between looks at the folder while a page is open [ms]. */
const LOOK = 1000;

/** Serves until `signal`; the exit code. Throws GravmeshError. */
export async function serveView(
  { folder, port, from, extension = [] }: ServeRequest,
  watch: (event: ViewEvent) => void,
  signal: AbortSignal,
): Promise<number> {
  await loadExtensions(extension);
  const results = folder === undefined ? undefined : await openResults(folder, from);
  const server = await servePage({ port, shown: results });
  const { title = null, frames = [] } = results?.about() ?? {};
  watch({ event: "serving", address: server.address, folder: folder ?? null, title, frames: frames.length });
  try {
    while (!signal.aborted) {
      await sleep(LOOK, undefined, { signal }).catch(() => {});
      const fault = signal.aborted ? undefined : await results?.lookAgain();
      if (fault !== undefined) watch({ event: "warning", message: fault });
    }
  } finally {
    results?.end();
    await server.close();
  }
  return EXIT.success;
}

async function openResults(folder: string, from: FrameSourceName) {
  const run = new RunFolder(folder, scenarioOfResults(folder), from);
  await run.look();
  requireFrames(folder, run.about, from);
  let showing = shownOf(run);
  let last: string | undefined;
  const audience = new Audience(() => showing);
  return {
    about: () => showing.about,
    frame: (...asked: Parameters<RunFolder["frame"]>) => run.frame(...asked),
    report: () => run.report(),
    opened: (socket: Parameters<Audience["add"]>[0]) => audience.add(socket),
    end: () => audience.end(),
    /** While a page is open. A fault in a new file is returned once. */
    async lookAgain(): Promise<string | undefined> {
      if (audience.size === 0) return undefined;
      const fault = await run.look().then(
        () => undefined,
        (cause) => (cause instanceof Error ? cause.message : String(cause)),
      );
      if (fault === undefined) showing = shownOf(run);
      audience.update();
      const isNew = fault !== undefined && fault !== last;
      if (isNew) last = fault;
      return isNew ? fault : undefined;
    },
  };
}

function shownOf(run: RunFolder): Showing {
  const { about, rows, spectra, bars } = run;
  return { about, state: { event: "state", state: "shown" }, rows, spectra, bars };
}
