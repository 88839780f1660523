/** The built bin (support/build.ts) as a user runs it: a child process in a folder. */
import { type ChildProcess, type ForkOptions, fork, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { bin, root } from "./build.ts";

export { bin, root };

export interface Outcome {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

export interface RunningBin {
  child: ChildProcess;
  done: Promise<Outcome>;
  /** Stdout so far. */
  heard(): string;
  /** Resolves when stdout holds `text`; rejects if the process ends before. */
  until(text: string): Promise<void>;
}

/** A bare environment: colours off, and no CI variable that changes them. */
export function environment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...rest } = process.env;
  return { ...rest, NO_COLOR: "1", ...extra };
}

/** Starts `gravmesh …args` in `cwd`; `through` is a shell line that gets the command as "$@". */
export function start(
  cwd: string,
  args: readonly string[],
  options: { env?: Record<string, string>; through?: string } = {},
): RunningBin {
  const command = [process.execPath, bin, ...args];
  const child = options.through
    ? spawn("bash", ["-c", options.through, "bash", ...command], { cwd, env: environment(options.env) })
    : spawn(command[0], command.slice(1), { cwd, env: environment(options.env) });
  let stdout = "";
  let stderr = "";
  const waiting = new Set<() => void>();
  child.stdout?.on("data", (chunk) => {
    stdout += chunk;
    for (const look of waiting) look();
  });
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const done = new Promise<Outcome>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr: withoutDriverChatter(stderr) }));
  });
  const until = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!stdout.includes(text)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
      void done.then((outcome) =>
        reject(new Error(`ended before "${text}": ${outcome.code}\n${outcome.stdout}\n${outcome.stderr}`)),
      );
    });
  return { child, done, heard: () => stdout, until };
}

/** What stays in a process: modules of others, and members, which end with the channel to whoever started them. */
const LASTING = ["--extension", "--member"];
/** Takes command lines one after the other, and ends with this process. */
let commands: ChildProcess | undefined;
let earlier: Promise<unknown> = Promise.resolve();

/**
 * Runs `gravmesh …args` to its end: in one process with other commands, which is warm then, or in its own where it has an
 * environment or a shell line.
 */
export function gravmesh(
  cwd: string,
  args: readonly string[],
  options?: Parameters<typeof start>[2],
): Promise<Outcome> {
  if (options || LASTING.some((option) => args.includes(option))) return start(cwd, args, options).done;
  const mine = earlier.then(() => taken(cwd, args));
  earlier = mine;
  return mine;
}

function taken(cwd: string, args: readonly string[]): Promise<Outcome> {
  const options = {
    env: environment(),
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  } satisfies ForkOptions;
  if (!commands?.connected) commands = fork(join(root, "test/support/commands.mjs"), options);
  const child = commands;
  let stderr = "";
  const note = (chunk: Buffer) => {
    stderr += chunk;
  };
  child.stderr!.on("data", note);
  return new Promise((resolve) => {
    const ended = (code: number | null, signal: string | null) => resolve({ code, signal, stdout: "", stderr });
    child.once("exit", ended);
    child.once("message", (outcome: Outcome) => {
      child.off("exit", ended);
      child.stderr!.off("data", note);
      resolve(outcome);
    });
    child.send({ cwd, args });
  });
}

/** Dawn's own lines on stderr, which no program can keep it from writing. */
function withoutDriverChatter(text: string): string {
  return text.replace(/^(Warning: .*|\s+at .*\n)$/gm, "").replace(/^\s*\n/gm, "");
}

/** A folder for the tests of one file, removed afterwards. */
export function useWorkFolder(): () => string {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "gravmesh-cli-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return () => folder;
}

/** All files below `folder` with their contents, to see that nothing changed. */
export function contentsOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), readFileSync(path, "base64")];
    }),
  );
}

/** Events of a run with --json. */
export function eventsOf(stdout: string): { event: string; [key: string]: unknown }[] {
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Overrides that make the Plummer scenario a matter of a second, without remarks on its resolution. */
export const SMALL = [
  ...["mesh.cells=24", "mesh.softenedModels=true", "particles.0.count=2000", "particles.0.cutoff=3"],
  ...["time.end=0.2", "output.snapshots=2", "output.diagnostics=4"],
];
