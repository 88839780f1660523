/** The kernels of the external potentials that ship against float64: every kind at many distances. */
import { expect, it } from "vitest";
import { unitSystem } from "../../src/foundation/deck/units.ts";
import { axisymmetricTable } from "../../src/physics/potentials/axisymmetric-table.ts";
import { formulaOf } from "../../src/physics/potentials/external.ts";
import { kindsOf, parameterWords, potentialSources } from "../../src/physics/potentials/kernel.ts";
import { mwPotential2014 } from "../../src/physics/potentials/mw-potential-2014.ts";
import type { ExternalPotential } from "../../src/physics/potentials/potential.ts";
import { milkyWay, tableOf } from "../support/axisymmetric.ts";
import { useGpu } from "../support/gpu.ts";
import { MILKY_WAY, PARAMETERS } from "../support/potential-cases.ts";
import probeWgsl from "../support/potentials-probe.wgsl";
import { sequence } from "../support/scenario-fixture.ts";

const gpu = useGpu();

const POINTS = 512;
const G = 2;
const CASES = PARAMETERS.map(([kind, parameters]): ExternalPotential => ({ kind, centre: [0, 0, 0], parameters }));
/** Largest errors, over the length of the vector or the potential. */
const MOST = { force: 1e-6, potential: 1e-6, jerk: 2e-6, snap: 3e-6 };

/** Points from 1e-4 to 1e3 of the centre, with velocities and accelerations as they might be there. */
function paths(): Float32Array<ArrayBuffer> {
  const random = sequence(5);
  const direction = () => {
    const [cosine, azimuth] = [2 * random() - 1, 2 * Math.PI * random()];
    const planar = Math.sqrt(1 - cosine * cosine);
    return [planar * Math.cos(azimuth), planar * Math.sin(azimuth), cosine];
  };
  const all = new Float32Array(12 * POINTS);
  for (let i = 0; i < POINTS; i++) {
    const r = 10 ** (-4 + (7 * i) / POINTS);
    const speed = Math.sqrt(6 / (r + 0.3));
    direction().forEach((n, axis) => {
      all[12 * i + axis] = r * n;
    });
    direction().forEach((n, axis) => {
      all[12 * i + 4 + axis] = speed * n;
    });
    direction().forEach((n, axis) => {
      all[12 * i + 8 + axis] = (speed * speed * n) / (r + 0.1);
    });
  }
  return all;
}

/** [cases, POINTS, 16]; the kernel has all kinds of CASES, whichever are asked for. */
async function probed(cases: readonly ExternalPotential[], given: Float32Array<ArrayBuffer>, G: number) {
  const kinds = kindsOf(CASES);
  const words = new Float32Array(12 * cases.length);
  cases.forEach((potential, k) => {
    new Uint32Array(words.buffer)[12 * k] = kinds.indexOf(potential.kind);
    words.set(parameterWords(potential, { mass: (mass) => G * mass }), 12 * k + 4);
  });
  const forces = potentialSources(kinds, "forces").at(-1)!;
  const choice = { path: "forces of the potentials", text: forces.text.replace(/^struct .*$/gm, "") };
  const sources = [...potentialSources(kinds, "field"), choice, probeWgsl];
  const kernel = await gpu().kernel({ label: "probe", sources, entry: "probe", constants: { POINTS: `${POINTS}u` } });
  const buffers = gpu().buffers;
  const found = buffers.storage("found", 64 * POINTS * cases.length, "other");
  const bound = kernel.bind(buffers.upload("cases", words, "other"), buffers.upload("paths", given, "other"), found);
  await gpu()
    .batch("probe")
    .dispatch(bound, [POINTS / 64, cases.length])
    .submit();
  return new Float32Array(await gpu().read(found));
}

