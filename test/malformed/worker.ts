/**
 * A process that takes malformed inputs one after the other, as the program itself would in a process of its own, and
 * tells how each ended. Whoever asks ends it when an answer takes too long.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { invoke } from "../../src/doors/cli/invoke.ts";
import { run } from "../../src/run/runner.ts";
import { type MalformedCase, prepare } from "./case.ts";
import { goodDeck } from "./decks.ts";
import type { Ending } from "./judge.ts";

export interface Task {
  number: number;
  one: MalformedCase;
  /** Is made, and the command runs in it. */
  folder: string;
}

export interface Answer {
  number: number;
  ending: Ending;
}

/** A run that is as long as its deck says is stopped as a person would [ms]. */
const PATIENCE = 4000;

/** An interrupted run, for those that damage one. */
async function interruptedRun(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const scenario = join(folder, "deck.toml");
  writeFileSync(scenario, goodDeck().replace("end = 0.1", "end = 0.4").replace("snapshots = 1", "snapshots = 4"));
  const out = join(folder, "run");
  const stop = new AbortController();
  const request = { scenario, overrides: [], backend: "cpu" as const, out };
  await run(request, ({ event }) => event === "snapshot" && stop.abort(), stop.signal);
  return out;
}

/** Keeps what is written meanwhile. */
async function listening(work: () => Promise<void>): Promise<{ stdout: string; stderr: string }> {
  const heard = { stdout: "", stderr: "" };
  const own = (["stdout", "stderr"] as const).map((name) => {
    const stream = process[name];
    const { write } = stream;
    stream.write = ((text: string | Uint8Array) => {
      heard[name] += typeof text === "string" ? text : Buffer.from(text).toString();
      return true;
    }) as typeof write;
    return () => {
      stream.write = write;
    };
  });
  try {
    await work();
  } finally {
    for (const restore of own) restore();
  }
  return heard;
}

async function end({ one, folder }: Task, template: string): Promise<Ending> {
  mkdirSync(folder, { recursive: true });
  prepare(folder, one.setup, template);
  process.chdir(folder);
  process.exitCode = undefined;
  const start = performance.now();
  const patience = setTimeout(() => process.emit("SIGINT"), PATIENCE);
  const heard = await listening(async () => {
    try {
      await invoke(one.args);
      if (one.after && (process.exitCode ?? 0) === 0) await invoke(one.after);
    } catch (error) {
      process.exitCode = 70;
      process.stderr.write(`thrown: ${error instanceof Error ? error.stack : error}\n`);
    }
  });
  clearTimeout(patience);
  const code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return { code, ...heard, milliseconds: performance.now() - start };
}

const [, , scratch] = process.argv;
const template = await interruptedRun(join(scratch, `template-${process.pid}`));
process.on("message", async (task: Task) => {
  const ending = await end(task, template);
  process.chdir(scratch);
  process.send!({ number: task.number, ending } satisfies Answer);
});
process.on("disconnect", () => {
  rmSync(join(template, ".."), { recursive: true, force: true });
  process.exit(0);
});
process.send!("ready");
