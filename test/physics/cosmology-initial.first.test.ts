/** Cosmological initial conditions in float64: density and momenta of the displaced lattice against linear theory. */
import { describe, expect, it } from "vitest";
import { displacementsInFloat64, eachMode, gaussianModes } from "../../src/engine/reference/lpt/displacements.ts";
import { unitSystem } from "../../src/foundation/deck/units.ts";
import { Background } from "../../src/physics/cosmology/background.ts";
import { Growth } from "../../src/physics/cosmology/growth.ts";
import { linearPowerOf } from "../../src/physics/cosmology/power.ts";
import { cosmologyDefaults } from "../../src/physics/cosmology/settings.ts";
import { ComovingClock } from "../../src/physics/cosmology/steps.ts";
import type { DisplacementMaker } from "../../src/physics/initial/model.ts";
import { initialConditions } from "../../src/physics/initial/source.ts";
import type { ParticleSet } from "../../src/physics/particles/state.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { placeOf, relativeDifference } from "../support/displacement.ts";

const BOX = 150;
const N = 24;
const SEED = 5;
const UNIT = (2 * Math.PI) / BOX;
const background = new Background(cosmologyDefaults);
const growth = new Growth(background);

interface Choices {
  order?: 1 | 2;
  fixedAmplitudes?: boolean;
  opposite?: boolean;
  smooth?: boolean;
}

/** `smooth` fields have only waves of fewer than this many to a box side: products of two don't reach the Nyquist wavenumber. */
const SMOOTH = N / 4;

async function particlesAt(a: number, choices: Choices): Promise<ParticleSet> {
  const { smooth, ...component } = choices;
  const scenario = completeScenario({
    title: "box",
    units: { system: "cosmological" },
    box: { size: BOX, boundary: "periodic" },
    mesh: { cells: N },
    particles: [{ kind: "lattice", perSide: N, seed: SEED, ...component }],
    time: { clock: "comoving", start: a, end: 1, step: 0.01 },
  });
  const { G } = unitSystem("cosmological");
  const displacements: DisplacementMaker = (request) =>
    displacementsInFloat64({ ...request, power: smooth ? smoothed(request.power) : request.power });
  return (await initialConditions(scenario, { G, displacements })).particles;
}

function smoothed(power: (k: number) => number): (k: number) => number {
  return (k) => (k < UNIT * SMOOTH ? power(k) : 0);
}

/** Modes of the linear field at D₁ = 1. */
async function linearModes({ smooth, ...choices }: Choices): Promise<Float64Array> {
  const linear = await linearPowerOf(cosmologyDefaults);
  const power = (k: number) => linear.power(k) / growth.D1(1) ** 2;
  return gaussianModes({
    ...{ perSide: N, boxSize: BOX, seed: SEED, order: 2, fixedAmplitudes: false, opposite: false },
    ...choices,
    power: smooth ? smoothed(power) : power,
  });
}

/** Modes are measured up to half of the lattice's Nyquist wavenumber. */
const MOST = N / 4;
const SIDE = 2 * MOST + 1;

/**
 * [x, y, z, 2] δ_m = N⁻¹ Σ e^{−ik·x} of the particles, m_x from 0, m_y and m_z from −MOST. Summed without a mesh: one that fits
 * the lattice has aliases where the lattice has harmonics.
 */
function densityModes({ positions, count }: ParticleSet): Float64Array {
  const modes = new Float64Array(2 * (MOST + 1) * SIDE * SIDE);
  // e^{−i m u} for m = −MOST … MOST, by axis.
  const [px, py, pz] = [0, 1, 2].map(() => new Float64Array(2 * SIDE));
  for (let i = 0; i < count; i++) {
    [px, py, pz].forEach((powers, axis) => {
      for (let j = 0; j < SIDE; j++) {
        const angle = UNIT * (j - MOST) * positions[3 * i + axis];
        powers[2 * j] = Math.cos(angle) / (axis === 0 ? count : 1);
        powers[2 * j + 1] = -Math.sin(angle) / (axis === 0 ? count : 1);
      }
    });
    let at = 0;
    for (let x = 2 * MOST; x < 2 * SIDE; x += 2) {
      for (let y = 0; y < 2 * SIDE; y += 2) {
        const re = px[x] * py[y] - px[x + 1] * py[y + 1];
        const im = px[x] * py[y + 1] + px[x + 1] * py[y];
        for (let z = 0; z < 2 * SIDE; z += 2) {
          modes[at++] += re * pz[z] - im * pz[z + 1];
          modes[at++] += re * pz[z + 1] + im * pz[z];
        }
      }
    }
  }
  return modes;
}

interface Mode {
  m: [number, number, number];
  /** δ_m of the particles. */
  found: [number, number];
  /** D₁(a) δ_m of the linear field. */
  linear: [number, number];
}

/** One of m and −m each, 0 < |m| < MOST + ½. */
async function modesAt(a: number, choices: Choices): Promise<Mode[]> {
  const measured = densityModes(await particlesAt(a, choices));
  const input = await linearModes(choices);
  const D = growth.D1(a);
  const modes: Mode[] = [];
  eachMode(N, (at, [x, y, z]) => {
    if (Math.hypot(x, y, z) >= MOST + 0.5 || (x === 0 && (y < 0 || (y === 0 && z < 0)))) return;
    const from = 2 * ((x * SIDE + y + MOST) * SIDE + z + MOST);
    modes.push({
      m: [x, y, z],
      found: [measured[from], measured[from + 1]],
      linear: [D * input[at], D * input[at + 1]],
    });
  });
  return modes;
}

