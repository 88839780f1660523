/** `gravmesh ensemble`: the members of an ensemble, begun or gone on with, on this machine. */
import { availableParallelism, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { loadExtensions } from "../../run/extensions.ts";
import { EXIT } from "../../run/failure.ts";
import { shellLine } from "../../run/shell-word.ts";
import { runMembers } from "./crew.ts";
import { type Ensemble, memberFolder, readEnsemble, requireMember } from "./ensemble.ts";
import type { EnsembleEvent } from "./events.ts";
import { examineFolder, settle } from "./folder.ts";
import { outcomeOf, statesOf, tallyOf } from "./member-state.ts";
import { type Plan, type PlanRequest, planOf } from "./plan.ts";
import { type SlurmRequest, submit } from "./slurm.ts";

export interface EnsembleRequest extends Omit<PlanRequest, "scenario"> {
  /** Path or bare name; absent with `resume`. */
  scenario?: string | undefined;
  /** Folder of the ensemble; results/ensemble-NAME by default. */
  out?: string | undefined;
  resume?: string | undefined;
  force?: boolean | undefined;
  member?: number | undefined;
  /** Members at once; by the backend when left out. */
  jobs?: number | undefined;
  dryRun?: boolean | undefined;
  program: readonly string[];
}

type Watch = (event: EnsembleEvent) => void;

const folderOf = ({ out }: EnsembleRequest, { name }: Plan) => out ?? join("results", `ensemble-${name}`);

/** Makes the ensemble that is asked for, or opens the one that is there. Throws "usage", "scenario", "io". */
export async function openEnsemble(request: EnsembleRequest, signal?: AbortSignal) {
  if (request.resume !== undefined) {
    requireNothingNew(request, request.resume);
    const ensemble = readEnsemble(request.resume);
    const { backend, resume } = request;
    // "auto" is what a command has that doesn't say.
    if (backend !== "auto" && backend !== ensemble.backend) {
      throw new GravmeshError(
        "usage",
        `The ensemble in ${resume} was begun with --backend ${ensemble.backend} and goes on with it, found --backend ${backend}.`,
      );
    }
    await loadExtensions(ensemble.extensions, `The ensemble in ${request.resume} was made with it`);
    return { folder: request.resume, ensemble, memory: undefined };
  }
  const plan = await planOf(requireScenario(request), signal);
  const folder = folderOf(request, plan);
  // Before anything is written: whose task has too high a number leaves no ensemble behind.
  if (request.member !== undefined) requireMember(plan.ensemble, request.member, folder);
  await settle(folder, plan.ensemble, plan.deck, request.force ?? false);
  return { folder, ensemble: plan.ensemble, memory: plan.memory };
}

/** Tells what would run. Throws as `openEnsemble` does; changes nothing. */
export async function reportPlan(request: EnsembleRequest, watch: Watch, signal?: AbortSignal): Promise<number> {
  if (request.resume !== undefined)
    throw new GravmeshError("usage", "--dry-run is for a SCENARIO: leave out --resume.");
  const plan = await planOf(requireScenario(request), signal);
  const folder = folderOf(request, plan);
  if (!request.force) examineFolder(folder, plan.ensemble, plan.deck);
  const { title, members } = plan.ensemble;
  const states = statesOf(folder, plan.ensemble);
  watch({
    event: "plan",
    ...{ title, folder, memoryBytes: plan.memory },
    members: members.map((member, i) => ({
      ...{ index: member.index, folder: memberFolder(folder, member), values: member.values },
      state: request.force ? "waiting" : states[i],
    })),
  });
  return EXIT.success;
}

function requireScenario(request: EnsembleRequest): PlanRequest {
  const { scenario } = request;
  if (scenario !== undefined) return { ...request, scenario };
  throw new GravmeshError(
    "usage",
    "Which scenario? Give a deck's path or a name, as in `gravmesh ensemble plummer --vary seed=1..16`.",
  );
}

function requireNothingNew(request: EnsembleRequest, folder: string): void {
  const { scenario, overrides, vary, force } = request;
  const given = [
    ...(scenario === undefined ? [] : [scenario]),
    ...overrides,
    ...vary.map((text) => `--vary ${text}`),
    ...(["latin", "extension", "out"] as const).flatMap((key) => (request[key] === undefined ? [] : [`--${key}`])),
    ...(force ? ["--force"] : []),
  ];
  if (given.length === 0) return;
  throw new GravmeshError(
    "usage",
    `--resume goes on with the ensemble in ${folder} as it is: leave out ${given.slice(0, 3).join(", ")}. To add members ` +
      "behind those that are there, give the command that made it, with more of them.",
  );
}

const SHARE_OF_MEMORY = 0.8;
/** A member in float64 on the CPU holds about twice what the estimate for an adapter says. */
const HELD_ON_CPU = 2;

/** A member fills an adapter; on the CPU it has one thread: as many as there are cores, if they have room. */
function usualJobs({ backend, members }: Ensemble, memory = 0): number {
  if (backend !== "cpu") return 1;
  const room = memory > 0 ? Math.floor((SHARE_OF_MEMORY * totalmem()) / (HELD_ON_CPU * memory)) : members.length;
  return Math.max(1, Math.min(availableParallelism(), members.length, room));
}

export interface SubmitRequest extends EnsembleRequest, Pick<SlurmRequest, "sbatch" | "sbatchCollect" | "onlyWrite"> {}

/** Hands the rest of the ensemble to Slurm; resolves to the exit code. Throws as `openEnsemble` and `submit` do. */
export async function submitEnsemble(request: SubmitRequest, watch: Watch, signal?: AbortSignal): Promise<number> {
  const { folder, ensemble } = await openEnsemble(request, signal);
  const { title, members } = ensemble;
  const states = statesOf(folder, ensemble);
  watch({ event: "start", title, folder, members: members.length, tally: tallyOf(states), jobs: null });
  const left = members.filter((_, i) => states[i] !== "finished");
  if (left.length > 0) submit({ ...request, folder, ensemble, left }, watch);
  else watch({ event: "warning", message: `All members of ${folder} are finished: nothing to submit.` });
  return EXIT.success;
}

/** Collects what members have come to, whether all are finished or not. Throws as `collect` does. */
export async function collectEnsemble(folder: string, watch: Watch): Promise<number> {
  const { collect } = await import("./collect/collect.ts");
  const { html, csv, hdf5, members } = await collect(folder, (what) => watch({ event: "activity", what }));
  const tally = tallyOf(members.map(({ state }) => state));
  const files = [html, csv, hdf5].map((file) => resolve(file));
  watch({ event: "collected", folder: resolve(folder), page: files[0], files, tally });
  return EXIT.success;
}

/** Runs the rest of the ensemble and collects its results; resolves to the exit code: 0 where every member is finished. */
export async function runEnsemble(request: EnsembleRequest, watch: Watch, signal: AbortSignal): Promise<number> {
  const { folder, ensemble, memory } = await openEnsemble(request, signal);
  const jobs = request.jobs ?? usualJobs(ensemble, memory);
  const { title, members } = ensemble;
  const before = tallyOf(statesOf(folder, ensemble));
  watch({ event: "start", title, folder, members: members.length, tally: before, jobs });
  await runMembers({ folder, ensemble, jobs, program: request.program }, watch, signal);
  const { tally, failed, failures, unfinished } = outcomeOf(folder, ensemble);
  const resume = shellLine("gravmesh", "ensemble", "--resume", folder);
  const outcome = { folder: resolve(folder), tally, failures, resume };
  const left = tally.finished < members.length;
  if (signal.aborted && left) {
    watch({ event: "interrupted", ...outcome });
    return EXIT.interrupted;
  }
  await collectEnsemble(folder, watch);
  watch({ event: "end", ...outcome, failed, unfinished });
  return left ? EXIT.failed : EXIT.success;
}
