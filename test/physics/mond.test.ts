import { describe, expect, it } from "vitest";
import { measureMond, mondProblems, mondText } from "../../src/bench/mond.ts";

describe("qumond", () => {
  for (const poisson of ["fft", "multigrid"] as const)
  for (const n of (process.env.N ?? "64").split(",").map(Number)) it(`prints ${n}`, async () => {
    const r = [];
    const t0 = performance.now();
    for (const p of mondProblems(n)) r.push(await measureMond(undefined, p, { cells: n, formulation: "qumond", poisson }));
    console.log(n + poisson + "\n" + mondText(r), performance.now() - t0);
    expect(1).toBe(1);
  }, 100000);
});
