/**
 * lightcone_000.hdf5 …, .fits: particles and counts of the shells of a light cone; kappa_000.fits, .csv: convergence and its power.
 * A shell is written when the cone has left it. lightcone_open_STEP.hdf5 holds the others for a run that goes on.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { bisectRight } from "d3-array";
import { angularPower, eachPixel, pixelCount, pixelOf } from "../../engine/diagnostics/healpix.ts";
import { type Crossing, LightCone } from "../../engine/diagnostics/light-cone.ts";
import { version } from "../../foundation/base/version.ts";
import { Background } from "../../physics/cosmology/background.ts";
import { LensKernel, limber, meanConvergence } from "../../physics/cosmology/lensing.ts";
import { ComovingClock } from "../../physics/cosmology/steps.ts";
import { hasLightcone, openingOf, shellEdges } from "../../scenario/lightcone.ts";
import { csvText } from "../io/csv.ts";
import { removeFile, writeFileAtomic } from "../io/files.node.ts";
import { healpixFits, UNSEEN } from "../io/healpix-fits.ts";
import { ConeRows, readArrays, writeArrays, writeShell } from "../io/light-cone.node.ts";
import type { OutputRun, OutputWriter, RunOutput } from "./output.ts";
import { linearTheory } from "./power-spectra.ts";

/** Multipoles from 2 up, a row each. */
export interface KappaRow {
  ell: number;
  power: number;
  linear: number;
  halofit: number;
  shotNoise: number;
}

export interface LightConeFigures {
  shells: { file: string; near: number; far: number; particles: number }[];
  kappa: { redshift: number; map: Float64Array; rows: KappaRow[] }[];
  /** Counts over their mean, less 1, of the shell of the middle; without nside none. */
  contrast: Float64Array | undefined;
  opening: string;
  direction: readonly [number, number, number];
  halfAngle: number;
  area: number;
}

const numbered = (stem: string, index: number, ending: string) => `${stem}_${String(index).padStart(3, "0")}.${ending}`;
const OPEN = /^lightcone_open_\d+\.hdf5$/;
const openFile = (step: number) => `lightcone_open_${step}.hdf5`;

export const lightCone: RunOutput<LightConeFigures> = {
  name: "light cone",
  meaning:
    "particles on the past light cone, HEALPix maps of counts and of the convergence, as the table lightcone says",
  files: [/^lightcone_\d{3,}\.(hdf5|fits)$/, /^kappa_\d{3,}\.(fits|csv)$/, OPEN],
  has: hasLightcone,
  needs: (_reached, _scenario, _particles, kept) => {
    const { step } = (kept ?? {}) as Kept;
    return step === undefined ? [] : [openFile(step)];
  },
  writer,
};

interface Kept {
  /** Of the file of what is under way. */
  step?: number | undefined;
  /** Particles of each shell. */
  counts?: number[];
}

/** ℓ up to which a_ℓm are summed: twice nside, and no more than this. */
const MOST_ELL = 2000;

