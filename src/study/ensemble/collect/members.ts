/**
 * What the members of an ensemble have come to: state, times and last row of each of their tables, haloes; what can't be
 * read is named by file, and everything else of that member is taken.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { unitSystem } from "../../../foundation/deck/units.ts";
import { loadExtensions } from "../../../run/extensions.ts";
import { messageOf } from "../../../run/failure.ts";
import { breathe } from "../../../run/io/hdf5.node.ts";
import { DECK_FILE } from "../../../run/outputs/deck.ts";
import { deckTextIn } from "../../../run/scenario-source.ts";
import { type ConservedQuantity, keptBy } from "../../../scenario/conserved.ts";
import { expectationOf } from "../../../scenario/expectation.ts";
import { parseScenario } from "../../../scenario/parse.ts";
import type { Scenario } from "../../../scenario/scenario.ts";
import { type Ensemble, type Member, memberFolder } from "../ensemble.ts";
import { type MemberStatus, memberStatus } from "../member-state.ts";
import { haloesByMass } from "./mass-function.ts";
import { type MomentumOf, numbersIn, readTable, TABLES, type TableName } from "./tables.ts";

export interface TableSketch {
  names: readonly string[];
  /** [rows] [time] */
  times: Float64Array;
  /** The numbers of the last row, as `names`; none of a table without rows. */
  last: readonly number[];
}

export interface CollectedMember extends Member, MemberStatus {
  /** Finished: it is in the statistics. The others are listed, and their curves kept as far as they are. */
  counted: boolean;
  /** Messages about files that are there but can't be read; nothing of these files is taken. */
  faults: string[];
  tables: Partial<Record<TableName, TableSketch>>;
  /** `byMass`: how many in each bin of the mass function; `side` of the box [length], of the heaviest its mass [mass]. */
  haloes?: { count: number; heaviest: number; byMass: ReadonlyMap<number, number>; side: number };
}

/** In one line: why it failed, and files that couldn't be read; "" where there is nothing to say. */
export function notCounted({ message = "", faults }: Pick<CollectedMember, "message" | "faults">): string {
  return [message, ...new Set(faults)].filter(Boolean).join(" ").replace(/\s+/g, " ");
}

export type Shared = Awaited<ReturnType<typeof sharedOf>>;

export async function sharedOf(folder: string, ensemble: Ensemble) {
  const failure = await loadExtensions(ensemble.extensions).then(() => "", messageOf);
  const { scenario, begun, expect } = decksOf(folder, ensemble);
  const unread = begun && !scenario ? "No member's deck can be read, so that units have no names. " : "";
  const { G } = unitSystem(scenario?.units.system ?? "nbody");
  const comoving = scenario?.time.clock === "comoving";
  const side = ({ values }: Pick<Member, "values">) => Number(values["box.size"] ?? scenario?.box.size);
  const kept: ConservedQuantity = scenario ? keptBy(scenario) : { conserved: "energy", field: "none" };
  return {
    /** As run by the first member whose deck can be read; undefined where there is none yet. */
    scenario,
    ...{ comoving, ...kept, side },
    /** The deck's own expectation, where every member has run as the deck says; "" otherwise. */
    expect,
    /** A remark on the deck; "" without one. */
    notice: `${unread}${failure}`.trim(),
    momentum({ summary, values }: Pick<CollectedMember, "summary" | "values">): MomentumOf {
      return { mass: summary?.mass ?? undefined, comoving, boxPotential: G / side({ values }) };
    },
  };
}

/** The first deck that can be read, and what all expect, read until that is settled; `begun`: some member has a deck. */
function decksOf(folder: string, { members }: Ensemble) {
  let scenario: Scenario | undefined;
  let begun = false;
  let expect: string | undefined;
  for (const member of members) {
    const own = memberFolder(folder, member);
    const deck = deckIn(own);
    begun ||= deck !== undefined;
    const read = deck === "damaged" ? undefined : deck;
    // One of a member that was killed early, or damaged: the next one has the same units.
    scenario ??= read;
    const ended = memberStatus(own).state === "finished";
    const expected = read && ended ? expectationOf(read, read.time.end) : "";
    expect = expected === "" ? "" : (expect ?? expected);
    if (scenario && expect === "") break;
  }
  return { scenario, begun, expect: expect ?? "" };
}

function deckIn(folder: string): Scenario | "damaged" | undefined {
  const file = join(folder, DECK_FILE);
  if (!existsSync(file)) return undefined;
  try {
    return parseScenario(deckTextIn(file), { file });
  } catch {
    return "damaged";
  }
}

/** Reads all members in turn; `report` is called with how many are done. */
export async function readMembers(
  folder: string,
  { members }: Ensemble,
  shared: Shared,
  report?: (done: number) => void,
): Promise<CollectedMember[]> {
  const found: CollectedMember[] = [];
  for (const member of members) {
    found.push(readMember(folder, member, shared));
    report?.(found.length);
    await breathe();
  }
  return found;
}

function readMember(folder: string, member: Member, shared: Shared): CollectedMember {
  const own = memberFolder(folder, member);
  const status = memberStatus(own);
  const read: CollectedMember = { ...member, ...status, counted: status.state === "finished", faults: [], tables: {} };
  const attempt = (of: () => void) => {
    try {
      of();
    } catch (error) {
      read.faults.push(messageOf(error));
    }
  };
  for (const table of TABLES) {
    attempt(() => {
      const found = readTable(own, table, shared.momentum(read));
      if (!found) return;
      const { times, columns } = found;
      const last = times.length === 0 ? [] : Array.from(columns.values(), (column) => column[times.length - 1]);
      read.tables[table.name] = { names: [...columns.keys()], times, last };
    });
  }
  attempt(() => {
    const found = numbersIn(own, "haloes.csv");
    if (!found) return;
    const masses = found.rows.map((row) => row[found.names.indexOf("mass")]);
    // The first is the heaviest.
    const about = { count: masses.length, heaviest: masses[0] ?? Number.NaN, byMass: haloesByMass(masses) };
    read.haloes = { ...about, side: shared.side(member) };
  });
  return read;
}
