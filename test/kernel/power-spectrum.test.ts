/** The power spectrum on the GPU: against float64, Poisson noise, a finer mesh, and orders of the particles. */
import { describe, expect, it } from "vitest";
import {
  PowerSpectrum,
  type PowerSpectrumOptions,
  type Spectrum,
} from "../../src/engine/diagnostics/power-spectrum.ts";
import { type ExactParticles, ParticleBuffers } from "../../src/engine/gpu-particles/buffers.ts";
import { ParticleOrder } from "../../src/engine/gpu-particles/order.ts";
import { createMeshBuffers } from "../../src/engine/mesh/field.ts";
import { cellGrid } from "../../src/engine/mesh/stage.ts";
import { powerSpectrum } from "../../src/engine/reference/diagnostics/power-spectrum.ts";
import { GpuContext } from "../../src/foundation/gpu/context.ts";
import { nodeGpu } from "../../src/foundation/gpu/device.node.ts";
import { wrapDevice } from "../../src/foundation/gpu/device.ts";
import type { WindowLimits } from "../../src/foundation/gpu/windows.ts";
import { wholeBoxGrid } from "../../src/physics/particles/grid.ts";
import { clusteredPositions } from "../support/clustered.ts";
import { exactState, meshSettings, placeholders, randomPositions, randomWords } from "../support/exact-particles.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();
const BOX = 50;

interface Case {
  positions: Uint32Array<ArrayBuffer>;
  massOf?: ((id: number) => number) | undefined;
}

async function withParticles<T>(given: Case, use: (particles: ParticleBuffers) => Promise<T>): Promise<T> {
  const set = placeholders(given.positions.length / 3, given.massOf);
  const particles = await ParticleBuffers.create(gpu(), set, { boxSize: BOX, boundary: "periodic" });
  try {
    await particles.restore(exactState(given.positions, "periodic"));
    return await use(particles);
  } finally {
    particles.destroy();
  }
}

async function spectrumOf(
  particles: ParticleBuffers,
  options: PowerSpectrumOptions,
  measure?: { subtractShotNoise: boolean },
): Promise<Spectrum> {
  const spectrum = await PowerSpectrum.create(gpu(), particles, options);
  try {
    return await spectrum.measure(measure);
  } finally {
    spectrum.destroy();
  }
}

const measured = (given: Case, options: PowerSpectrumOptions, measure?: { subtractShotNoise: boolean }) =>
  withParticles(given, (particles) => spectrumOf(particles, options, measure));

const coordinates = (positions: Uint32Array) => Float64Array.from(positions, (u) => (BOX * u) / 2 ** 32);