it("have force, potential, jerk and snap of float64, every kind from the centre to far out", async () => {
  const given = paths();
  const found = await probed(CASES, given, G);
  expect(new Set(CASES.map(({ kind }) => kind)).size).toBeGreaterThan(10);
  const errors = CASES.map((potential, k) => {
    const { formula, p } = formulaOf(potential, G);
    const worst = { kind: potential.kind, force: 0, again: 0, potential: 0, jerk: 0, snap: 0 };
    const out = new Float64Array(9);
    for (let i = 0; i < POINTS; i++) {
      const [x, v, a] = [0, 4, 8].map((at) => Float64Array.from(given.subarray(12 * i + at, 12 * i + at + 3)));
      const own = found.subarray(16 * (k * POINTS + i), 16 * (k * POINTS + i + 1));
      formula.derivatives(p, x, v, a, out);
      const phi = formula.potential(p, x);
      const [r, speed] = [Math.hypot(...x), Math.hypot(...v)];
      // A shell pulls nothing at its inner radius: errors are over the force at the outer one.
      const edge = potential.kind === "shell" ? p.mass / Math.max(r, p.outer) ** 2 : 0;
      const force = Math.max(edge, Math.hypot(...out.subarray(0, 3)));
      // What the terms of jerk and snap may be where they cancel each other.
      const scales = [force, (force * speed) / r, (force * (speed * speed + Math.hypot(...a) * r)) / (r * r)];
      const apart = (at: number, order: number) => {
        const vector = out.subarray(3 * order, 3 * order + 3);
        const size = Math.max(scales[order], Math.hypot(...vector));
        return Math.hypot(...vector.map((value, axis) => own[at + axis] - value)) / (size || 1);
      };
      const note = (what: "force" | "again" | "potential" | "jerk" | "snap", error: number) => {
        if (!(error <= worst[what])) worst[what] = error;
      };
      note("force", apart(0, 0));
      note("again", apart(4, 0));
      note("jerk", apart(8, 1));
      note("snap", apart(12, 2));
      note("potential", Math.abs(own[3] - phi) / Math.max(Math.abs(phi), force * r, 1e-3));
    }
    return worst;
  });
  for (const { kind, force, again, potential, jerk, snap } of errors) {
    expect([kind, force <= MOST.force, again <= MOST.force]).toEqual([kind, true, true]);
    expect([kind, potential <= MOST.potential, jerk <= MOST.jerk, snap <= MOST.snap]).toEqual([kind, true, true, true]);
  }
});

it("have the accelerations of other codes in MWPotential2014", async () => {
  const { G } = unitSystem("galactic");
  const parts = mwPotential2014.parts({ radius: 8, speed: 220, bulge: 1, disk: 1, halo: 1 }, G);
  const given = paths();
  MILKY_WAY.forEach(({ x }, i) => {
    given.set(x, 12 * i); // float32 has these places exactly
  });
  const found = await probed(
    parts.map((part) => ({ ...part, centre: [0, 0, 0] })),
    given,
    G,
  );
  // As kernels of the mesh have it and those that want derivatives, summed in float32 as they do.
  for (const at of [0, 4]) {
    for (const [i, { acceleration }] of MILKY_WAY.entries()) {
      const sum = new Float32Array(3);
      parts.forEach((_, k) => {
        for (let axis = 0; axis < 3; axis++) sum[axis] += found[16 * (k * POINTS + i) + at + axis];
      });
      const apart = Math.hypot(...acceleration.map((a, axis) => sum[axis] - a));
      expect(apart / Math.hypot(...acceleration)).toBeLessThan(1e-6);
    }
  }
});

it("have the force of float64 in a table of φ(R, z), though its disks cancel each other", async () => {
  const given = paths();
  const parts = axisymmetricTable.parts(tableOf(milkyWay), 1);
  const found = await probed(
    parts.map((part) => ({ ...part, centre: [0, 0, 0] })),
    given,
    1,
  );
  const errors = Array.from({ length: POINTS }, (_, i) => {
    const [sum, expected, own] = [new Float32Array(3), new Float64Array(3), new Float64Array(3)];
    parts.forEach((part, k) => {
      const { formula, p } = formulaOf(part, 1);
      formula.acceleration(p, Float64Array.from(given.subarray(12 * i, 12 * i + 3)), own);
      for (let axis = 0; axis < 3; axis++) {
        sum[axis] += found[16 * (k * POINTS + i) + axis];
        expected[axis] += own[axis];
      }
    });
    return Math.hypot(...expected.map((a, axis) => sum[axis] - a)) / Math.hypot(...expected);
  });
  expect(Math.max(...errors)).toBeLessThan(1e-5);
});
