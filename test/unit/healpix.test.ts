/** Pixels of HEALPix's ring scheme, maps as FITS, and the angular power of a map against closed forms. */
import { describe, expect, it } from "vitest";
import { angularPower, eachPixel, pixelCount, pixelOf } from "../../src/engine/diagnostics/healpix.ts";
import { ParticleRandom } from "../../src/physics/initial/philox.ts";
import { healpixFits } from "../../src/run/io/healpix-fits.ts";

const mapOf = (nside: number, f: (x: number, y: number, z: number) => number) => {
  const map = new Float64Array(pixelCount(nside));
  eachPixel(nside, (pixel, x, y, z) => (map[pixel] = f(x, y, z)));
  return map;
};

const PIXELS: readonly [nside: number, theta: number, phi: number, pixel: number][] = [
  [1, 0.1, 0.1, 0],
  [1, 1.5, 6.2, 4],
  [4, 0.3, 3, 7],
  [4, 1.2, 4, 66],
  [4, 2.9, 1, 188],
  [64, 0.05, 5.5, 22],
  [64, 1, 0.01, 11136],
  [64, 1.6, 2.2, 25306],
  [64, 2.5, 6.28, 44251],
  [1024, 0.7, 1.9, 1478520],
  [1024, 2.2, 3.3, 9994343],
];

describe("pixels", () => {
  it.each([1, 2, 8, 64])("of nside %i are those of their centres", (nside) => {
    let [sum, wrong] = [0, 0];
    eachPixel(nside, (pixel, x, y, z) => {
      if (pixelOf(nside, 3 * x, 3 * y, 3 * z, 3) !== pixel) wrong++;
      sum += z * z;
    });
    expect(wrong).toBe(0);
    expect(sum / pixelCount(nside)).toBeCloseTo(1 / 3, nside > 8 ? 3 : 1);
  });

  // ang2pix_ring of @hscmap/healpix 1.4.12, which is tested against healpy.
  it.each(PIXELS)("of nside %i at θ = %f, φ = %f: %i", (nside, theta, phi, pixel) => {
    const sine = Math.sin(theta);
    expect(pixelOf(nside, sine * Math.cos(phi), sine * Math.sin(phi), Math.cos(theta), 1)).toBe(pixel);
  });
});

describe("the angular power of a map", () => {
  it("that is one spherical harmonic is in its own multipole", () => {
    // √2 Re Y₃₂ = √(105/16π) z (x² − y²), of which a₃₂ = a₃₋₂ = 1/√2.
    const power = angularPower(
      mapOf(32, (x, y, z) => Math.sqrt(105 / (16 * Math.PI)) * z * (x * x - y * y)),
      32,
      64,
    );
    expect(power[3]).toBeCloseTo(1 / 7, 4);
    expect(power.reduce((sum, one) => sum + one, 0) - power[3]).toBeLessThan(1e-6);
  });

  it("that is a sectoral harmonic of high order needs no number below float64's", () => {
    // Y_ℓℓ ∝ (x + iy)^ℓ; ⟨|√2 Re Y|²⟩ over the sphere is 1/4π.
    const l = 60;
    const shape = mapOf(32, (x, y) => Math.hypot(x, y) ** l * Math.cos(l * Math.atan2(y, x)));
    const square = shape.reduce((sum, one) => sum + one * one, 0) / shape.length;
    const power = angularPower(
      shape.map((one) => one / Math.sqrt(4 * Math.PI * square)),
      32,
      64,
    );
    expect((2 * l + 1) * power[l]).toBeCloseTo(1, 2);
  });

  it("of white noise is flat, and that of all modes the variance", () => {
    const [nside, lmax] = [32, 48];
    const random = new ParticleRandom(1);
    const noise = Float64Array.from({ length: pixelCount(nside) }, (_, i) => {
      random.seek(i);
      return Math.sqrt(12) * (random.uniform() - 0.5);
    });
    const power = angularPower(noise, nside, lmax);
    const expected = (4 * Math.PI) / pixelCount(nside);
    for (const [from, to] of [
      [1, 16],
      [17, 32],
      [33, 48],
    ]) {
      let [sum, modes] = [0, 0];
      for (let l = from; l <= to; l++) [sum, modes] = [sum + (2 * l + 1) * power[l], modes + 2 * l + 1];
      expect(Math.abs(sum / modes / expected - 1)).toBeLessThan(4 * Math.sqrt(2 / modes));
    }
  });
});

it("a FITS file has blocks, keywords and big-endian pixels", () => {
  const map = Float64Array.from({ length: pixelCount(16) }, (_, i) => i - 1.5);
  const bytes = healpixFits(map, { name: "COUNTS", unit: "", about: [["NEAR", 1.5e-7, "comoving [Mpc/h]"]] });
  expect(bytes.length % 2880).toBe(0);
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, 3 * 2880));
  const card = (keyword: string) => text.match(new RegExp(`${keyword.padEnd(8)}= (.{20})`))?.[1].trim();
  expect(["NAXIS1", "NAXIS2", "TFORM1", "ORDERING", "NSIDE", "NEAR"].map(card)).toEqual([
    ...["4096", "3", "'1024E   '", "'RING    '", "16", "1.5E-7"],
  ]);
  const data = new DataView(bytes.buffer, 2 * 2880);
  expect([data.getFloat32(0), data.getFloat32(4 * 3071)]).toEqual([-1.5, 3069.5]);
});
