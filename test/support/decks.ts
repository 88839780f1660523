/** Decks, folders and runs that several tests share. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { asKilled, contentsOfRun, runOnCpu } from "./result-folder.ts";

/** A folder for the tests of a file, which is gone after them. */
export function useFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `gravmesh-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A small deck on the mesh: `tables` are of its particles and whatever else; `top` stands before the first table. */
export const smallDeck = (
  tables: string,
  { title = "small", size = 16, cells = 16, end = 1, step = 0.05, top = "" } = {},
) =>
  `title = "${title}"
${top}
box.size = ${size}
mesh.cells = ${cells}
time = { end = ${end}, step = ${step} }
${tables}`;

/** A short direct sum of a few clumps, with a checkpoint at every output. */
export const clumpsDeck = (tables: string, { title = "Two clumps", softening = 0.05 } = {}) => `
title = "${title}"
gravity = "direct"
box.size = 16.0
time = { end = 0.25, step = 0.015625 }
direct = { steps = "shared", softening = ${softening} }
output = { snapshots = 2, diagnostics = 4, checkpointMinutes = 1e-9 }
${tables}`;

/** A run on the CPU to its end, and what it would have left had it been killed at each of its checkpoints. */
export function useKilledRun(work: string, deck: string) {
  const run = { deck: join(work, "deck.toml"), whole: join(work, "whole"), killed: [] as string[] };
  const made = { ...run, contents: {} as Record<string, unknown> };
  beforeAll(async () => {
    writeFileSync(run.deck, deck);
    const code = await runOnCpu({ scenario: run.deck, out: run.whole }, ({ event }) => {
      if (event === "checkpoint") run.killed.push(asKilled(run.whole, join(work, `killed-${run.killed.length}`)));
    });
    expect(code).toBe(0);
    made.contents = await contentsOfRun(run.whole);
  });
  return made;
}