/**
 * Density at second order in Lagrangian perturbation theory, at D₁ = 1 and with D₂ in units of D₁²:
 *   δ_k = Σ_{p+q=k} [½ (k·p)(k·q)/(p²q²) − ½ D₂ (1 − (p·q)²/(p²q²))] δ_p δ_q
 */
function secondOrder(linear: Float64Array, D2: number, k: readonly number[]): [number, number] {
  const dot = (a: readonly number[], b: readonly number[]) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const waveOf = (m: number[]) => {
    const sign = m[0] < 0 ? -1 : 1;
    const at = placeOf(
      N,
      m.map((component) => sign * component),
    );
    return [linear[at], sign * linear[at + 1]];
  };
  let [re, im] = [0, 0];
  for (let x = -SMOOTH; x <= SMOOTH; x++) {
    for (let y = -SMOOTH; y <= SMOOTH; y++) {
      for (let z = -SMOOTH; z <= SMOOTH; z++) {
        const p = [x, y, z];
        const q = k.map((component, axis) => component - p[axis]);
        const norm = dot(p, p) * dot(q, q);
        if (norm === 0 || Math.max(...q.map(Math.abs)) > SMOOTH) continue;
        const kernel = (0.5 * (dot(k, p) * dot(k, q) - D2 * (norm - dot(p, q) ** 2))) / norm;
        const [a, b] = [waveOf(p), waveOf(q)];
        re += kernel * (a[0] * b[0] - a[1] * b[1]);
        im += kernel * (a[0] * b[1] + a[1] * b[0]);
      }
    }
  }
  return [re, im];
}

/** Of each shell |m| = 1 … MOST: power of the particles over P(k, a), both averaged over its modes, and their number. */
async function powerRatios(a: number, choices: Choices): Promise<{ ratio: number; modes: number }[]> {
  const linear = await linearPowerOf(cosmologyDefaults);
  const shells = Array.from({ length: MOST }, () => ({ found: 0, expected: 0, modes: 0 }));
  for (const { m, found: mode } of await modesAt(a, choices)) {
    const length = Math.hypot(...m);
    const shell = shells[Math.round(length) - 1];
    shell.found += BOX ** 3 * (mode[0] ** 2 + mode[1] ** 2);
    shell.expected += linear.power(UNIT * length, a);
    shell.modes++;
  }
  return shells.map(({ found, expected, modes }) => ({ ratio: found / expected, modes }));
}

describe("a displaced lattice", () => {
  it("has the linear field's modes at odd order, and those of second-order theory at even", async () => {
    const errors: { odd: number; even: number }[] = [];
    for (const a of [1 / 64, 1 / 256]) {
      const [one, other] = [await modesAt(a, { smooth: true }), await modesAt(a, { smooth: true, opposite: true })];
      expect(one.length).toBeGreaterThan(500);
      const half = (sign: number) =>
        one.flatMap(({ found }, i) => found.map((x, c) => 0.5 * (x + sign * other[i].found[c])));
      const linear = one.flatMap((mode) => mode.linear);
      const D1 = growth.D1(a);
      const input = await linearModes({ smooth: true });
      const second = one.flatMap(({ m }) => secondOrder(input, growth.D2(a) / D1 ** 2, m).map((x) => D1 ** 2 * x));
      errors.push({ odd: relativeDifference(half(-1), linear), even: relativeDifference(half(1), second) });
    }
    // What is left is two orders higher.
    for (const kind of ["odd", "even"] as const) {
      expect(errors[0][kind]).toBeLessThan(1e-3);
      expect(errors[0][kind] / errors[1][kind]).toBeCloseTo(16, 0);
    }
  });

  it("has the power spectrum of the input: to sampling errors, closer with fixed amplitudes, closest in pairs", async () => {
    const a = 1 / 64;
    const free = await powerRatios(a, {});
    for (const { ratio, modes } of free) expect(Math.abs(ratio - 1)).toBeLessThan(4 / Math.sqrt(modes));
    expect(Math.hypot(...free.map(({ ratio }) => ratio - 1))).toBeGreaterThan(0.1);
    const one = await powerRatios(a, { fixedAmplitudes: true });
    const other = await powerRatios(a, { fixedAmplitudes: true, opposite: true });
    for (let shell = 0; shell < MOST; shell++) {
      expect(Math.abs(one[shell].ratio - 1)).toBeLessThan(5e-3);
      expect(Math.abs(0.5 * (one[shell].ratio + other[shell].ratio) - 1)).toBeLessThan(5e-4);
    }
  });

  it.each([1, 2] as const)("has momenta a² dx/dt, order %i", async (order) => {
    const a = 0.1;
    const [from, to] = [a * (1 - 1e-3), a * (1 + 1e-3)];
    const [before, now, after] = await Promise.all([from, a, to].map((at) => particlesAt(at, { order })));
    const drift = new ComovingClock(background, { factors: "standard" }).drift(from, to, a);
    const moved = after.positions.map((x, i) => {
      const distance = x - before.positions[i];
      return (distance - BOX * Math.round(distance / BOX)) / drift;
    });
    expect(relativeDifference(now.velocities, moved)).toBeLessThan(1e-5);
  });
});
