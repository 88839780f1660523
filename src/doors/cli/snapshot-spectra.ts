/** `gravmesh spectra`: power, and the statistics of the deck's table [spectra], of a snapshot or between two. */
import { basename, join, parse } from "node:path";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { unitSystem } from "../../foundation/deck/units.ts";
import { Background } from "../../physics/cosmology/background.ts";
import { type ParticleSource, withMasses } from "../../physics/particles/source.ts";
import {
  type ClusteringSource,
  crossTable,
  measuredStatistics,
  modesOfParticles,
  powerTable,
  type StatisticTable,
  statisticCsv,
  statisticName,
} from "../../run/clustering.ts";
import type { WarningEvent } from "../../run/events.ts";
import { EXIT } from "../../run/failure.ts";
import { makeFolders, writeFileAtomic } from "../../run/io/files.node.ts";
import { openSnapshot } from "../../run/io/snapshot.node.ts";
import { duration, grouped } from "../../run/page/numbers.ts";
import { namesIn, someOf } from "../../run/results.ts";
import { problemsOf } from "../../scenario/problems.ts";
import { type SpectraSettings, spectraProblems, spectraTable } from "../../scenario/spectra.ts";
import { colours } from "./colours.ts";
import type { Words } from "./display.ts";
import { type Flags, session } from "./session.ts";

type SpectraEvent =
  | { event: "end"; folder: string; files: string[]; particles: number; seconds: number }
  | WarningEvent;

/** Every event, for docs/summary.md. */
export const SPECTRA_EVENTS: Record<SpectraEvent["event"], string> = {
  warning: "something to know: `message`",
  end: "the files are there: `folder`, `files`, `particles`, `seconds`",
};

interface SpectraOptions extends Flags, Partial<SpectraSettings> {
  out?: string;
  force?: boolean;
}

const DEFAULT_CELLS = 128;

const words: Words<SpectraEvent> = {
  live: {},
  lasting: {
    end: ({ folder, files, particles, seconds }) =>
      `${colours.bold(folder)}: ${files.join(", ")} of ${grouped(particles)} particles, ${duration(seconds)}`,
  },
  stopping: ", nothing is written.",
};

type Measured = ClusteringSource & { particles: number; length: string };

/** Throws "input" for a file without a periodic box, or of an expanding one without a background. */
async function opened(file: string, settings: SpectraSettings): Promise<Measured> {
  const told = await openSnapshot(file);
  const comoving = told.comoving === true;
  const units = comoving ? ("cosmological" as const) : undefined;
  const source = units ? await openSnapshot(file, { units, comoving }) : told;
  const { boxSize, time, components, count, cosmology, every } = source;
  const fault = (expected: string) => new GravmeshError("input", `${file}: ${expected}`);
  if (!(boxSize > 0)) throw fault("expected the side of a periodic box in its header, found none.");
  if (every > 1) throw fault(`this is a subsample, every ${every}th particle: expected a whole snapshot.`);
  const { omegaM, darkEnergy, h } = cosmology;
  if (comoving && settings.multipoles !== "none" && !(omegaM !== undefined && h !== undefined)) {
    throw fault("its header has no background (Omega0, HubbleParam), which redshifts need.");
  }
  const known = comoving && omegaM !== undefined && h !== undefined;
  const background = known && new Background({ omegaM, h, darkEnergy: darkEnergy ?? "flat" });
  return {
    ...{ settings, boxSize, time, components, particles: count },
    blocks: () => withMasses((source as ParticleSource).blocks(), source.masses.weights),
    hubble: background ? background.hubble(time) : undefined,
    length: units ? unitSystem(units).labels.length : "length",
  };
}

/** Throws "usage" as a deck's table would. */
function settingsOf(
  options: SpectraOptions,
  { boxSize, hubble }: Pick<Measured, "boxSize" | "hubble">,
): SpectraSettings {
  const keys = Object.keys(spectraTable.shape) as (keyof SpectraSettings)[];
  const given = Object.fromEntries(keys.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])));
  const deck = { spectra: { cells: DEFAULT_CELLS, ...given } };
  const parsed = spectraTable.safeParse(deck.spectra);
  const problems = parsed.success
    ? spectraProblems({
        ...{ spectra: parsed.data, box: { size: boxSize, boundary: "periodic" }, particles: [{ kind: "snapshot" }] },
        time: { clock: hubble === undefined ? "static" : "comoving" },
      })
    : problemsOf(
        parsed.error.issues.map((issue) => ({ ...issue, path: ["spectra", ...issue.path] })),
        deck,
      );
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new GravmeshError("usage", problems.map(({ message }) => message).join("\n"));
}

export function spectraCommand(file: string, other: string | undefined, options: SpectraOptions): Promise<number> {
  const { json, quiet, force = false, out = join("results", `spectra-${parse(file).name}`) } = options;
  return session({ json, quiet }, words, async (watch, signal) => {
    const began = performance.now();
    const held = namesIn(out).filter((name) => /^(power|multipoles|cross|bispectrum|correlation)_\d+\.csv$/.test(name));
    if (held.length > 0 && !force) {
      throw new GravmeshError(
        "usage",
        `${out} holds ${someOf(held)}: replace them with --force, or choose another --out.`,
      );
    }
    const about = await opened(file, spectraTable.parse({ cells: DEFAULT_CELLS, multipoles: options.multipoles }));
    const settings = settingsOf(options, about);
    const source = { ...about, settings };
    const modes = await modesOfParticles(source);
    const tables: Record<string, StatisticTable> = {
      power: powerTable(source, modes),
      ...(await measuredStatistics(source)),
    };
    let { particles } = about;
    if (other !== undefined) {
      const second = await opened(other, settings);
      if (Math.abs(second.boxSize / about.boxSize - 1) > 1e-6) {
        throw new GravmeshError(
          "input",
          `${other}: expected a box of side ${about.boxSize} as in ${file}, found ${second.boxSize}.`,
        );
      }
      if (settings.cross)
        throw new GravmeshError("usage", "--cross is of one file, and OTHER is given: leave one of them out.");
      particles += second.particles;
      tables.cross = crossTable(source, [
        { name: basename(file), modes },
        { name: basename(other), modes: await modesOfParticles(second) },
      ]);
    }
    if (signal.aborted) throw new GravmeshError("aborted", "stopped; nothing is written.");
    makeFolders(out);
    const files = Object.entries(tables).map(([name, table]) => {
      writeFileAtomic(join(out, statisticName(name, 0)), statisticCsv(table, about.time, about.length));
      return statisticName(name, 0);
    });
    watch({ event: "end", folder: out, files, particles, seconds: (performance.now() - began) / 1000 });
    return EXIT.success;
  });
}