describe("power spectrum on the GPU", () => {
  const clustered = clusteredPositions(5, { clumps: 60, members: 300, spread: 0.01, field: 2001 });
  const word = randomWords(21);
  const weights = Float64Array.from({ length: clustered.length / 3 }, () => 0.01 + word() / 2 ** 32);

  it.each<Required<Omit<PowerSpectrumOptions, "bins">>>([
    { assignment: "ngp", cells: 32, interlaced: false },
    { assignment: "cic", cells: 32, interlaced: false },
    { assignment: "cic", cells: 48, interlaced: true },
    { assignment: "tsc", cells: 48, interlaced: false },
    { assignment: "tsc", cells: 32, interlaced: true },
  ])("equals float64: $assignment, $cells cells, interlaced $interlaced", async (options) => {
    for (const massOf of [undefined, (id: number) => weights[id]]) {
      const found = await measured({ positions: clustered, massOf }, options);
      const masses = Float64Array.from(weights, (_, id) => massOf?.(id) ?? 1);
      const expected = powerSpectrum({ ...options, positions: coordinates(clustered), masses, boxSize: BOX });
      expect(found.modes).toEqual(expected.modes);
      const close = (key: "k" | "low" | "high" | "power" | "shotNoise", error: number) =>
        expected[key].forEach((value, bin) => {
          expect(Math.abs(found[key][bin] / value - 1)).toBeLessThan(error);
        });
      close("k", 1e-12);
      close("low", 1e-12);
      close("high", 1e-12);
      close("power", 2e-6);
      close("shotNoise", options.assignment === "ngp" ? 1e-3 : 1e-6); // mass units round masses
      expect(found.nyquist / expected.nyquist).toBeCloseTo(1, 12);
    }
  });

  it.each([true, false])("of Poisson-distributed particles is V/N, interlaced %s", async (interlaced) => {
    const count = 60_000;
    const realisations = 8;
    const deviations: number[] = [];
    await withParticles({ positions: randomPositions(count, 1) }, async (particles) => {
      const spectrum = await PowerSpectrum.create(gpu(), particles, { cells: 96, interlaced });
      for (let seed = 1; seed <= realisations; seed++) {
        await particles.restore(exactState(randomPositions(count, seed), "periodic"));
        const { power, shotNoise, modes } = await spectrum.measure();
        // Interlaced, what is left of the aliases is small beside the errors; else it belongs to the expectation.
        const expected = interlaced ? modes.map(() => BOX ** 3 / count) : shotNoise;
        // Half of the modes are independent, and |δ_k|² of each is exponentially distributed.
        power.forEach((p, bin) => {
          deviations.push((p / expected[bin] - 1) * Math.sqrt(modes[bin] / 2));
        });
      }
      spectrum.destroy();
    });
    expect(deviations.length).toBe(realisations * 47);
    const beyond = (errors: number) => deviations.filter((d) => !(Math.abs(d) <= errors)).length;
    expect(beyond(2)).toBeLessThanOrEqual(0.05 * deviations.length);
    expect(beyond(4)).toBe(0);
    const variance = deviations.reduce((sum, d) => sum + d * d, 0) / deviations.length;
    expect(Math.abs(variance - 1)).toBeLessThan(3 * Math.sqrt(2 / deviations.length));
  });

  it("interlaced is within 0.5 % of a mesh twice as fine up to 0.7 of the Nyquist wavenumber", async () => {
    // Clumps narrower than a cell of the coarse mesh: power beyond its Nyquist wavenumber.
    const positions = clusteredPositions(9, { clumps: 300, members: 150, spread: 0.004 });
    await withParticles({ positions }, async (particles) => {
      for (const assignment of ["cic", "tsc"] as const) {
        const coarse = await spectrumOf(particles, { cells: 48, assignment });
        const plain = await spectrumOf(particles, { cells: 48, assignment, interlaced: false });
        const fine = await spectrumOf(particles, { cells: 96, assignment });
        const worst = (spectrum: Spectrum) =>
          spectrum.k.reduce((most, k, bin) => {
            if (k > 0.7 * spectrum.nyquist) return most;
            return Math.max(most, Math.abs(spectrum.power[bin] / fine.power[bin] - 1));
          }, 0);
        expect(worst(coarse)).toBeLessThan(0.005);
        expect(worst(plain)).toBeGreaterThan(20 * worst(coarse));
      }
    });
  });

  it("has the same bits whatever the order of the particles, and measured again", async () => {
    const options: PowerSpectrumOptions = { cells: 32 };
    const count = weights.length;
    const massOf = (id: number) => weights[id];
    const { again, ...found } = await withParticles({ positions: clustered, massOf }, async (particles) => {
      const spectrum = await PowerSpectrum.create(gpu(), particles, options);
      const result = { ...(await spectrum.measure()), again: (await spectrum.measure()).power };
      spectrum.destroy();
      return result;
    });
    expect(again).toEqual(found.power);
    // The same particles with other numbers.
    const shuffled = Uint32Array.from({ length: count }, (_, i) => (i * 7919) % count);
    const positions = Uint32Array.from(clustered, (_, i) => clustered[3 * shuffled[Math.floor(i / 3)] + (i % 3)]);
    const other = await measured({ positions, massOf: (id) => weights[shuffled[id]] }, options);
    expect(other.power).toEqual(found.power);
    expect(new Set(shuffled).size).toBe(count);
  });

  it.each([false, true])(
    "has the same bits of particles in windows and a mesh in slabs, equal masses %s",
    async (equal) => {
      const massOf = equal ? undefined : (id: number) => 1 + (id % 7);
      const exact = exactState(
        clusteredPositions(5, { clumps: 20, members: 900, spread: 0.03, field: 2011 }),
        "periodic",
      );
      const found = async (windows: WindowLimits) => {
        const context = new GpuContext(gpu().device, gpu().adapter, { owned: false, parent: gpu(), windows });
        try {
          const box = { boxSize: BOX, boundary: "periodic" } as const;
          const particles = await ParticleBuffers.create(context, placeholders(20_011, massOf), box);
          await particles.restore(exact);
          const { grid, starts } = createMeshBuffers(context, wholeBoxGrid(16, "periodic"));
          const cells = cellGrid(meshSettings(16, "cic"), grid);
          const order = await ParticleOrder.create(context, particles, starts, cells);
          const batch = context.batch("order");
          order.encodeCount(batch);
          order.encodeSort(batch);
          await batch.submit();
          const spectrum = await PowerSpectrum.create(context, particles, { cells: 32 });
          return { windows: particles.windows.length, measured: await spectrum.measure() };
        } finally {
          context.destroy();
        }
      };
      const { measured } = await found({});
      expect(await found({ planes: 2, particles: 4096 })).toEqual({ windows: 5, measured });
      expect(await found({ planes: 10 })).toEqual({ windows: 1, measured });
    },
  );

  it("reads the half that holds the particles", async () => {
    await withParticles({ positions: clustered }, async (particles) => {
      const spectrum = await PowerSpectrum.create(gpu(), particles, { cells: 16 });
      const { power } = await spectrum.measure();
      const exact: ExactParticles = exactState(randomPositions(weights.length, 3), "periodic");
      gpu().device.queue.writeBuffer(particles.positions[1], 0, exact.positions);
      gpu().device.queue.writeBuffer(particles.ids[1], 0, await gpu().read(particles.ids[0]));
      particles.flip();
      const flipped = (await spectrum.measure()).power;
      await particles.restore(exact);
      expect(flipped).toEqual((await spectrum.measure()).power);
      expect(flipped[0]).not.toBe(power[0]);
      spectrum.destroy();
    });
  });

  it("of a lattice is nothing, of one point V", async () => {
    const side = 16;
    const lattice = Uint32Array.from(
      { length: 3 * side ** 3 },
      (_, i) => (2 ** 32 / side) * (Math.floor(Math.floor(i / 3) / side ** (i % 3)) % side),
    );
    const nothing = await measured({ positions: lattice }, { cells: 32, assignment: "cic" });
    // Aliases of the lattice lie at multiples of its own Nyquist wavenumber times two: out of reach.
    expect(Math.max(...nothing.power)).toBeLessThan(1e-12 * BOX ** 3);
    const point = new Uint32Array(3 * 1000).fill(0x12345678);
    const { power, shotNoise, k, nyquist } = await measured({ positions: point }, { cells: 32, assignment: "tsc" });
    power.forEach((p, bin) => {
      if (k[bin] < 0.7 * nyquist) expect(Math.abs(p / BOX ** 3 - 1)).toBeLessThan(0.02);
      expect(shotNoise[bin] / (BOX ** 3 / 1000)).toBeCloseTo(1, 2);
    });
  });

  it("bins logarithmically, and subtracts the shot noise on demand", async () => {
    const options: PowerSpectrumOptions = { cells: 32, bins: { kind: "logarithmic", perDecade: 5 } };
    const kept = await measured({ positions: clustered }, options);
    const subtracted = await measured({ positions: clustered }, options, { subtractShotNoise: true });
    expect(kept.shotNoiseSubtracted).toBe(false);
    expect(subtracted.shotNoiseSubtracted).toBe(true);
    expect(subtracted.power).toEqual(kept.power.map((p, bin) => p - kept.shotNoise[bin]));
    // Σ modes × power doesn't depend on the bins; shells leave out what lies between n/2 − ½ and n/2.
    const shells = await measured({ positions: clustered }, { cells: 32 });
    const total = ({ power, modes }: Spectrum) => power.reduce((sum, p, bin) => sum + p * modes[bin], 0);
    const wide = await measured({ positions: clustered }, { cells: 32, bins: { kind: "logarithmic", perDecade: 0.1 } });
    expect(wide.power.length).toBe(1);
    expect(total(kept) / total(wide)).toBeCloseTo(1, 7);
    expect(total(shells)).toBeLessThan(total(wide));
    expect(kept.low[0]).toBeCloseTo((2 * Math.PI) / BOX, 12);
    expect(kept.high.at(-1)).toBeCloseTo(kept.nyquist, 12);
  });

  it("needs no more than the limits that every implementation has", async () => {
    const device = await (await nodeGpu().requestAdapter())!.requestDevice({ label: "default limits" });
    const plain = wrapDevice(device);
    try {
      const set = placeholders(weights.length, (id) => weights[id]);
      const particles = await ParticleBuffers.create(plain, set, { boxSize: BOX, boundary: "periodic" });
      await particles.restore(exactState(clustered, "periodic"));
      const spectrum = await PowerSpectrum.create(plain, particles, { cells: 32 });
      const own = await spectrum.measure();
      const full = await measured({ positions: clustered, massOf: (id) => weights[id] }, { cells: 32 });
      expect(own.modes).toEqual(full.modes);
      own.power.forEach((power, bin) => {
        expect(Math.abs(power / full.power[bin] - 1)).toBeLessThan(2e-6); // another shape of the transform, perhaps
      });
    } finally {
      plain.destroy();
      device.destroy();
    }
  });

  it("refuses isolated boxes and gives its memory back", async () => {
    const isolated = await ParticleBuffers.create(gpu(), placeholders(2), { boxSize: 1, boundary: "isolated" });
    await expect(PowerSpectrum.create(gpu(), isolated, { cells: 32 })).rejects.toThrow(/periodic/);
    isolated.destroy();
    await withParticles({ positions: clustered }, async (particles) => {
      const before = gpu().buffers.bytes().total;
      await spectrumOf(particles, { cells: 32 });
      expect(gpu().buffers.bytes().total).toBe(before);
      await expect(PowerSpectrum.create(gpu(), particles, { cells: 20 })).rejects.toThrow(/expected one of 8, 12/);
      expect(gpu().buffers.bytes().total).toBe(before);
    });
  });
});
