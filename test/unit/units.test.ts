import { describe, expect, it } from "vitest";
import { NEWTON_G, PARSEC, unitSystem, unitSystems } from "../../src/foundation/deck/units.ts";

const GADGET_SYSTEMS = unitSystems.map((system) => [system.name, system] as const);

describe("unit systems", () => {
  it("have the gravitational constants of the literature", () => {
    expect(unitSystem("nbody").G).toBe(1);
    // 4.30091e-3 pc (km/s)² / Msun
    expect(unitSystem("galactic").G).toBeCloseTo(43009.17, 2);
    expect(unitSystem("cosmological").G).toBeCloseTo(43.00917, 5);
    expect(PARSEC / 3.085677581491367e16).toBeCloseTo(1, 14);
    expect(unitSystem("galactic").timeInGyr).toBeCloseTo(0.977792, 6);
  });

  it.each(GADGET_SYSTEMS)("%s: the snapshot's units with CODATA's G give the same G", (_, { G, snapshot }) => {
    const { UnitLength_in_cm: L, UnitMass_in_g: M, UnitVelocity_in_cm_per_s: V } = snapshot;
    const inFileUnits = (NEWTON_G * 1e3 * M) / (L * V * V);
    expect(inFileUnits / (G * snapshot.lengthFactor)).toBeCloseTo(1, 12);
  });

  it("write what yt assumes", () => {
    for (const name of ["galactic", "cosmological"] as const) {
      const { snapshot } = unitSystem(name);
      expect(snapshot.UnitLength_in_cm).toBeCloseTo(3.0856775814913673e21, -8);
      expect(snapshot.UnitMass_in_g / 1.98841e43).toBeCloseTo(1, 5);
      expect(snapshot.UnitVelocity_in_cm_per_s).toBe(1e5);
    }
    expect(unitSystem("cosmological").snapshot.lengthFactor).toBe(1000);
  });
});
