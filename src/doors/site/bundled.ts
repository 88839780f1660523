/** How the page shows the decks of scenarios/. The build counts particles and fails where an entry fits no deck. */
import type { BundledDeck, DeckCamera, DeckLook } from "./decks.ts";
import type { Entries } from "./overrides.ts";

export interface DeckEntry extends Pick<BundledDeck, "name" | "group" | "line" | "small" | "look"> {
  /** What is set for a run in the tab; the whole deck where it is left out. */
  gentle?: Entries;
  /** Face-on to the whole box where it is left out. */
  camera?: Partial<DeckCamera>;
}

/** How most decks with stars look best. */
const STARS: DeckLook = { smoothing: 4, decades: 3 };

type OfGroup = Omit<DeckEntry, "name" | "group" | "small" | "look"> & Partial<Pick<DeckEntry, "small" | "look">>;
const group = (name: string, decks: Readonly<Record<string, OfGroup>>): DeckEntry[] =>
  Object.entries(decks).map(([deck, shown]) => ({ name: deck, group: name, small: {}, look: STARS, ...shown }));

const counts = (byComponent: Readonly<Record<string, number>>): Entries =>
  Object.fromEntries(Object.entries(byComponent).map(([name, count]) => [`particles.${name}.count`, count]));

/** Levels of two cells in one of the mesh that they lie in, as small as they can be, without substeps. */
const smallLevels = (count: number): Entries => {
  const small = Object.entries({ refinement: 2, cells: 48, substeps: 1 });
  const levels = Array.from({ length: count }, (_, l) => small.map(([key, value]) => [`level.${l}.${key}`, value]));
  return Object.fromEntries(levels.flat());
};

