/** docs/large-runs.md says of memory and disk what the estimate and the file formats do. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ParticleColumn } from "../../src/physics/particles/blocks.ts";
import type { Boundary } from "../../src/physics/particles/box.ts";
import { COLUMNS, rowBytes } from "../../src/run/io/snapshot-columns.node.ts";
import { fitAdvice, memoryEstimate } from "../../src/scenario/estimate.ts";
import { completeScenario } from "../../src/scenario/parse.ts";

const page = readFileSync(new URL("../../docs/large-runs.md", import.meta.url), "utf8");
const CARDS = [8, 16, 24, 48, 80];
const MESHES = [256, 384, 512, 768, 1024];
/** What of a card's memory is taken for a run's, and what NVIDIA's driver binds at a time. */
const SHARE = 0.9;
const BINDING = 2 ** 31 - 4;
const MANY = 4e9;

function run(cells: number, count: number, boundary: Boundary) {
  return completeScenario({
    title: "Large",
    box: { size: 1, boundary },
    mesh: { cells },
    particles: [{ kind: "uniform", count, mass: 1 }],
    time: { end: 1, step: 0.1 },
  });
}

/** Most particles, in millions. */
function most(card: number, cells: number, boundary: Boundary): string {
  const limits = { total: SHARE * card * 1e9, binding: BINDING };
  const { fits, count = 0 } = fitAdvice(run(cells, MANY, boundary), limits);
  if (fits) throw new Error("more than can be counted");
  return count < 1e6 ? "–" : `${Math.floor(count / 1e6)}`;
}

function rows(boundary: Boundary): string[] {
  return CARDS.map((card) => `| ${card} GB | ${MESHES.map((cells) => most(card, cells, boundary)).join(" | ")} |`);
}

describe("docs/large-runs.md", () => {
  it.each(["periodic", "isolated"] as const)("has what fits cards, %s", (boundary) => {
    const lines = page.split("\n");
    for (const row of rows(boundary)) expect(lines).toContain(row);
  });

  it("has the bytes of a particle in a snapshot", () => {
    const bytes = (field: ParticleColumn) => rowBytes(COLUMNS[field]);
    const [x, v, id] = [bytes("positions"), bytes("velocities"), bytes("ids")];
    const more = `${bytes("masses")} more where masses differ within a species; potential ${bytes("potential")} and acceleration ${bytes("accelerations")}`;
    expect(page).toContain(
      `| snapshot | ${x + v + id}: coordinates ${x}, velocities ${v}, ids ${id}; ${more} on demand |`,
    );
  });

  it("has the example's memory in windows and slabs", () => {
    const lavapipe = { binding: 2 ** 27, buffer: 2 ** 32 - 4, software: true };
    const { total, host, windows, slabs } = memoryEstimate(run(512, 100e6, "periodic"), lavapipe);
    expect(page.replaceAll(/\s+/g, " ")).toContain(
      `512³ cells with 100 million particles lie in ${windows} windows and ${slabs} slabs there and take ${((total - host) / 1e9).toFixed(1)} GB, and the host ${(host / 1e9).toFixed(1)} GB`,
    );
  });
});
