/** What a mesh makes of a lattice's power, and what a deck says of it. */
import { describe, expect, it } from "vitest";
import { meanOverModes, modeBins } from "../../src/engine/diagnostics/power-spectrum-bins.ts";
import { powerSpectrum } from "../../src/engine/reference/diagnostics/power-spectrum.ts";
import { rightWavenumbers } from "../../src/scenario/box-power.ts";
import { completeScenario } from "../../src/scenario/parse.ts";
import { scenarioNotes, scenarioWarnings } from "../../src/scenario/remarks.ts";
import type { Deck } from "../../src/scenario/scenario.ts";
import { Simulation } from "../../src/scenario/simulation/simulation.ts";
import { useGpu } from "../support/gpu.ts";

const gpu = useGpu();

function deck({ perSide, cells, size = 50, ...mesh }: Record<string, unknown> & { perSide: number; cells: number }) {
  return completeScenario({
    title: "a box",
    units: { system: "cosmological" },
    box: { size, boundary: "periodic" },
    mesh: { cells, assignment: "tsc", ...mesh },
    particles: [{ kind: "lattice", perSide, fixedAmplitudes: true }],
    time: { clock: "comoving", start: 0.02, end: 0.25, step: 0.02 },
    output: { snapshots: 1 },
  } as unknown as Deck);
}

describe("the spectral gradient", () => {
  it.each(["webgpu", "cpu"] as const)(
    "makes too much of a lattice's growth on finer cells, %s, and is warned of",
    async (backend) => {
      const [spectral, differences] = ["spectral", "4-point"].map((gradient) =>
        deck({ perSide: 16, cells: 32, size: 50, gradient }),
      );
      const powers: Float64Array[] = [];
      for (const scenario of [spectral, differences]) {
        const simulation = await Simulation.create(scenario, backend === "cpu" ? { backend } : { gpu: gpu() });
        await simulation.advance();
        powers.push((await simulation.powerSpectrum()).power);
        simulation.destroy();
      }
      // Half of the particles' Nyquist wavenumber.
      expect(powers[0][3] / powers[1][3]).toBeGreaterThan(1.25);
      expect(scenarioWarnings(spectral)).toEqual([
        expect.stringMatching(/spectral" rings .* Try mesh\.gradient = "4-point"/),
      ]);
      expect(scenarioWarnings(differences)).toEqual([]);
      expect(scenarioWarnings(deck({ perSide: 16, cells: 16, gradient: "spectral" }))).toEqual([]);
    },
  );
});

describe("the wavenumbers up to which a box is right", () => {
  // Power over that of GADGET-4 from the same start at z = 0, 64³ particles in (50 Mpc/h)³, by k [h/Mpc].
  it.each([
    [
      64,
      [
        [0.178, 0.992],
        [0.302, 0.978],
        [0.429, 0.954],
        [0.687, 0.923],
        [0.886, 0.878],
      ],
    ],
    [
      128,
      [
        [0.302, 0.994],
        [0.429, 0.988],
        [0.687, 0.975],
        [0.886, 0.96],
        [1.33, 0.917],
        [1.96, 0.828],
      ],
    ],
  ] as const)("agree with GADGET-4, %i³ cells", (cells, measured) => {
    const [one, ten] = rightWavenumbers(deck({ perSide: 64, cells }))!.nonlinear;
    const at = (k: number) => {
      const next = measured.findIndex(([other]) => other > k);
      const [[a, low], [b, high]] = [measured[next - 1], measured[next]];
      return low + ((high - low) * (k - a)) / (b - a);
    };
    expect(Math.abs(at(one) - 0.99)).toBeLessThan(0.003);
    expect(Math.abs(at(ten) - 0.9)).toBeLessThan(0.015);
  });

  it("are told with the deck, lower where a lattice has no cells to spare", () => {
    const notes = (cells: number) => scenarioNotes(deck({ perSide: 64, cells }));
    expect(notes(64)).toEqual([
      expect.stringMatching(/to 10 % up to 0\.\d+ .* while it is linear only .*: try mesh\.cells = 128$/),
    ]);
    expect(notes(128)).toEqual([
      expect.stringMatching(/^with cells of 0\.391 Mpc\/h power is right to 1 % .* is nonlinear$/),
    ]);
    expect(scenarioNotes(deck({ perSide: 64, cells: 64, poisson: "multigrid" }))).toEqual([]);
  });
});

it("averages theory over the modes of a bin, as k is", () => {
  const [cells, boxSize] = [16, 3];
  const particle = { positions: new Float64Array(3), masses: new Float64Array([1]), boxSize, cells };
  const shells = powerSpectrum({ ...particle, assignment: "cic", interlaced: false });
  meanOverModes(shells, boxSize, (k) => k).forEach((mean, bin) => {
    expect(mean).toBeCloseTo(shells.k[bin], 12);
  });
  const bins = modeBins({ cells, assignment: "cic", interlaced: false, bins: { kind: "logarithmic", perDecade: 6 } });
  meanOverModes({ ...bins, nyquist: cells / 2 }, 2 * Math.PI, (k) => k).forEach((mean, bin) => {
    expect(mean).toBeCloseTo(bins.k[bin], 12);
  });
});