export const SHOWN: readonly DeckEntry[] = [
  ...group("Galaxies", {
    spiral: {
      line: "Noise swings up into many arms, then a few strong ones, then a bar.",
      gentle: { "mesh.cells": 64, "particles.disk.count": 50_000 },
      small: { "mesh.cells": 32, "particles.disk.count": 6000, "time.step": 0.008 },
      camera: { share: 0.75 },
    },
    bar: {
      line: "Two arms first; from t = 0.6 a bar that turns with the disk.",
      gentle: { "mesh.cells": 64, "particles.disk.count": 40_000, "particles.halo.count": 40_000 },
      small: { "mesh.cells": 32, "particles.disk.count": 4000, "particles.halo.count": 4000, "time.step": 0.008 },
      camera: { share: 0.8 },
    },
    disk: {
      line: "A cold disk on its own breaks into ragged spiral arms.",
      gentle: { "particles.disk.count": 60_000 },
      small: { "mesh.cells": 32, "particles.disk.count": 6000, "time.step": 0.2 },
      camera: { share: 0.8 },
    },
    "milky-way": {
      line: "Disk, bulge and halo in balance: faint arms come and go.",
      gentle: { "mesh.cells": 64, ...counts({ disk: 50_000, bulge: 11_000, halo: 60_000 }) },
      small: {
        ...{ "mesh.cells": 32, ...counts({ disk: 4000, bulge: 1000, halo: 4000 }), "time.step": 0.004 },
        ...smallLevels(2),
      },
      camera: { elevation: 35, share: 0.8 },
    },
  }),
  ...group("Modified gravity", {
    "low-surface-brightness": {
      line: "A disk that turns at 63 km/s with no halo, in Milgrom's dynamics.",
      gentle: { "mesh.cells": 64, "particles.disk.count": 50_000 },
      small: { "mesh.cells": 32, "particles.disk.count": 6000, "time.step": 0.02 },
      camera: { elevation: 40, share: 0.6 },
    },
    "dwarf-in-host-field": {
      line: "A dwarf whose gravity is weakened by the field of its host.",
      small: { "mesh.cells": 32, "particles.dwarf.count": 5000, "time.step": 0.02 },
      camera: { share: 0.6 },
    },
  }),
  ...group("Encounters", {
    antennae: {
      line: "Two disks pass each other and fling out tails of 50 kpc.",
      gentle: {
        "mesh.cells": 64,
        ...counts({ "disk 1": 25_000, "disk 2": 25_000, "halo 1": 12_000, "halo 2": 12_000 }),
      },
      small: {
        "mesh.cells": 32,
        ...counts({ "disk 1": 2500, "disk 2": 2500, "halo 1": 1500, "halo 2": 1500 }),
        "time.step": 0.008,
        ...smallLevels(4),
      },
      ...{ camera: { share: 0.8 }, look: { smoothing: 3, decades: 3 } },
    },
    "antennae-p3m": {
      line: "The same two galaxies with pairs in place of levels.",
      small: {
        ...{ "mesh.cells": 32, "p3m.substeps": 1, "time.step": 0.008 },
        ...counts({ "disk 1": 800, "disk 2": 800, "halo 1": 400, "halo 2": 400 }),
      },
      ...{ camera: { share: 0.8 }, look: { smoothing: 3, decades: 3 } },
    },
    cartwheel: {
      line: "An intruder falls through a disk: a ring of stars runs outwards.",
      gentle: { "particles.disk.count": 6000, "particles.halo.count": 3000, "particles.intruder.count": 1800 },
      small: { ...counts({ disk: 1000, halo: 500, intruder: 300 }), "time.step": 0.015625 },
      ...{ camera: { azimuth: 20, elevation: 40, share: 0.36 }, look: { decades: 2, smoothing: 1 } },
    },
    satellite: {
      line: "A dwarf spirals into a halo that strips it as it sinks.",
      gentle: { "mesh.cells": 64, "particles.halo.count": 50_000 },
      small: { "mesh.cells": 32, "particles.halo.count": 6000, "particles.satellite.count": 1500, "time.step": 0.08 },
      ...{ camera: { share: 0.65 }, look: { quantity: "species", smoothing: 3 } },
    },
    magellanic: {
      line: "The Magellanic Cloud moves the Milky Way; a stream in its halo feels it.",
      small: { "mesh.cells": 32, "particles.stream.count": 2000, "time.step": 0.01 },
      ...{ camera: { azimuth: 60, elevation: 20, share: 0.45 }, look: { smoothing: 2 } },
    },
    "figure-eight-3": {
      line: "Three galaxies chase each other along a figure eight.",
      small: { "particles.galaxy 1.count": 500, "particles.galaxy 2.count": 500, "particles.galaxy 3.count": 500 },
      ...{ camera: { share: 0.55 }, look: { decades: 2.5, smoothing: 1 } },
    },
    "figure-eight-4": {
      line: "Four galaxies part into two pairs that swing past each other.",
      small: { ...counts({ "galaxy 1": 400, "galaxy 2": 400, "galaxy 3": 400, "galaxy 4": 400 }) },
      ...{ camera: { share: 0.5 }, look: { decades: 2.5, smoothing: 1 } },
    },
  }),
  ...group("The cosmic web", {
    lcdm: {
      line: "From a nearly even start to filaments, voids and haloes, up to today.",
      gentle: { "mesh.cells": 96, "particles.dark matter.perSide": 48 },
      small: { "mesh.cells": 32, "particles.dark matter.perSide": 16 },
      ...{ camera: { share: 0.72 }, look: { decades: 1.75, smoothing: 3 } },
    },
    "lcdm-p3m": {
      line: "Haloes with their insides: the mesh with near pairs of particles.",
      gentle: { "particles.0.perSide": 24, "p3m.softening": 0.035 },
      small: { "particles.0.perSide": 16, "p3m.softening": 0.052, "p3m.substeps": 2 },
      ...{ camera: { share: 0.72 }, look: { decades: 1.75, smoothing: 3 } },
    },
    "lcdm-paired": {
      line: "One of two universes: voids where its partner has clusters.",
      gentle: { "mesh.cells": 96, "particles.0.perSide": 48 },
      small: { "mesh.cells": 32, "particles.0.perSide": 16 },
      ...{ camera: { share: 0.72 }, look: { decades: 1.75, smoothing: 3 } },
    },
    lightcone: {
      line: "A large box, whose past an observer in its middle sees on the sky.",
      gentle: { "mesh.cells": 96, "particles.0.perSide": 48 },
      small: { "mesh.cells": 32, "particles.0.perSide": 16 },
      ...{ camera: { share: 0.72 }, look: { decades: 1.75, smoothing: 3 } },
    },
    "einstein-de-sitter": {
      line: "Matter alone: structure grows in step with the universe.",
      gentle: { "mesh.cells": 96, "particles.0.perSide": 48 },
      small: { "mesh.cells": 32, "particles.0.perSide": 16 },
      ...{ camera: { share: 0.72 }, look: { decades: 1.75, smoothing: 3 } },
    },
    "plane-wave": {
      line: "A single wave steepens until its crest falls in on itself.",
      gentle: { "mesh.cells": 64, "particles.0.perSide": 32 },
      small: { "mesh.cells": 32, "particles.0.perSide": 16 },
      ...{ camera: { azimuth: 20, elevation: 20, share: 0.9 }, look: { decades: 2, smoothing: 3 } },
    },
    uniform: {
      line: "Random noise gathers into filaments and a few clumps.",
      gentle: { "particles.uniform.count": 100_000 },
      small: { "mesh.cells": 32, "particles.uniform.count": 8000, "time.step": 0.02 },
      ...{ camera: { share: 0.72 }, look: { decades: 2.5, smoothing: 4 } },
    },
  }),
  ...group("Spheres, clusters, orbits", {
    plummer: {
      line: "A sphere of stars in balance: nothing moves but the stars.",
      gentle: { "particles.plummer.count": 60_000 },
      small: { "mesh.cells": 32, "particles.plummer.count": 8000, "time.step": 0.04 },
      camera: { elevation: 20, share: 0.6 },
    },
    "radial-orbit": {
      line: "Too many radial orbits: the round sphere turns into a bar.",
      gentle: { "particles.isochrone.count": 50_000 },
      small: { "mesh.cells": 32, "particles.isochrone.count": 6000, "time.step": 0.8 },
      ...{ camera: { elevation: 0, share: 0.5 }, look: { decades: 3, smoothing: 3 } },
    },
    "cold-collapse": {
      line: "A sphere at rest falls together and bounces.",
      gentle: { "mesh.cells": 64, "particles.uniform-sphere.count": 20_000 },
      small: { "mesh.cells": 32, "time.step": 0.01 },
      camera: { elevation: 20, share: 0.4 },
    },
    "plummer-hermite": {
      line: "A star cluster in which every star keeps its own time.",
      small: { "particles.plummer.count": 256 },
      ...{ camera: { elevation: 20, share: 0.4 }, look: { smoothing: 1, decades: 2 } },
    },
    "random-100k": {
      line: "A cold cube of stars begins to fall together.",
      gentle: { "particles.uniform.count": 10_000 },
      small: { "particles.uniform.count": 1500 },
      ...{ camera: { azimuth: 30, elevation: 30, share: 0.8 }, look: { decades: 1.5, smoothing: 2 } },
    },
    kepler: {
      line: "Two bodies, ten closed orbits: how exact is exact?",
      ...{ camera: { share: 0.5 }, look: { smoothing: 0.3, decades: 1 } },
    },
  }),
];
