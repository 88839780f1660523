/** The table [lightcone]: particles, counts and convergence as an observer at a = 1 sees them. */
import { z } from "zod";
import { OPENINGS, type Opening } from "../engine/diagnostics/light-cone.ts";
import {
  choice,
  flag,
  integer,
  kindOfValue,
  nonNegative,
  numbers,
  optional,
  positive,
  vector,
} from "../foundation/deck/keys.ts";
import { mismatchIf, type Problem, shortest } from "../foundation/deck/problems.ts";
import { Background } from "../physics/cosmology/background.ts";
import type { Vector } from "../physics/particles/reductions.ts";
import type { Scenario } from "./scenario.ts";

const MOST_NSIDE = 4096;
const nside = kindOfValue(
  () => z.int().refine((n) => n === 0 || (n >= 1 && n <= MOST_NSIDE && Number.isInteger(Math.log2(n)))),
  `a power of two up to ${MOST_NSIDE}, or 0`,
  "2^k, or 0",
  { integer: true },
);
/** How often a box may be repeated in a cone, and along its line of sight. */
const [MOST_BOXES, MOST_ALONG] = [20_000, 100];

export const lightconeTable = z
  .strictObject({
    redshift: optional(nonNegative, 0, { meaning: "comoving: where the light cone begins; 0 is off" }),
    opening: optional(choice("sky", "octant", "pencil"), "sky", {
      meaning: 'the whole "sky", the "octant" of positive x, y, z, or a "pencil" about an axis',
    }),
    direction: optional(vector, [0, 0, 1], { meaning: "of the axis of a pencil" }),
    halfAngle: optional(positive, 5, { unit: "degrees", meaning: "of a pencil, from its axis to its edge" }),
    observer: optional(vector, [0, 0, 0], {
      unit: "length",
      meaning: "where the observer is, from the middle of the box",
    }),
    shells: optional(integer(1, 1000), 10, { meaning: "of equal comoving width; files and maps are by shell" }),
    redshifts: optional(numbers, [], { meaning: "edges of the shells, ascending, instead" }),
    particles: optional(flag, true, {
      meaning: "positions, velocities and scale factors at the crossing, in lightcone_000.hdf5 and so on",
    }),
    nside: optional(nside, 0, {
      meaning:
        "HEALPix maps of 12 nside² pixels of the counts of each shell, in lightcone_000.fits and so on; 0 makes none",
    }),
    sources: optional(numbers, [], {
      meaning:
        "redshifts of sources of light, for maps of their convergence, in kappa_000.fits and so on, and its power, in kappa_000.csv; they need nside",
    }),
  })
  .describe(
    "The past light cone of an observer today: particles as they cross it, HEALPix maps of counts, convergence",
  );
export type LightconeSettings = z.output<typeof lightconeTable>;

export const hasLightcone = ({ lightcone }: Pick<Scenario, "lightcone">): boolean => lightcone.redshift > 0;

export function openingOf({ opening, direction, halfAngle }: LightconeSettings): Opening {
  if (opening !== "pencil") return OPENINGS[opening]();
  const length = Math.hypot(...direction);
  return OPENINGS.pencil(direction.map((x) => x / length) as unknown as Vector, (Math.PI / 180) * halfAngle);
}

/** Edges of the shells, from the nearest [shells + 1] [length]. */
export function shellEdges({
  lightcone: { redshift, shells, redshifts },
  cosmology,
}: Pick<Scenario, "lightcone" | "cosmology">): number[] {
  const background = new Background(cosmology);
  const distance = (z: number) => background.comovingDistance(1 / (1 + z));
  if (redshifts.length > 0) return redshifts.map(distance);
  return Array.from({ length: shells + 1 }, (_, i) => (distance(redshift) * i) / shells);
}

export function lightconeProblems(scenario: Scenario): Problem[] {
  const { lightcone, time, box, cosmology } = scenario;
  if (!hasLightcone(scenario)) return [];
  const { redshift, redshifts, direction, halfAngle, opening, nside, sources, particles, observer } = lightcone;
  const at = (key: string) => ["lightcone", key];
  if (time.clock !== "comoving") return mismatchIf(true, at("redshift"), "0 without an expanding box", redshift);
  const earliest = 1 / time.start - 1;
  const ascending = redshifts.every((z, i) => i === 0 || z > redshifts[i - 1]);
  const deepest = Math.max(redshift, ...redshifts);
  const far = sources.find((z) => !(z > 0 && z <= redshift));
  const odd =
    redshifts.length > 0 &&
    !(redshifts.length > 1 && ascending && deepest === redshifts.at(-1) && deepest === redshift);
  const problems = [
    ...mismatchIf(
      redshift > earliest * (1 + 1e-9),
      at("redshift"),
      `at most ${shortest(earliest)}, where the run starts`,
      redshift,
      "Start earlier (time.start), or ask for less",
    ),
    ...mismatchIf(
      odd,
      at("redshifts"),
      `ascending edges, the last one lightcone.redshift = ${shortest(redshift)}`,
      redshifts,
    ),
    ...mismatchIf(opening === "pencil" && Math.hypot(...direction) === 0, at("direction"), "a direction", direction),
    ...mismatchIf(opening === "pencil" && halfAngle > 180, at("halfAngle"), "at most 180 degrees", halfAngle),
    ...mismatchIf(
      observer.some((x) => Math.abs(x) > box.size / 2),
      at("observer"),
      `a place in the box, ${shortest(box.size / 2)} from its middle at most`,
      observer,
    ),
    ...mismatchIf(
      sources.length > 0 && nside === 0,
      at("nside"),
      "pixels for the maps of lightcone.sources",
      nside,
      "nside = 256 has pixels of 14 arcminutes",
    ),
    ...mismatchIf(!particles && nside === 0, at("particles"), "true without maps (nside = 0)", particles),
    ...mismatchIf(
      far !== undefined,
      at("sources"),
      `redshifts above 0 and up to lightcone.redshift = ${shortest(redshift)}`,
      far,
    ),
  ];
  if (problems.length > 0) return problems;
  const distance = new Background(cosmology).comovingDistance(1 / (1 + redshift));
  const boxes = Math.round((openingOf(lightcone).area * (distance / box.size) ** 3) / 3);
  const hint = `To redshift ${shortest(redshift)} it is ${shortest(distance)} far, and box.size is ${shortest(box.size)}: ask for a smaller redshift or opening, or make the box larger`;
  return [
    ...mismatchIf(
      boxes > MOST_BOXES,
      at("redshift"),
      `a cone of at most ${MOST_BOXES} times the volume of the box`,
      boxes,
      hint,
    ),
    ...mismatchIf(
      distance > MOST_ALONG * box.size,
      at("redshift"),
      `at most ${MOST_ALONG} boxes along the line of sight`,
      Math.round(distance / box.size),
      hint,
    ),
  ];
}
