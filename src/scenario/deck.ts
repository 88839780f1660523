/** A Scenario as a deck again: complete, every key with its unit and meaning. Parsing it yields the same scenario. */
import { type Dimension, isTable, keyInfo } from "../foundation/deck/keys.ts";
import { schemaOf, tablesOf } from "../foundation/deck/kinds.ts";
import { type UnitSystem, unitSystem } from "../foundation/deck/units.ts";
import { deckOrder, headerTable, type Scenario, type Shape, sections } from "./scenario.ts";

/** Comments begin in this column where they can. */
const COMMENT_COLUMN = 34;
const HEADING = "# The complete deck as run, defaults and overrides filled in: running it repeats the run.";
const GROUPED_FROM = 10_000;

/** The complete deck as run, with units and meanings as comments. */
export function deckText(scenario: Scenario): string {
  const system = unitSystem(scenario.units.system);
  const tables = deckOrder.flatMap((section) => {
    if (typeof section === "string") {
      const about = section === "units" ? `${system.description}; G = ${system.G}` : sections[section].description;
      return `# ${about}\n[${section}]\n${tableText(scenario[section], sections[section].shape, system)}`;
    }
    const { name } = section;
    return tablesOf({ ...scenario }, name).map((table) => {
      const { description, shape } = schemaOf(section, table)!;
      return `# ${description}\n[[${name}]]\n${tableText(table, shape, system)}`;
    });
  });
  return `${[HEADING, tableText(scenario, headerTable.shape, system), ...tables].join("\n\n")}\n`;
}

function tableText(table: object, shape: Shape, system: UnitSystem): string {
  const valueAt = (key: string): unknown => table[key as keyof typeof table];
  const keys = Object.keys(shape).filter((key) => valueAt(key) !== undefined);
  const width = Math.max(...keys.map((key) => key.length));
  return keys
    .map((key) => {
      const info = keyInfo(shape[key]);
      const line = `${key.padEnd(width)} = ${tomlValue(valueAt(key), info?.integer ?? false)}`;
      if (!info) return line;
      const unit = info.unit ? `[${system.labels[info.unit as Dimension] ?? info.unit}] ` : "";
      return `${line.padEnd(COMMENT_COLUMN)} # ${unit}${info.meaning}`;
    })
    .join("\n");
}

/** `value` in TOML. Numbers keep every bit, also −0, inf and nan. */
export function tomlValue(value: unknown, integer = false): string {
  if (Array.isArray(value)) return `[${value.map((item) => tomlValue(item)).join(", ")}]`;
  if (typeof value === "number") return integer ? tomlInteger(value) : tomlFloat(value);
  if (typeof value === "string") return tomlText(value);
  if (isTable(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return `{ ${entries.map(([key, item]) => `${key} = ${tomlValue(item)}`).join(", ")} }`;
  }
  return String(value);
}

/** Large ones are grouped in threes. */
function tomlInteger(value: number): string {
  if (!Number.isSafeInteger(value)) return tomlFloat(value);
  return Math.abs(value) < GROUPED_FROM ? String(value) : String(value).replace(/\B(?=(\d{3})+$)/g, "_");
}

function tomlFloat(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const digits = Object.is(value, -0) ? "-0" : String(value);
  return /[.e]/.test(digits) ? digits : `${digits}.0`;
}

function tomlText(value: string): string {
  // JSON escapes as TOML does but for DEL; halves of surrogate pairs can't be in a TOML file at all.
  return JSON.stringify(value.replace(/\p{Surrogate}/gu, "\ufffd")).replaceAll("\u007f", "\\u007f");
}
