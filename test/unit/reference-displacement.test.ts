/** Float64 displacement fields: statistics of the modes, refinement, and fields that are known in closed form. */
import { describe, expect, it } from "vitest";
import {
  displacementsInFloat64,
  displacementsOf,
  eachMode,
  gaussianModes,
  linearModes,
} from "../../src/engine/reference/lpt/displacements.ts";
import { GravmeshError } from "../../src/foundation/base/errors.ts";
import { linearPowerOf } from "../../src/physics/cosmology/power.ts";
import { cosmologyDefaults } from "../../src/physics/cosmology/settings.ts";
import {
  allDisplacements,
  BOX,
  displacementRequest,
  divergenceModes,
  placeOf,
  relativeDifference,
  shellPower,
  turningPower,
} from "../support/displacement.ts";

const UNIT = (2 * Math.PI) / BOX;
const VOLUME = BOX ** 3;

/** Modes of which each stands for itself and its conjugate once. */
function eachIndependent(n: number, visit: (at: number, square: number, m: readonly number[]) => void) {
  eachMode(n, (at, m) => {
    const [x, y, z] = m;
    if (x > 0 || y > 0 || (y === 0 && z > 0)) visit(at, x * x + y * y + z * z, m);
  });
}

/** All of m and −m with |m|² in `squares`: wave vector and complex amplitude. */
function waves(modes: Float64Array, n: number, squares: readonly number[]) {
  const found: { m: number[]; re: number; im: number }[] = [];
  eachIndependent(n, (at, square, m) => {
    if (!squares.includes(square)) return;
    const [re, im] = [modes[at], modes[at + 1]];
    found.push({ m: [...m], re, im }, { m: m.map((component) => -component), re, im: -im });
  });
  return found;
}

const pointOf = (n: number, i: number) =>
  [i % n, Math.floor(i / n) % n, Math.floor(i / n ** 2)].map((cell) => ((cell + 0.5) * BOX) / n);

