/**
 * The members of an ensemble as processes of their own, one after another or several at once: a crash of one is no other's,
 * and none finds buffers or compiled kernels of another.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { sum } from "d3-array";
import { Activities } from "../../run/activities.ts";
import type { ErrorEvent, RunEvent } from "../../run/events.ts";
import { EXIT } from "../../run/failure.ts";
import { makeFolders, writeFileAtomic } from "../../run/io/files.node.ts";
import { type Ensemble, MEMBER_ERROR_FILE, type Member, memberFolder } from "./ensemble.ts";
import type { ActiveMember, EnsembleEvent, SkippedEvent } from "./events.ts";
import { memberStatus, statesOf, tallyOf } from "./member-state.ts";

export interface CrewRequest {
  folder: string;
  ensemble: Ensemble;
  jobs: number;
  program: readonly string[];
}

type Watch = (event: EnsembleEvent) => void;

/** To a member's process: that it is to end with a checkpoint. */
const STOP = "stop";
const INTERVAL_MS = 100;
/** Between looks at members that other processes have [ms]: as many times as long as a look takes, which may ask Slurm. */
const LOOK = { leastMs: 500, times: 20 };
/** Kept of what a process writes to stderr, for one that ends without a message [characters]. */
const LAST_WORDS = 2000;

type Working = ActiveMember & { child: ChildProcess; activities: Activities };

type Crew = ReturnType<typeof crewOf>;

function crewOf(request: CrewRequest, watch: Watch) {
  const { folder, ensemble } = request;
  const states = statesOf(folder, ensemble);
  return {
    ...{ ...request, watch, states },
    /** Which fraction of its run each member has reached: 1 where it is finished. */
    reached: states.map((state): number => (state === "finished" ? 1 : 0)),
    queue: ensemble.members.filter(({ index }) => states[index] !== "finished"),
    working: new Map<number, Working>(),
    elsewhere: [] as { member: Member; process: string }[],
    ...{ shared: new Set<number>(), said: false, began: performance.now() },
  };
}

/**
 * Tries every member once that isn't finished; those that other processes have are waited for, and gone on with where these
 * leave them unfinished. When `signal` is aborted, members stop with their checkpoints, and no other is begun; they do the
 * same when this process is gone, whatever has ended it.
 */
export async function runMembers(request: CrewRequest, watch: Watch, signal: AbortSignal): Promise<void> {
  const crew = crewOf(request, watch);
  const toEach = (act: (child: ChildProcess) => unknown) => () => {
    for (const { child } of crew.working.values()) act(child);
  };
  const stop = toEach((child) => child.connected && child.send(STOP, () => {})); // one that has just ended takes no word
  // A second Ctrl-C ends this process at once, and them.
  const kill = toEach((child) => child.kill("SIGKILL"));
  signal.addEventListener("abort", stop);
  process.on("exit", kill);
  const atFirst = sum(crew.reached);
  const timer = setInterval(() => watch(progressOf(crew, atFirst)), INTERVAL_MS);
  const work = async () => {
    for (let member = await next(crew, signal); member; member = await next(crew, signal)) {
      await attempt(crew, member);
    }
  };
  try {
    await Promise.all(Array.from({ length: request.jobs }, work));
  } finally {
    clearInterval(timer);
    signal.removeEventListener("abort", stop);
    process.off("exit", kill);
  }
}

function progressOf({ states, reached, working, began }: Crew, atFirst: number): EnsembleEvent {
  const active = [...working.values()].map(({ child: _, activities: __, ...shown }) => shown);
  const now = sum(reached) + sum(active, ({ fraction }) => fraction);
  const elapsedSeconds = (performance.now() - began) / 1000;
  const members = states.length;
  return {
    // A fraction of 1 is for the end.
    ...{ event: "progress", fraction: Math.min(now / members, 1 - Number.EPSILON), tally: tallyOf(states), members },
    ...{ active, elapsedSeconds },
    remainingSeconds: now > atFirst ? (elapsedSeconds * (members - now)) / (now - atFirst) : null,
  };
}

/** A member that no other process has; waits for one where others have all that are left, and says so once. Undefined: none is left. */
async function next(crew: Crew, signal: AbortSignal): Promise<Member | undefined> {
  for (;;) {
    const began = performance.now();
    while (!signal.aborted) {
      const member = crew.queue.shift();
      if (!member) break;
      if (isOurs(crew, member)) return member;
    }
    const { elsewhere, working, watch } = crew;
    if (signal.aborted || elsewhere.length === 0) return undefined;
    if (working.size === 0 && !crew.said) {
      crew.said = true;
      watch({ event: "waiting", members: elsewhere.map(({ member: { index }, process }) => ({ index, process })) });
    }
    const pauseMs = Math.max(LOOK.leastMs, LOOK.times * (performance.now() - began));
    await sleep(pauseMs, undefined, { signal }).catch(() => {}); // stopped
    crew.queue.push(...elsewhere.splice(0).map(({ member }) => member));
  }
}

