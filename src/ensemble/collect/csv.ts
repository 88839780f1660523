/** ensemble.csv: a row a member, below a line that names the units. */
import { csvText } from "../../io/csv.ts";
import type { Final, Parameter } from "./finals.ts";
import type { CollectedMember } from "./members.ts";
import { notCounted } from "./words.ts";

export function ensembleCsv(
  members: readonly CollectedMember[],
  parameters: readonly Parameter[],
  finals: readonly Final[],
): string {
  const heads = [
    ...["index", "state", "folder", "counted"],
    ...parameters.map(({ key }) => key),
    ...finals.map(({ name }) => name),
    "message",
  ];
  const rows = members.map((member, i) => [
    ...[member.index, member.state, member.folder, Number(member.counted)],
    ...parameters.map(({ values }) => (typeof values[i] === "boolean" ? String(values[i]) : values[i])),
    ...finals.map(({ values }) => values[i]),
    notCounted(member),
  ]);
  const units = finals.filter(({ unit }) => unit !== "").map(({ name, unit }) => `${name} in ${unit}`);
  return csvText(heads, rows, `units: ${units.join("; ")}`);
}