describe("Gaussian modes", () => {
  const n = 32;
  const modes = gaussianModes(displacementRequest({ perSide: n, seed: 4 }));

  it("have the power spectrum within sampling errors, bin by bin", () => {
    const sums = new Map<number, { terms: number; sum: number }>();
    eachIndependent(n, (at, square) => {
      const bin = Math.round(Math.sqrt(square));
      const entry = sums.get(bin) ?? { terms: 0, sum: 0 };
      entry.terms++;
      entry.sum += (VOLUME * (modes[at] ** 2 + modes[at + 1] ** 2)) / turningPower(UNIT * Math.sqrt(square));
      sums.set(bin, entry);
    });
    let chiSquared = 0;
    for (const { terms, sum } of sums.values()) {
      // |δ|²/⟨|δ|²⟩ has mean 1 and variance 1.
      const deviation = (sum - terms) / Math.sqrt(terms);
      expect(Math.abs(deviation)).toBeLessThan(4);
      chiSquared += deviation ** 2;
    }
    expect(sums.size).toBe(26);
    expect(chiSquared).toBeGreaterThan(9.2); // 26 degrees of freedom, 0.1 % either side
    expect(chiSquared).toBeLessThan(54.1);
  });

  it("are Gaussian, real and imaginary parts and neighbours independent", () => {
    const parts: number[] = [];
    let cross = 0;
    let neighbours = 0;
    eachIndependent(n, (at, square) => {
      const scale = Math.sqrt((2 * VOLUME) / turningPower(UNIT * Math.sqrt(square)));
      const [re, im] = [scale * modes[at], scale * modes[at + 1]];
      cross += re * im;
      if (parts.length > 0) neighbours += re * parts[parts.length - 2] + im * parts[parts.length - 1];
      parts.push(re, im);
    });
    const count = parts.length;
    expect(count).toBe(31 ** 3 - 1);
    const moment = (power: number) => parts.reduce((sum, x) => sum + x ** power, 0) / count;
    expect(Math.abs(moment(1))).toBeLessThan(4 * Math.sqrt(1 / count));
    expect(Math.abs(moment(2) - 1)).toBeLessThan(4 * Math.sqrt(2 / count));
    expect(Math.abs(moment(3))).toBeLessThan(4 * Math.sqrt(15 / count));
    expect(Math.abs(moment(4) - 3)).toBeLessThan(4 * Math.sqrt(96 / count));
    expect(Math.abs(cross)).toBeLessThan(4 * Math.sqrt(count / 2));
    expect(Math.abs(neighbours)).toBeLessThan(4 * Math.sqrt(count));
  });

  it("are Hermitian where both of a pair are stored, and nothing on the Nyquist planes and at 0", () => {
    const half = n / 2;
    let unlike = 0;
    for (let y = -half + 1; y < half; y++) {
      for (let z = -half + 1; z < half; z++) {
        const [here, there] = [placeOf(n, [0, y, z]), placeOf(n, [0, -y, -z])];
        unlike += Math.abs(modes[here] - modes[there]) + Math.abs(modes[here + 1] + modes[there + 1]);
      }
    }
    expect(unlike).toBe(0);
    let kept = 0;
    for (let i = 0; i < modes.length; i += 2) if (modes[i] !== 0 || modes[i + 1] !== 0) kept++;
    // kx = 0 … n/2 − 1, ky and kz from −n/2 + 1 to n/2 − 1, without 0.
    expect(kept).toBe(16 * 31 * 31 - 1);
  });

  it("depend on both words of the seed", () => {
    const other = (seed: number) => gaussianModes(displacementRequest({ seed }));
    const [a, b, c] = [other(1), other(2), other(1 + 2 ** 32)];
    for (const different of [b, c]) expect(relativeDifference(different, a)).toBeGreaterThan(1);
    expect(other(1)).toEqual(a);
  });

  it("are the same ones on a finer lattice", () => {
    for (const fixedAmplitudes of [false, true]) {
      const coarse = gaussianModes(displacementRequest({ perSide: 16, fixedAmplitudes }));
      const fine = gaussianModes(displacementRequest({ perSide: 24, fixedAmplitudes }));
      const common = new Float64Array(coarse.length);
      eachMode(16, (at, m) => {
        const there = placeOf(24, m);
        common.set(fine.subarray(there, there + 2), at);
      });
      expect(common).toEqual(coarse);
      expect(coarse.filter((value) => value !== 0).length).toBe(2 * (8 * 15 * 15 - 1));
    }
  });

  it("have exactly the power P/V with fixed amplitudes, and the phases that they have without", () => {
    const request = displacementRequest({ perSide: n, seed: 4, fixedAmplitudes: true });
    const fixed = gaussianModes(request);
    let [powerError, phaseError] = [0, 0];
    eachIndependent(n, (at, square) => {
      const expected = turningPower(UNIT * Math.sqrt(square)) / VOLUME;
      powerError = Math.max(powerError, Math.abs((fixed[at] ** 2 + fixed[at + 1] ** 2) / expected - 1));
      const [phase, free] = [fixed, modes].map((spectrum) => Math.atan2(spectrum[at + 1], spectrum[at]));
      phaseError = Math.max(phaseError, Math.abs(phase - free));
    });
    expect(powerError).toBeLessThan(1e-14);
    expect(phaseError).toBeLessThan(1e-12);
  });

  it("change sign, and nothing else, with opposite phases", () => {
    const opposite = gaussianModes(displacementRequest({ perSide: n, seed: 4, opposite: true }));
    expect(opposite.map((value) => value + 0)).toEqual(modes.map((value) => -value + 0));
  });
});

