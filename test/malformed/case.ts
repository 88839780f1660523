/** One malformed input: the files it finds in its folder and the command line; how they are made; a seeded choice. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Expected } from "./formats.ts";

/** What lies in the folder before the command starts. Paths are relative to it, targets of links as they are. */
export type Setup =
  | { write: string; text: string }
  | { write: string; base64: string }
  | { write: string; zeros: number }
  | { fifo: string }
  | { link: string; to: string }
  | { folder: string }
  /** A copy of an interrupted run. */
  | { run: string }
  | { remove: string }
  | { cut: string; keep: number }
  | { flip: string; at: number };

export interface MalformedCase {
  /** "deck key", "flag" …: a row of the table. */
  kind: string;
  /** What is wrong, in one line. */
  title: string;
  setup: Setup[];
  /** Of the command line. */
  args: string[];
  /** A second command, where the first ends well. */
  after?: string[];
  /** What the command writes: where something else than a regular file is there, it has to stay. */
  stays?: string;
  /** What may come of damaged particles. */
  expected?: Expected;
}

/** Names of what a set-up writes. */
export const writtenBy = (setup: readonly Setup[]) => setup.flatMap((one) => ("write" in one ? [one.write] : []));

/** Makes what a case finds; `run`: a result folder to copy. */
export function prepare(folder: string, setup: readonly Setup[], run: string): void {
  const at = (name: string) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  for (const one of setup) {
    if ("text" in one) writeFileSync(at(one.write), one.text);
    else if ("base64" in one) writeFileSync(at(one.write), Buffer.from(one.base64, "base64"));
    else if ("zeros" in one) {
      writeFileSync(at(one.write), "");
      truncateSync(at(one.write), one.zeros);
    } else if ("fifo" in one) spawnSync("mkfifo", [at(one.fifo)]);
    else if ("link" in one) symlinkSync(one.to, at(one.link));
    else if ("folder" in one) mkdirSync(at(one.folder), { recursive: true });
    else if ("run" in one) cpSync(run, at(one.run), { recursive: true });
    else if ("remove" in one) rmSync(at(one.remove), { recursive: true });
    else if ("cut" in one) {
      const { length } = readFileSync(at(one.cut));
      truncateSync(at(one.cut), Math.floor(one.keep * length));
    } else {
      const bytes = readFileSync(at(one.flip));
      if (bytes.length > 0) bytes[Math.floor(one.at * bytes.length)] ^= 0x41;
      writeFileSync(at(one.flip), bytes);
    }
  }
}

/** Choices that a seed repeats. */
export class Choice {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up, below 1 (mulberry32). */
  uniform(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count: number): number {
    return Math.floor(this.uniform() * count);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  /** In another order. */
  shuffled<T>(list: readonly T[]): T[] {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [out[i], out[j]] = [out[j], out[i]];
    }
    return out;
  }
}
