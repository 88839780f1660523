/** What summary.json says of the angular momentum. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { angularMomentumError } from "../../src/run/summary.ts";
import { asKilled, runOnCpu } from "../support/result-folder.ts";

const work = mkdtempSync(join(tmpdir(), "gravmesh-momentum-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const DECK = `
title = "Sphere"
[box]
size = 16.0
[mesh]
cells = 16
[[particles]]
kind = "plummer"
count = 400
[time]
end = 0.5
step = 0.05
[output]
snapshots = 1
checkpointMinutes = 1e-9
`;
const summaryIn = (folder: string) => JSON.parse(readFileSync(join(folder, "summary.json"), "utf8"));
async function run(name: string, deck: string, killed?: string) {
  const out = join(work, name);
  writeFileSync(join(work, `${name}.toml`), deck);
  let copied = false;
  const code = await runOnCpu({ scenario: join(work, `${name}.toml`), out }, ({ event }) => {
    if (event !== "checkpoint" || copied || !killed) return;
    copied = true;
    asKilled(out, killed);
  });
  expect(code).toBe(0);
  return summaryIn(out).angularMomentumError;
}

describe("the error of the angular momentum", () => {
  const first = { kinetic: 1, angularMomentum: [0, 0, 2], lagrangianRadii: [1, 2, 8] } as const;
  const last = { mass: 2, kinetic: 4, angularMomentum: [0.3, 0.4, 2.1], lagrangianRadii: [1, 2, 5] };
  const of = (field: "none" | "axial" | "any", boundary: "isolated" | "periodic" = "isolated") =>
    angularMomentumError(
      { ...first, angularMomentum: [0, 0, 2], lagrangianRadii: [1, 2, 8] },
      { ...last, angularMomentum: [0.3, 0.4, 2.1] },
      { field, boundary },
    );

  it("is its change over the largest that the motion could have, and of what the field keeps", () => {
    const scale = 8 * Math.sqrt(2 * 2 * 4);
    expect(of("none")).toBeCloseTo(Math.sqrt(0.26) / scale, 14);
    expect(of("any")).toBe(of("none"));
    expect(of("axial")).toBeCloseTo(0.1 / scale, 14);
    expect(of("none", "periodic")).toBeNull();
    const still = { mass: 1, kinetic: 0, angularMomentum: [0, 0, 0] as [number, number, number], lagrangianRadii: [0] };
    expect(angularMomentumError(still, still, { field: "none", boundary: "isolated" })).toBeNull();
  });

  it("of a run is small in its own field, the same after a resume, and large where a field turns it", async () => {
    const killed = join(work, "killed");
    const alone = await run("alone", DECK, killed);
    expect(alone).toBeGreaterThan(0);
    expect(alone).toBeLessThan(5e-3);
    expect(await runOnCpu({ resume: killed })).toBe(0);
    expect(summaryIn(killed).angularMomentumError).toBe(alone);
    const beside = `${DECK}[[potential]]\nkind = "plummer"\nmass = 5\nscale = 1\noffset = [4, 0, 0]\n`;
    const turned = await run(
      "turned",
      beside.replace('kind = "plummer"\ncount', 'kind = "plummer"\noffset = [0, 4, 0]\ncount'),
    );
    expect(turned).toBeGreaterThan(0.1);
  });
});