describe("displacements", () => {
  it("hold the modes that they were made from", async () => {
    for (const perSide of [16, 24]) {
      const request = displacementRequest({ perSide });
      const { first } = await allDisplacements(displacementsInFloat64, request);
      expect(relativeDifference(divergenceModes(first, perSide), gaussianModes(request))).toBeLessThan(1e-13);
    }
  });

  it("of a plane wave are Zel'dovich's: ψ₁ = −k̂ (A/k) sin(k·q + θ), and nothing at second order", async () => {
    const n = 16;
    const [amplitude, phase] = [0.7, 1.1];
    for (const m of [
      [1, 0, 0],
      [0, -2, 3],
      [5, 1, -4],
    ]) {
      // δ = A cos(k·x + θ)
      const modes = new Float64Array(n * n * (n + 2));
      const at = placeOf(n, m);
      modes[at] = 0.5 * amplitude * Math.cos(phase);
      modes[at + 1] = 0.5 * amplitude * Math.sin(phase);
      if (m[0] === 0) {
        const conjugate = placeOf(n, [0, -m[1], -m[2]]);
        modes[conjugate] = modes[at];
        modes[conjugate + 1] = -modes[at + 1];
      }
      const { first, second } = await displacementsOf(modes, n, BOX, 2);
      const square = m.reduce((sum, component) => sum + component ** 2, 0);
      const size = amplitude / (UNIT * Math.sqrt(square));
      let error = 0;
      for (let i = 0; i < n ** 3; i++) {
        const angle = phase + pointOf(n, i).reduce((sum, x, axis) => sum + UNIT * m[axis] * x, 0);
        for (let axis = 0; axis < 3; axis++) {
          const expected = ((-size * m[axis]) / Math.sqrt(square)) * Math.sin(angle);
          error = Math.max(error, Math.abs(first[3 * i + axis] - expected), Math.abs(second![3 * i + axis]));
        }
      }
      expect(error).toBeLessThan(1e-13 * size);
    }
  });

  it("of two crossed waves at second order are those of their product", async () => {
    // δ = A cos(kx) + B cos(2ky): φ₁,xx φ₁,yy = A B cos(kx) cos(2ky), so φ₂ = −AB cos(kx) cos(2ky)/(k² + 4k²).
    const n = 16;
    const [A, B] = [0.3, 0.5];
    const modes = new Float64Array(n * n * (n + 2));
    modes[placeOf(n, [1, 0, 0])] = A / 2;
    modes[placeOf(n, [0, 2, 0])] = B / 2;
    modes[placeOf(n, [0, -2, 0])] = B / 2;
    const { second } = await displacementsOf(modes, n, BOX, 2);
    const scale = (A * B) / (5 * UNIT);
    let error = 0;
    for (let i = 0; i < n ** 3; i++) {
      const [x, y] = pointOf(n, i).map((q) => UNIT * q);
      const expected = [Math.sin(x) * Math.cos(2 * y), 2 * Math.cos(x) * Math.sin(2 * y), 0];
      expected.forEach((value, axis) => {
        error = Math.max(error, Math.abs(second![3 * i + axis] - scale * value));
      });
    }
    expect(error).toBeLessThan(1e-13 * scale);
  });

  it("of second order are the sum over all pairs of waves, S_k = Σ_{p+q=k} ½ (1 − cos²(p,q)) δ_p δ_q", async () => {
    const n = 16;
    const squares = [1, 2, 3];
    const request = displacementRequest({ power: shellPower(squares, 500) });
    const { second } = await allDisplacements(displacementsInFloat64, request);
    const all = waves(gaussianModes(request), n, squares);
    expect(all.length).toBe(26);
    for (const i of [0, 77, 1234, n ** 3 - 1]) {
      const q = pointOf(n, i);
      const expected = [0, 0, 0];
      for (const a of all) {
        for (const b of all) {
          const k = a.m.map((component, axis) => component + b.m[axis]);
          const square = k.reduce((sum, component) => sum + component ** 2, 0);
          if (square === 0) continue;
          const dot = a.m.reduce((sum, component, axis) => sum + component * b.m[axis], 0);
          const norm = [a, b].reduce((product, { m }) => product * m.reduce((sum, c) => sum + c * c, 0), 1);
          const kernel = 0.5 * (1 - dot ** 2 / norm);
          const [re, im] = [a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re];
          const angle = q.reduce((sum, x, axis) => sum + UNIT * k[axis] * x, 0);
          // Real part of −i k/k² S e^{ik·q}.
          const value = kernel * (re * Math.sin(angle) + im * Math.cos(angle));
          k.forEach((component, axis) => {
            expected[axis] += (component / (UNIT * square)) * value;
          });
        }
      }
      expected.forEach((value, axis) => {
        expect(Math.abs(second![3 * i + axis] - value)).toBeLessThan(1e-12 * Math.hypot(...expected));
      });
    }
  });

  it("of first order come alone when no more is asked for", async () => {
    const [one, two] = await Promise.all(
      [1, 2].map((order) => allDisplacements(displacementsInFloat64, displacementRequest({ order: order as 1 | 2 }))),
    );
    expect(one.second).toBeUndefined();
    expect(one.first).toEqual(two.first);
  });

  it("are refused where they can't be made, with what to try", async () => {
    const refusal = async (changes: Parameters<typeof displacementRequest>[0]) => {
      const error = await displacementsInFloat64(displacementRequest(changes)).then(
        () => null,
        (reason) => reason,
      );
      expect(error).toBeInstanceOf(GravmeshError);
      expect(error.kind).toBe("usage");
      return error.message;
    };
    expect(await refusal({ perSide: 20 })).toMatch(/found 20; try 16 or 24/);
    expect(await refusal({ perSide: 8 })).toMatch(/found 8; try 16$/);
    expect(await refusal({ perSide: 33.5 })).toMatch(/found 33.5; try 32 or 48/);
    expect(await refusal({ seed: -1 })).toMatch(/seed .* found -1/);
    expect(await refusal({ boxSize: 0 })).toMatch(/boxSize above 0, found 0/);
    expect(await refusal({ power: (k) => (k > 0.3 ? Number.NaN : 1) })).toMatch(/found NaN at k = 0\.3/);
    expect(await refusal({ power: () => -1 })).toMatch(/found -1/);
  });
});

