/** Modified gravity in float64 and on the GPU where its answer is known in closed form (src/study/bench/mond.ts). */
import { describe, expect, it } from "vitest";
import { type MondRequest, measureMond, mondProblems } from "../../src/study/bench/mond.ts";
import { inFull } from "../support/full.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const twoBodies = "two bodies 12 cells apart, 0.80 and 0.20";
const wide = "two bodies 38 cells apart, 0.50 and 0.50";
const [all, coarse] = [mondProblems(64), mondProblems(32)];
const request = { cells: 64, formulation: "qumond" } as const;

/** Rms error of a field, or that of a sum. docs/mond.md has what was measured, the same on both. */
const limit = (name: string) => (name === "Kuzmin disk" || name.startsWith("two bodies") ? 0.02 : 0.01);

const measured = async (backend: "cpu" | "gpu", name: string, of: MondRequest) => {
  const problem = (of.cells === 64 ? all : coarse).find((one) => one.name === name)!;
  return (await measureMond(backend === "gpu" ? gpu() : undefined, problem, of)).rms;
};

describe("QUMOND by FFT on 64³", () => {
  const names = all.map(({ name }) => name);
  // `gravmesh bench mond` measures all pairs of bodies.
  const few = names.filter((name) => !name.startsWith("two bodies") || [twoBodies, wide].includes(name));
  it.each(inFull(names, few))("%s", async (name) => {
    expect(await measured("gpu", name, { ...request, poisson: "fft" })).toBeLessThan(limit(name));
  });
});

it.each(["qumond", "aqual"] as const)("The error falls with the side of a cell: %s", async (formulation) => {
  const of = (cells: number) => measured("gpu", "Plummer sphere", { cells, formulation, poisson: "fft" });
  expect((await of(64)) / (await of(32))).toBeLessThan(0.55);
});

it.each(["Kuzmin disk", twoBodies])("by multigrid: %s", async (name) => {
  expect(await measured("gpu", name, { ...request, poisson: "multigrid" })).toBeLessThan(limit(name));
});

it.each(["qumond", "aqual"] as const)("cpu, two bodies 0.6 of the box apart: %s", async (formulation) => {
  const of = { cells: 32, formulation, poisson: "fft" } as const;
  expect(await measured("cpu", "two bodies 19 cells apart, 0.50 and 0.50", of)).toBeLessThan(0.02);
});

const some = ["Plummer sphere", "external field", "virial, flat ellipsoid"];
it.each(inFull([...some, "Kuzmin disk, off its plane", twoBodies, wide], some))("AQUAL on 64³: %s", async (name) => {
  const of = { cells: 64, formulation: "aqual", poisson: "fft" } as const;
  expect(await measured("gpu", name, of)).toBeLessThan(limit(name));
});