function isOurs({ folder, states, reached, shared, elsewhere, watch }: Crew, member: Member): boolean {
  const { index } = member;
  const at = memberFolder(folder, member);
  const { state, holder } = memberStatus(at);
  states[index] = state;
  if (holder?.life === "alive") {
    shared.add(index);
    elsewhere.push({ member, process: holder.who });
    return false;
  }
  // Once a command: another process has just tried it for us.
  const done = state === "finished" || (state === "failed" && shared.has(index));
  if (done) watch({ event: "skipped", index, why: state, folder: at });
  // Whether a holder's process on another machine lives can't be seen from here: the wait may be in vain.
  else if (!holder) return true;
  reached[index] = 1;
  return false;
}

async function attempt(crew: Crew, member: Member): Promise<void> {
  const { folder, program, states, reached, watch } = crew;
  const { index, values } = member;
  const at = memberFolder(folder, member);
  const began = performance.now();
  const [file, ...before] = program;
  // In a group of its own: the terminal's Ctrl-C comes to us alone, who pass it on once. The channel tells it when it is to
  // stop: by a word, and by closing when we are gone.
  const child = spawn(file, [...before, "ensemble", "--resume", folder, "--member", String(index), "--json"], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const activities = new Activities();
  const active: Working = { index, values, fraction: 0, what: "starting", remainingSeconds: null, child, activities };
  crew.working.set(index, active);
  states[index] = "running";
  const { skipped, why } = await endOf(child, active);
  crew.working.delete(index);
  let status = memberStatus(at);
  // Killed, or ended before it had its folder: it couldn't say so there.
  if (why !== undefined && status.state !== "failed" && !status.holder) {
    makeFolders(at);
    writeFileAtomic(join(at, MEMBER_ERROR_FILE), `${why}\n`);
    status = memberStatus(at);
  }
  const { state, message = null } = status;
  states[index] = state;
  if (skipped) {
    // Another process was faster.
    crew.shared.add(index);
    crew.queue.push(member);
  } else {
    const { finished } = tallyOf(states);
    const seconds = (performance.now() - began) / 1000;
    watch({ event: "member", ...member, state, seconds, message, folder: at, finished, members: states.length });
  }
  reached[index] = state === "interrupted" ? active.fraction : 1;
}

/** `why` it failed: its own message, or what its end looked like. */
function endOf(child: ChildProcess, active: Working): Promise<{ skipped?: true; why?: string }> {
  let lastWords = "";
  const ended: Awaited<ReturnType<typeof endOf>> = {};
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    lastWords = (lastWords + text).slice(-LAST_WORDS);
  });
  if (child.stdout) {
    createInterface(child.stdout).on("line", (line) => {
      let event: RunEvent | SkippedEvent | ErrorEvent;
      try {
        event = JSON.parse(line);
      } catch {
        return; // a library's own line
      }
      if (event.event === "skipped") ended.skipped = true;
      else if (event.event === "error") ended.why = event.message;
      else follow(event, active);
    });
  }
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ why: `The process could not be started: ${error.message}` }));
    child.on("close", (code, signal) => {
      const inOrder = code === EXIT.success || code === EXIT.interrupted || ended.skipped;
      // Ended by a signal, or by something in the driver or Node: nothing of gravmesh's could say why.
      if (!inOrder) ended.why ??= unexplained(code, signal, lastWords);
      resolve(ended);
    });
  });
}

function unexplained(code: number | null, signal: NodeJS.Signals | null, lastWords: string): string {
  const words = lastWords.trim();
  const end = signal ? `The process was ended by ${signal}` : `The process ended with code ${code}`;
  const why = signal === "SIGKILL" ? ", as a system does that has no memory left, or a person" : "";
  return `${end}${why}.${words === "" ? "" : ` Its last words:\n${words}`}`;
}

function follow(event: RunEvent | SkippedEvent, active: Working): void {
  const shown = active.activities.shows(event, performance.now());
  if (event.event === "progress") {
    const { fraction, step, remainingSeconds } = event;
    Object.assign(active, { fraction, what: `step ${step}`, remainingSeconds });
  } else if (event.event === "activity") {
    Object.assign(active, { fraction: event.fraction, ...(shown && { what: `writing ${event.what}` }) });
  } else if (event.event === "preparation") {
    active.what = event.detail ?? event.what.toLowerCase();
  } else if (event.event === "end") {
    active.fraction = 1;
  }
}