describe("local non-Gaussianity", () => {
  it("adds M f_NL Σ φφ, the sum over all pairs of waves", () => {
    const n = 16;
    const response = (k: number) => 10 * k ** 2;
    const given = { perSide: n, power: shellPower([1, 2, 3], 2e5), local: { fNL: 0.3, response } };
    const gaussian = gaussianModes(displacementRequest(given));
    const found = linearModes(displacementRequest(given));
    const M = (m: readonly number[]) => response(UNIT * Math.hypot(...m));
    const phi = waves(gaussian, n, [1, 2, 3]).map(({ m, re, im }) => ({ m, re: re / M(m), im: im / M(m) }));
    const expected = gaussian.slice();
    for (const a of phi) {
      for (const b of phi) {
        const m = a.m.map((component, axis) => component + b.m[axis]);
        if (m[0] < 0 || m.every((component) => component === 0)) continue;
        const at = placeOf(n, m);
        expected[at] += 0.3 * M(m) * (a.re * b.re - a.im * b.im);
        expected[at + 1] += 0.3 * M(m) * (a.re * b.im + a.im * b.re);
      }
    }
    expect(relativeDifference(found, gaussian)).toBeGreaterThan(0.01);
    expect(relativeDifference(found, expected)).toBeLessThan(1e-12);
  });

  it("gives squeezed triangles the bispectrum 2 f_NL M M M (PP + PP + PP), of either sign", async () => {
    // As, not σ8, so that potentials are of the usual size; a large box, where waves are long.
    const [n, boxSize, fNL] = [32, 2000, 100];
    const settings = { ...cosmologyDefaults, omegaM: 0.3, omegaB: 0.05, h: 0.7, spectralIndex: 0.96, As: 2.1e-9 };
    const linear = await linearPowerOf(settings);
    const unity = linear.growth.D1(1);
    const power = (k: number) => linear.power(k) / unity ** 2;
    const response = (k: number) => linear.response(k);
    const modesWith = (f: number) =>
      linearModes(
        displacementRequest({ ...{ perSide: n, boxSize, power, fixedAmplitudes: true }, local: { fNL: f, response } }),
      );
    const [up, none, down] = [modesWith(fNL), modesWith(0), modesWith(-fNL)];
    const long: number[][] = [];
    const short: number[][] = [];
    eachMode(n, (_, m) => {
      for (const one of m[0] > 0 ? [[...m], m.map((x) => -x)] : [[...m]]) {
        const square = one.reduce((sum, x) => sum + x * x, 0);
        if (square <= 3) long.push(one);
        if (square >= 64 && square <= 110) short.push(one);
      }
    });
    const value = (modes: Float64Array, m: readonly number[]) => {
      const at = placeOf(n, m[0] < 0 ? m.map((x) => -x) : m);
      return { re: modes[at], im: m[0] < 0 ? -modes[at + 1] : modes[at + 1] };
    };
    const product = (modes: Float64Array, triangle: readonly (readonly number[])[]) =>
      triangle
        .map((m) => value(modes, m))
        .reduce((a, b) => ({ re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re })).re;
    let [rising, falling, theory] = [0, 0, 0];
    for (const k1 of long) {
      for (const k2 of short) {
        const k3 = k1.map((x, axis) => -x - k2[axis]);
        if (k3.some((x) => Math.abs(x) >= n / 2)) continue;
        const triangle = [k1, k2, k3];
        rising += product(up, triangle) - product(none, triangle);
        falling += product(down, triangle) - product(none, triangle);
        const ks = triangle.map((m) => (2 * Math.PI * Math.hypot(...m)) / boxSize);
        const M = ks.map(response);
        const p = ks.map((k, i) => power(k) / boxSize ** 3 / M[i] ** 2);
        theory += 2 * fNL * M[0] * M[1] * M[2] * (p[0] * p[1] + p[0] * p[2] + p[1] * p[2]);
      }
    }
    expect(Math.abs(rising / theory - 1)).toBeLessThan(0.05);
    expect(Math.abs(falling / theory + 1)).toBeLessThan(0.05);
  });
});
