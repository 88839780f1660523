/** External potentials for tests: every kind that ships, and what they may do beside. */
import type { ExternalPotential } from "../../src/physics/potentials/potential.ts";

/** Parameters of every kind; several where a formula has branches. */
export const PARAMETERS: [kind: string, parameters: Record<string, number>][] = [
  ["point-mass", { mass: 3, softening: 0 }],
  ["point-mass", { mass: 3, softening: 0.4 }],
  ["plummer", { mass: 3, scale: 0.75 }],
  ["hernquist", { mass: 3, scale: 0.75 }],
  ["isochrone", { mass: 3, scale: 0.75 }],
  ["nfw", { mass: 3, scale: 0.75 }],
  ["nfw", { mass: 3, scale: 12 }],
  ["dehnen", { mass: 3, scale: 0.75, gamma: 0 }],
  ["dehnen", { mass: 3, scale: 0.75, gamma: 1.5 }],
  ["dehnen", { mass: 3, scale: 0.75, gamma: 2 }],
  ["dehnen", { mass: 3, scale: 0.75, gamma: 2.5 }],
  ["power-law-cutoff", { mass: 3, alpha: 1.8, cutoff: 0.6 }],
  ["power-law-cutoff", { mass: 3, alpha: 0, cutoff: 3 }],
  ["power-law-cutoff", { mass: 3, alpha: 2, cutoff: 3 }],
  ["power-law-cutoff", { mass: 3, alpha: 2.4, cutoff: 1.3 }],
  ["miyamoto-nagai", { mass: 3, scaleLength: 0.75, scaleHeight: 0.2 }],
  ["logarithmic", { speed: 1.5, core: 0.3, flattening: 0.8, elongation: 0.7 }],
  ["dehnen-bar", { strength: 0.3, speed: 1.5, reference: 2, radius: 0.8 }],
  ["dehnen-bar", { strength: 0.3, speed: 1.5, reference: 2, radius: 4 }],
  ["long-murali-bar", { mass: 3, halfLength: 0.4, width: 0.1, height: 0.2 }],
  ["long-murali-bar", { mass: 3, halfLength: 4, width: 0.1, height: 0.2 }],
  ["shell", { mass: 3, inner: 0, outer: 1.5, innerSlope: 0, outerSlope: 3 }],
  ["shell", { mass: 3, inner: 0, outer: 40, innerSlope: 0, outerSlope: 0.4 }],
  ["shell", { mass: 3, inner: 0.6, outer: 2.5, innerSlope: 1.2, outerSlope: 0.5 }],
  ["uniform-field", { gx: 0.1, gy: -0.2, gz: 0.3 }],
];

/** MWPotential2014, R₀ = 8 kpc, v₀ = 220 km/s: places [kpc] with the acceleration of another code, ten digits [(km/s)²/kpc]. */
export const MILKY_WAY = [
  { x: [8, 0, 0], acceleration: [-6050, 0, 0] },
  { x: [4, 3, 1], acceleration: [-6984.863107, -5238.64733, -4937.521172] },
  { x: [1, 0, 0.5], acceleration: [-15984.89217, 0, -23022.0714] },
];

/** What a potential may do beside. */
export const CHANGES: [name: string, changes: Partial<ExternalPotential>][] = [
  ["at rest", {}],
  ["turning", { turn: { speed: 1.3, phase: 0.4 } }],
  ["growing", { grow: [-1, 2] }],
  ["decaying", { decay: [-1, 0.7], grow: [-3, 1] }],
  [
    "moving",
    {
      path: {
        times: [-2, -1, -0.4, 1, 3],
        points: [
          [0, 0, 0],
          [0.1, 0.2, 0],
          [0.3, 0, -0.1],
          [0.2, 0.1, 0],
          [0, 0, 0.3],
        ],
      },
    },
  ],
  [
    "accelerated",
    {
      acceleration: {
        times: [-1, 0.3, 1],
        points: [
          [0.3, 0, 0.1],
          [0, -0.2, 0],
          [0.1, 0.1, 0.4],
        ],
      },
    },
  ],
  [
    "all at once",
    {
      turn: { speed: -0.8, phase: 2 },
      grow: [-1, 2],
      decay: [-0.5, 3],
      path: {
        times: [-1, 1],
        points: [
          [0, 0, 0],
          [0.2, -0.1, 0.3],
        ],
      },
    },
  ],
];