function writer({ simulation, folder, kept, activity }: OutputRun): OutputWriter<LightConeFigures> {
  const { scenario, particleCount, masses, schedule } = simulation;
  const { lightcone: settings, box, cosmology, time, units } = scenario;
  const { nside, sources } = settings;
  const background = new Background(cosmology);
  const edges = shellEdges(scenario);
  const opening = openingOf(settings);
  const pixels = nside > 0 ? pixelCount(nside) : 0;
  const observer = settings.observer.map((x) => x + box.size / 2) as [number, number, number];
  const cone = new LightCone(
    {
      ...{ boxSize: box.size, observer, opening, farthest: edges[edges.length - 1] },
      margin: nside > 0 ? 2 / nside : 0,
    },
    new ComovingClock(background, time),
    particleCount,
  );
  const begins = 1 / (1 + settings.redshift);
  const kernels = sources.map((z) => new LensKernel(background, z));
  /** A particle's weight in maps: its mass over the mean of those that have any. */
  const weights = masses.toArray();
  const massive = weights.reduce((sum, mass) => sum + (mass > 0 ? 1 : 0), 0);
  const mean = weights.reduce((sum, mass) => sum + mass, 0) / Math.max(1, massive);
  for (const [i, mass] of weights.entries()) weights[i] = Math.fround(mass / mean);
  const density = massive / box.size ** 3;
  /** κ is of what is farther than particles from each other: one that is nearer would fill the sky. */
  const nearest = Math.max(edges[0], 1 / Math.cbrt(density));
  const perPixel = 1 / (density * ((4 * Math.PI) / pixels));
  const seen = new Uint8Array(pixels);
  if (pixels > 0) eachPixel(nside, (pixel, x, y, z) => (seen[pixel] = Number(opening.sees(x, y, z, 1))));

  const rows = edges.slice(1).map(() => new ConeRows());
  const maps: (Float64Array | undefined)[] = edges.slice(1).map(() => undefined);
  const kappa = sources.map(() => new Float64Array(pixels));
  const counts = ((kept ?? {}) as Kept).counts ?? edges.slice(1).map(() => 0);
  let opened = ((kept ?? {}) as Kept).step;
  const written = new Set<number>();
  let contrast: Float64Array | undefined;
  let following = false;
  let figures: LightConeFigures | undefined;

  const cross = ({ id, position, velocity, r, a }: Crossing): void => {
    if (!(r > 0)) return;
    const shell = bisectRight(edges, r) - 1;
    if (shell < 0 || shell >= rows.length) return;
    const [x, y, z] = position;
    if (opening.sees(x, y, z, r)) {
      counts[shell]++;
      if (settings.particles) rows[shell].add(id, position, velocity, a);
    }
    if (pixels === 0 || weights[id] === 0) return;
    const pixel = pixelOf(nside, x, y, z, r);
    if (seen[pixel] === 0) return;
    maps[shell] ??= new Float64Array(pixels);
    maps[shell][pixel] += weights[id];
    if (r < nearest) return;
    for (let k = 0; k < kernels.length; k++)
      kappa[k][pixel] += (weights[id] * perPixel * kernels[k].weight(r, a)) / (r * r);
  };

  /** Unseen pixels are marked. */
  const masked = (map: Float64Array) => map.map((value, pixel) => (seen[pixel] ? value : UNSEEN));

  const writeShells = async (a: number, all = false): Promise<void> => {
    for (let shell = edges.length - 2; shell >= 0; shell--) {
      if (written.has(shell) || !(all || cone.distance(a) <= edges[shell])) continue;
      const [near, far] = [edges[shell], edges[shell + 1]];
      if (settings.particles) {
        await writeShell(join(folder, numbered("lightcone", shell, "hdf5")), rows[shell], {
          ...{ title: scenario.title, gravmesh: version, units: units.system, BoxSize: box.size, Observer: observer },
          ...{ Opening: settings.opening, SolidAngle: opening.area, Near: near, Far: far },
          ...{ OmegaM: cosmology.omegaM, HubbleParam: cosmology.h },
        });
      }
      if (pixels > 0) {
        const map = masked(maps[shell] ?? new Float64Array(pixels));
        const card = [["NEAR", near, "comoving [Mpc/h]"] as const, ["FAR", far, "comoving [Mpc/h]"] as const];
        writeFileAtomic(
          join(folder, numbered("lightcone", shell, "fits")),
          healpixFits(map, { name: "COUNTS", unit: "", about: card }),
        );
        if (shell === Math.floor((edges.length - 1) / 2)) contrast = contrastOf(map);
      }
      if (all && cone.distance(a) > edges[shell]) continue; // may go on to a later end
      written.add(shell);
      rows[shell] = new ConeRows();
      maps[shell] = undefined;
    }
  };

  const contrastOf = (map: Float64Array): Float64Array => {
    const within = map.filter((_, pixel) => seen[pixel]);
    const average = within.reduce((sum, count) => sum + count, 0) / within.length;
    return map.map((count, pixel) => (seen[pixel] ? count / average - 1 : UNSEEN));
  };

  const follow = async (): Promise<void> => {
    following = true;
    const { time: a, step } = simulation;
    if (isNear(step)) await cone.begin(a, simulation.readBlocks({ reuse: true }));
    await simulation.watchSteps("light cone", (timeOf) => ({
      every: 1,
      onHost: async (reached, _, blocks) => {
        if (!isNear(reached)) return;
        await cone.advance(timeOf(reached), blocks!(), cross);
        await writeShells(timeOf(reached));
      },
    }));
  };

  /** κ of each source: what the particles add to a pixel less what they would on average. */
  const convergence = async (): Promise<LightConeFigures["kappa"]> => {
    const linear = kernels.length > 0 ? await linearTheory(scenario) : undefined;
    const from = Math.max(nearest, cone.distance(simulation.time));
    const lmax = Math.min(MOST_ELL, 2 * nside);
    const seenShare = seen.reduce((sum, one) => sum + one, 0) / Math.max(1, pixels);
    return kernels.map((kernel, k) => {
      activity("convergence");
      const expected = meanConvergence(kernel, from);
      const map = kappa[k].map((value) => value - expected);
      const average = map.reduce((sum, value, pixel) => sum + seen[pixel] * value, 0) / (seenShare * pixels);
      const power = angularPower(
        map.map((value, pixel) => (seen[pixel] ? value - average : 0)),
        nside,
        lmax,
      );
      const ells = Array.from({ length: lmax - 1 }, (_, i) => i + 2);
      const theory = limber(kernel, linear!, ells, { nearest: from, density });
      const rows = ells.map((ell, i) => ({
        ...{ ell, power: power[ell] / seenShare, linear: theory.linear[i], halofit: theory.halofit[i] },
        shotNoise: theory.shotNoise,
      }));
      const { redshift } = kernel;
      const cards = [["Z_SOURCE", redshift, "redshift of the sources"] as const];
      const fits = healpixFits(masked(map), { name: "KAPPA", unit: "", about: cards });
      writeFileAtomic(join(folder, numbered("kappa", k, "fits")), fits);
      const lines = rows.map((row) => Object.values(row));
      const comment = `sources at z = ${redshift}; power of the convergence over the share of the sky, ${seenShare}, shot noise not subtracted; Limber's integral of linear power and Halofit`;
      const names = ["ell", "power", "linear", "halofit", "shot_noise"];
      writeFileAtomic(join(folder, numbered("kappa", k, "csv")), csvText(names, lines, comment));
      return { redshift, map: masked(map), rows };
    });
  };

  const summarised = async (): Promise<LightConeFigures> => {
    const { direction, halfAngle } = settings;
    const shells = rows.map((_, shell) => ({
      file: numbered("lightcone", shell, settings.particles ? "hdf5" : "fits"),
      ...{ near: edges[shell], far: edges[shell + 1], particles: counts[shell] },
    }));
    return {
      ...{ shells, kappa: await convergence(), contrast },
      ...{ opening: settings.opening, direction, halfAngle, area: opening.area },
    };
  };

  /** Whether the cone begins before the next step ends, as far as that is known. */
  const isNear = (step: number) => {
    const next = schedule.edges?.[step + 1];
    return next === undefined || next > begins;
  };

  return {
    atDiagnostics: async () => {
      if (!following) await follow();
    },
    beforeSteps: async () => {
      if (opened !== undefined) {
        const arrays = await readArrays(join(folder, openFile(opened)));
        for (let shell = 0; shell < rows.length; shell++) {
          if (cone.distance(simulation.time) <= edges[shell]) written.add(shell);
          const columns = Object.fromEntries(
            [...arrays]
              .filter(([name]) => name.startsWith(`rows ${shell} `))
              .map(([name, values]) => [name.split(" ")[2], values]),
          );
          if (columns.ParticleIDs) rows[shell].columns = columns;
          maps[shell] = arrays.get(`map ${shell}`) as Float64Array | undefined;
        }
        for (const k of kappa.keys()) kappa[k].set(arrays.get(`kappa ${k}`) ?? []);
        contrast = arrays.get("contrast") as Float64Array | undefined;
      }
      await follow();
    },
    beforeCheckpoint: async () => {
      const { step } = simulation;
      const arrays: Parameters<typeof writeArrays>[1] = {};
      for (const [shell, own] of rows.entries()) {
        for (const [name, values] of Object.entries(own.columns)) arrays[`rows ${shell} ${name}`] = values;
      }
      for (const [shell, map] of maps.entries()) if (map) arrays[`map ${shell}`] = map;
      for (const [k, map] of kappa.entries()) arrays[`kappa ${k}`] = map;
      if (contrast) arrays.contrast = contrast;
      await writeArrays(join(folder, openFile(step)), arrays);
      // The last checkpoint needs its own until this one is whole.
      const needed = [opened ?? step, step].map(openFile);
      for (const name of readdirSync(folder)) {
        if (OPEN.test(name) && !needed.includes(name)) removeFile(join(folder, name));
      }
      opened = step;
    },
    keep: () => ({ step: opened, counts }) satisfies Kept,
    beforeStop: async () => {
      await writeShells(simulation.time, true);
      figures = await summarised();
    },
    summary: () => figures,
  };
}
