/**
 * Substeps of levels (r-RESPA; Tuckerman, Berne & Martyna 1992) in float64, a Plummer sphere in a level within a level: the
 * order of convergence, what is gained over as many plain steps, and the way back.
 */
import { expect, it } from "vitest";
import type { Level } from "../../src/engine/mesh/levels/level-settings.ts";
import { ReferencePipeline } from "../../src/engine/reference/mesh/pipeline.ts";
import { inFull } from "../support/full.ts";
import { plummerSphere } from "../support/particles.ts";
import { pipelineSettings } from "../support/pipeline.ts";

const SIDE = 24;
/** About half a dynamical time. */
const TIME = 0.8;

function levels(substeps: number): Level[] {
  const level = (parent?: number): Level => ({
    ...{ name: "level", parent, refinement: 2, cells: 48, follows: [], place: [12.1, 12.2, 11.9], substeps },
  });
  return [level(), level(0)];
}

/** Positions after so many steps, the relative error of the energy, and with `back` how far as many steps back end from the start. */
async function end(substeps: number, steps: number, back = false) {
  const set = await plummerSphere(600, SIDE);
  const mesh = { cells: 32, kernel: "split", assignment: "tsc" } as const;
  const settings = pipelineSettings(mesh, "isolated", SIDE, { levels: levels(substeps) });
  const pipeline = await ReferencePipeline.create(settings, set);
  const before = await pipeline.sums();
  await pipeline.advance(steps, TIME / steps);
  const { kinetic, potential } = await pipeline.sums();
  const { positions } = await pipeline.readParticles();
  if (back) await pipeline.advance(steps, -TIME / steps);
  const off = back ? rms((await pipeline.readParticles()).positions, set.positions) : undefined;
  return { positions, energy: (kinetic + potential) / (before.kinetic + before.potential) - 1, off };
}

function rms(a: Float64Array, b: Float64Array): number {
  return Math.sqrt(a.reduce((sum, x, i) => sum + (x - b[i]) ** 2, 0) / a.length);
}

it("has second order, gains most of what as many plain steps do, and goes back the way it came", async () => {
  const [two, four, eight] = [await end(4, 2, true), await end(4, 4), await end(4, 8)];
  const [long] = inFull([true], [false]);
  const fine = long ? await end(4, 16) : eight;
  const [coarse, finer] = [rms(two.positions, four.positions), rms(four.positions, eight.positions)];
  expect(coarse / finer).toBeGreaterThan(3.6);
  expect(coarse / finer).toBeLessThan(4.5);
  const errors = ({ positions, energy }: typeof fine) => [rms(positions, fine.positions), energy - fine.energy];
  const plain = errors(await end(1, 4));
  const more = long ? errors(await end(1, 16)) : undefined;
  for (const [k, error] of errors(four).entries()) {
    // Measured 0.10 and 0.07 of the error of four plain steps, and 1.6 and 1.3 times that of sixteen.
    expect(error / plain[k]).toBeLessThan(0.15);
    if (more) expect(error / more[k]).toBeLessThan(2);
  }
  expect(two.off).toBeLessThan(1e-14);
});
