/** The stages of a step in their order, and what each says when it is encoded out of it. */
import { expect, it } from "vitest";
import { SelfGravity } from "../../src/engine/mesh/self-gravity.ts";
import type { Phase } from "../../src/physics/particles/phase.ts";
import { exactState, meshSettings, randomPositions } from "../support/exact-particles.ts";
import { useGpu } from "../support/gpu.ts";
import { particleStage } from "../support/particle-stage.ts";

const gpu = useGpu();

async function everyStage(poisson: "fft" | "multigrid" = "fft") {
  const settings = { ...meshSettings(16, "cic"), poisson };
  const exact = exactState(randomPositions(500, 2), "periodic");
  const stage = await particleStage(gpu(), { mesh: settings, boundary: "periodic", exact, order: { run: 1 } });
  const { particles, mesh, order, escaped, leapfrog, diagnostics } = stage;
  const pipeline = { mesh: settings, boundary: "periodic" as const, boxSize: 1, G: 1, externalPotentials: [] };
  const gravity = await SelfGravity.create({ gpu: gpu(), particles, mesh, settings: pipeline });
  /** By the phase that each leads to or needs: run in this order they are a step. */
  const stages = {
    count: () => order.encodeCount(gpu().batch("count")),
    order: () => order.encodeSort(gpu().batch("order")),
    escaped: () => escaped.encode(gpu().batch("escaped")),
    deposit: () => gravity.encodeDeposit(gpu().batch("deposit")),
    force: async () => gravity.encodeGradient(await gravity.solve(gpu().batch("force"))),
    kick: () => leapfrog.encodeKick(gpu().batch("kick"), 0.1),
    diagnostics: () => diagnostics.sums(),
    update: () => leapfrog.encode(gpu().batch("update"), 0.1, 0.1),
  };
  return { ...stage, stages, gravity };
}

type Stage = keyof Awaited<ReturnType<typeof everyStage>>["stages"];
/** Stages that lead to a phase from new positions. */
const TO: Record<Exclude<Phase, "drifted" | "pulled">, Stage[]> = {
  moved: [],
  counted: ["count"],
  sorted: ["count", "order"],
  deposited: ["count", "order", "deposit"],
  accelerated: ["count", "order", "deposit", "force"],
};
/** What a stage wants to find; what it calls itself in messages. */
const WANTS: Record<Exclude<Stage, "count">, [name: string, ...phases: Phase[]]> = {
  order: ["order", "counted"],
  escaped: ["escaped particles", "sorted", "deposited", "accelerated"],
  deposit: ["deposit", "sorted"],
  force: ["force", "deposited"],
  kick: ["update", "accelerated"],
  diagnostics: ["diagnostics", "accelerated"],
  update: ["update", "accelerated"],
};

it.each(Object.keys(TO) as (keyof typeof TO)[])(
  "names stage and both phases for particles that are %s",
  async (phase) => {
    const { particles, stages, destroy, gravity } = await everyStage();
    for (const [stage, [name, ...wanted]] of Object.entries(WANTS)) {
      if (wanted.includes(phase)) continue;
      particles.phase.reset();
      for (const before of TO[phase]) await stages[before]();
      expect(particles.phase.now).toBe(phase);
      const message = `${name}: expected particles that are ${wanted.join(" or ")}, found them ${phase}`;
      await expect((async () => stages[stage as Stage]())(), stage).rejects.toThrow(message);
      expect(particles.phase.now).toBe(phase);
    }
    gravity.destroy();
    destroy();
  },
);

it.each(["fft", "multigrid"] as const)("takes the stages of a step in their order, with %s", async (poisson) => {
  const { particles, stages, destroy, gravity } = await everyStage(poisson);
  const phases: Phase[] = [];
  for (const stage of Object.values(stages)) {
    await stage();
    phases.push(particles.phase.now);
  }
  const [sorted, ready] = ["sorted", "accelerated"] as const;
  expect(phases).toEqual(["counted", sorted, sorted, "deposited", ready, ready, ready, "counted"]);
  // An uploaded state knows nothing of the step before it.
  await particles.restore(exactState(randomPositions(500, 3), "periodic"));
  expect(particles.phase.now).toBe("moved");
  gravity.destroy();
  destroy();
});
