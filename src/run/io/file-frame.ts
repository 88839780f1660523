/**
 * What a file's header says of the frame of its numbers, and what it leaves out: the one place that decides whether a box
 * expands and which number is its scale factor. 0 is what GADGET-2 and generators of initial conditions write for what
 * they don't say (io_header in GADGET-2's allvars.h).
 */
import { GravmeshError } from "../../foundation/base/errors.ts";
import type { SnapshotSet } from "./column.ts";
import { type ParameterValue, sideOf, UNIT_NAMES } from "./gadget.ts";

type Attributes = Readonly<Record<string, ParameterValue>>;

/** Time and redshift agree to this, and so near to a = 1 comoving and physical numbers are the same. */
const SAME_TIME = 1e-3;
/** Redshifts below are 0 that was rounded. */
const ROUNDING = 1e-6;
/** Codes round their units and densities; within this they are the same. */
const SAME_VALUE = 2e-3;

export const isSet = (value: ParameterValue | undefined): value is number => typeof value === "number" && value !== 0;
const agree = (one: number, other: number) => Math.abs(one / other - 1) < SAME_TIME;
/** a = 1, as far as units are concerned. */
export const isToday = (a = Number.NaN): boolean => agree(a, 1);
/** So near to a = 1 all conventions of velocities are one. */
export const isOne = (a: number): boolean => Math.abs(a - 1) < ROUNDING;

export interface FileFrame {
  /** Whether the box expands; undefined where nothing decides. */
  comoving: boolean | undefined;
  /** Scale factor, if it does; undefined where nothing tells. */
  a: number | undefined;
  /** Contradictions, and how they were decided. */
  notes: string[];
}

/** `said`: what the user says of the file, which counts more than its header; `start`: scale factor of the deck. */
export function frameOf(
  attributes: Attributes,
  time: number | undefined,
  said: { comoving?: boolean | undefined; start?: number | undefined } = {},
): FileFrame {
  const { ComovingIntegrationOn: on, Redshift: redshift } = attributes;
  const z = isSet(redshift) && Math.abs(redshift) >= ROUNDING ? redshift : 0;
  const ofTime = time !== undefined && time > 0 ? time : undefined;
  const ofRedshift = typeof redshift === "number" && (z !== 0 || ofTime) ? 1 / (1 + z) : undefined;
  const differ = ofTime !== undefined && ofRedshift !== undefined && !agree(ofTime, ofRedshift);
  const told = typeof on === "number" ? on !== 0 : z !== 0 && !differ ? true : undefined;
  const comoving = said.comoving ?? told;
  const { start = Number.NaN } = said;
  const [right] = [ofTime, ofRedshift].filter((a) => a !== undefined && agree(a, start));
  // A redshift of 0 before a = 1 isn't set; a time after it is an age.
  const likely = z !== 0 || (ofTime ?? 0) > 1 ? ofRedshift : ofTime;
  const a = (differ ? (right ?? likely) : (ofTime ?? ofRedshift)) ?? said.start;
  const notes: string[] = [];
  if (comoving !== false && differ && a !== undefined && (z !== 0 || a !== ofTime)) {
    notes.push(`it has Time = ${time} and Redshift = ${redshift}, which is a = ${ofRedshift}: a = ${a} is taken`);
  } else if (comoving && a !== undefined && ofTime === undefined && ofRedshift === undefined) {
    notes.push(`it has neither time nor redshift: a = ${a} is taken, as time.start says`);
  }
  if (said.comoving !== undefined && told !== undefined && said.comoving !== told) {
    const by = typeof on === "number" ? `ComovingIntegrationOn = ${on}` : `Time = ${time} and Redshift = ${redshift}`;
    const taken = said.comoving ? "expanding, as velocities or header says" : "not expanding, as units or header says";
    notes.push(`its header is of a box that ${told ? "expands" : "doesn't expand"} (${by}): it is taken for ${taken}`);
  }
  return { comoving, a, notes };
}

/** The redshift of a scale factor: the header's own where it is that. */
export function redshiftOf({ Redshift: z }: Attributes, a: number): number {
  return typeof z === "number" && agree(a, 1 / (1 + z)) ? z : 1 / a - 1;
}

/** Numbers of both groups of a snapshot in HDF5, /Header and /Parameters. */
const SHARED = ["BoxSize", "Omega0", "OmegaLambda", "HubbleParam", ...UNIT_NAMES];

/**
 * What /Header and /Parameters say together. Throws "input" where they contradict each other; `overruled`: names for
 * which the user's word counts.
 */
export function attributesOf(
  { name: file, header, parameters }: Pick<SnapshotSet, "name" | "header" | "parameters">,
  overruled: (name: string) => boolean,
): Attributes {
  const all: Record<string, ParameterValue> = { ...header, ...parameters };
  for (const name of SHARED) {
    const [one, other] = [header, parameters].map((group) => (name === "BoxSize" ? sideOf(group) : group[name]));
    if (!isSet(other) && isSet(one)) all[name] = header[name];
    if (overruled(name) || !isSet(one) || !isSet(other) || Math.abs(one / other - 1) < SAME_VALUE) continue;
    const key = name.startsWith("Unit") ? "units" : 'header = "deck"';
    const found = `Header/${name} is ${one}, Parameters/${name} ${other}`;
    throw new GravmeshError(
      "input",
      `${file}: ${found}. Correct the wrong one, or say beside file what is right: ${key}.`,
    );
  }
  return all;
}
