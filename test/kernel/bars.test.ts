/** A pattern of known strength, phase and pattern speed is measured to 1 %, on the GPU and in float64. */
import { describe, expect, it } from "vitest";
import { barProfile } from "../../src/engine/diagnostics/bar-profile.ts";
import { barOf, barRows } from "../../src/engine/diagnostics/bar-strength.ts";
import { ringRadii } from "../../src/engine/diagnostics/disk-frequencies.ts";
import { spectrogram } from "../../src/engine/diagnostics/pattern-speed.ts";
import { linearEdges } from "../../src/engine/diagnostics/profiles.ts";
import { GpuReductions } from "../../src/engine/diagnostics/reductions.ts";
import { ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { toFixedPoint } from "../../src/physics/particles/fixed-point.ts";
import { reductionsOf } from "../../src/physics/particles/host-reductions.ts";
import type { Reductions } from "../../src/physics/particles/reductions.ts";
import { useGpu } from "../support/gpu.ts";
import { type Pattern, patternAt } from "../support/pattern.ts";

const gpu = useGpu();
const SIZE = 10;
const COUNT = 30_000;
const PATTERN: Pattern = {
  ...{ contrast: 0.5, phase: 0.4, speed: 0.7, length: 2, warp: 0.03, radius: 3 },
  ...{ centre: [5.2, 4.7, 5.1], omega: 1.3, sigma: 0.25 },
};
const EDGES = linearEdges(3, 20);
const TIMES = Array.from({ length: 9 }, (_, i) => 0.5 * i);

type Measured = Awaited<ReturnType<typeof barProfile>>;

async function inFloat64(time: number): Promise<Measured> {
  return measured(reductionsOf(patternAt(time, COUNT, PATTERN), { size: SIZE, boundary: "isolated" }));
}

async function onGpu(time: number): Promise<Measured> {
  const context = gpu();
  const set = patternAt(time, COUNT, PATTERN);
  const particles = await ParticleBuffers.create(context, set, { boxSize: SIZE, boundary: "isolated" });
  const positions = Uint32Array.from(set.positions, (x) => toFixedPoint(x, SIZE).u);
  const velocities = Float32Array.from(set.velocities);
  await particles.restore({ positions, velocities, images: new Uint32Array(COUNT) });
  const accelerations = context.buffers.upload(
    "accelerations",
    set.accelerations as Float32Array<ArrayBuffer>,
    "other",
  );
  const reductions = new GpuReductions(context, particles, set.components, {
    ready: async () => {},
    accelerations: async () => () => accelerations,
  });
  return measured(reductions);
}

function measured(reductions: Reductions): Promise<Measured> {
  return barProfile(reductions, { edges: EDGES, height: 1, normal: [0, 0, 1], G: 1, multipoles: true });
}

const close = (found: number, expected: number, share = 0.01) =>
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(share * Math.abs(expected));

describe.each([
  ["on the GPU", onGpu],
  ["in float64", inFloat64],
] as const)("%s", (_, measure) => {
  it("strength, phase, pattern speed, length, corotation, Q and bending of an imposed pattern", async () => {
    const profiles: Measured[] = [];
    for (const time of TIMES) profiles.push(await measure(time));
    const seen = profiles.map((profile, i) => ({
      ...{ time: TIMES[i], bar: barOf(profile, EDGES, 1.8), omega: profile.Omega },
    }));
    const rows = barRows(seen, EDGES, 5);
    for (const [i, row] of rows.entries()) {
      close(row.strengthWithin, 0.25);
      const phase = PATTERN.phase + PATTERN.speed * TIMES[i];
      expect(Math.abs(row.phase - phase)).toBeLessThan(0.01);
      close(row.patternSpeed, 0.7);
      expect(Math.abs(row.halfLength - 2)).toBeLessThan(0.15); // a ring's width
      // Heights are from the centre, which lies where the arms pull it.
      close(row.buckling, 0.5 * 0.03 - (profiles[i].centre[2] - 5.1) * 0.25);
      close(row.thickness, 0.03 * Math.sqrt(0.5 - 0.25 ** 2), 0.02);
      // Solid rotation is nowhere as slow as the pattern.
      expect(row.corotation).toBeNaN();
    }
    const radii = ringRadii(EDGES);
    const last = profiles[TIMES.length - 1];
    const { centre, velocity, amplitude, phase, Omega, kappa, Q, surface_density, sigma_R, rotation } = last;
    for (const axis of [0, 1]) expect(Math.abs(centre[axis] - PATTERN.centre[axis])).toBeLessThan(0.01);
    expect(Math.hypot(...velocity)).toBeLessThan(0.01);
    const phi0 = PATTERN.phase + PATTERN.speed * TIMES[TIMES.length - 1];
    for (const [k, R] of radii.entries()) {
      if (k < 3 || Math.abs(R - 2) < 0.15) continue; // few particles, half within
      const A = Array.from({ length: 6 }, (_, m) => amplitude[20 * m + k]);
      if (R < 2) {
        close(A[1], 0.25, 0.03);
        const off = phase[20 + k] - phi0;
        expect(Math.abs(off - Math.PI * Math.round(off / Math.PI))).toBeLessThan(0.02);
      }
      for (const m of [1, 3, 5]) expect(A[m - 1]).toBeLessThan(0.02);
      close(Omega[k], 1.3);
      close(kappa[k], 2.6, 0.02);
      close(rotation[k], 1.3 * R, 0.02);
      close(sigma_R[k], 0.25, 0.02);
      close(surface_density[k], 1 / (Math.PI * 9), 0.02);
      close(Q[k], (0.25 * 2.6 * Math.PI * 9) / 3.36, 0.04);
    }
    // The inner half is round within, so that a spectrum over the whole time has one peak, as high as A_2.
    const series = (of: "amplitude" | "phase") => profiles.flatMap((profile) => [...profile[of].subarray(20, 40)]);
    const speeds = Array.from({ length: 61 }, (_, i) => -3 + 0.1 * i);
    const whole = { times: TIMES, amplitude: series("amplitude"), phase: series("phase"), m: 2 };
    const power = spectrogram({ ...whole, from: 0, to: TIMES.length, speeds });
    const at = (speed: number, k: number) => power[20 * speeds.findIndex((one) => Math.abs(one - speed) < 1e-9) + k];
    for (const k of [5, 8, 11]) {
      close(at(0.7, k), 0.25, 0.03);
      for (const speed of speeds) expect(at(speed, k)).toBeLessThanOrEqual(at(0.7, k));
      expect(at(-0.8, k)).toBeLessThan(0.02);
    }
    // Flat and two-armed: P_2(0) = −1/2 beside what the arms add, 3/4 ε² in all of the squares.
    close(last.pole_strength![20 + 5], Math.sqrt(0.25 + 0.75 * 0.25 ** 2), 0.03);
  });
});
