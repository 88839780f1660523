/**
 * What an ensemble has come to, at its end or while it runs: ensemble.html, ensemble.csv and ensemble.hdf5, each replaced as
 * a whole. They are made of the members' files alone, so that collecting again gives the same where no member has changed.
 */
import { join } from "node:path";
import { unitSystem } from "../../../foundation/deck/units.ts";
import { csvText } from "../../../run/io/csv.ts";
import { removeDeadParts, writeFileAtomic } from "../../../run/io/files.node.ts";
import { SCALE_FACTOR } from "../../../run/page/units.ts";
import { readEnsemble } from "../ensemble.ts";
import { type Final, finalsOf, type Parameter, parametersOf } from "./finals.ts";
import { writeEnsembleHdf5 } from "./hdf5.ts";
import { type CollectedMember, notCounted, readMembers, sharedOf } from "./members.ts";
import { ensembleHtml } from "./page.ts";

const COLLECTED_FILES = { html: "ensemble.html", csv: "ensemble.csv", hdf5: "ensemble.hdf5" } as const;

/** The paths of the files, and the members in order, with state, message and the files that couldn't be read. */
type Collection = Record<keyof typeof COLLECTED_FILES, string> & { members: readonly CollectedMember[] };

/** So many curves of members are drawn one by one on the page: of those that are finished, and of those on their way. */
const FEW = 8;

/** `report` is called with the present activity. Throws "usage" for a folder without an ensemble, "input", "io". */
export async function collect(folder: string, report?: (what: string) => void): Promise<Collection> {
  const ensemble = readEnsemble(folder);
  const shared = await sharedOf(folder, ensemble);
  const all = ensemble.members.length;
  const members = await readMembers(folder, ensemble, shared, (done) => report?.(`reading members, ${done} of ${all}`));
  const { labels } = unitSystem(shared.scenario?.units.system ?? "nbody");
  const units = { ...labels, ...(shared.comoving && { time: SCALE_FACTOR }) };
  const parameters = parametersOf(members);
  const finals = finalsOf(members, units);
  const done = members.filter((member) => member.counted);
  // The energy of one that failed may be anything, and would be all that there is to see.
  const others = members.filter(({ state }) => state === "running" || state === "interrupted");
  const drawn = new Set([...(done.length <= FEW ? done : []), ...others.slice(0, FEW)].map(({ index }) => index));
  const at = (file: string) => join(folder, file);
  const files = { html: at(COLLECTED_FILES.html), csv: at(COLLECTED_FILES.csv), hdf5: at(COLLECTED_FILES.hdf5) };
  removeDeadParts(folder);
  const parts = { ensemble, folder, members, shared, units, parameters, finals, drawn, report };
  const collected = await writeEnsembleHdf5(files.hdf5, parts);
  report?.("table and page");
  writeFileAtomic(files.csv, ensembleCsv(members, parameters, finals));
  writeFileAtomic(files.html, ensembleHtml({ ...parts, ...collected, files: COLLECTED_FILES }));
  return { ...files, members };
}

/** A row a member, below a line that names the units. */
function ensembleCsv(
  members: readonly CollectedMember[],
  parameters: readonly Parameter[],
  finals: readonly Final[],
): string {
  const columns = [...parameters.map(({ key }) => key), ...finals.map(({ name }) => name)];
  const heads = ["index", "state", "folder", "counted", ...columns, "message"];
  const rows = members.map((member, i) => [
    ...[member.index, member.state, member.folder, Number(member.counted)],
    ...parameters.map(({ values }) => (typeof values[i] === "boolean" ? String(values[i]) : values[i])),
    ...finals.map(({ values }) => values[i]),
    notCounted(member),
  ]);
  const units = finals.filter(({ unit }) => unit !== "").map(({ name, unit }) => `${name} in ${unit}`);
  return csvText(heads, rows, `units: ${units.join("; ")}`);
}
