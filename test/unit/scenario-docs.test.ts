/** docs/scenarios.md has every key of the assembled schema, each under the heading of its own table. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { keyInfo } from "../../src/foundation/deck/keys.ts";
import { arraySections, deckOrder, headerTable, type Shape, sections } from "../../src/scenario/scenario.ts";

const page = readFileSync(new URL("../../docs/scenarios.md", import.meta.url), "utf8");

/** Text of a part by its heading line, up to the next of the same rank or above. */
function part(text: string, heading: string): string | undefined {
  const lines = text.split("\n");
  const start = lines.indexOf(heading);
  if (start < 0) return undefined;
  const rank = heading.indexOf(" ");
  const length = lines.slice(start + 1).findIndex((line) => /^#+ /.test(line) && line.indexOf(" ") <= rank);
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join("\n");
}

/** Keys of a table without a row of their own, `| key | …`, in any of the texts. */
function without(name: string, shape: Shape, texts: (string | undefined)[]): string[] {
  return Object.keys(shape)
    .filter((key) => key !== "kind" && keyInfo(shape[key]))
    .filter((key) => !texts.some((text) => text?.includes(`\n| \`${key}\` | `)))
    .map((key) => `${name}.${key}`);
}

/** What the page lacks: headings of tables, and keys. */
function missing(text: string): string[] {
  const single = Object.entries(sections).flatMap(([name, { shape }]) => {
    const own = part(text, `## \`[${name}]\``);
    return own === undefined ? [`[${name}]`] : without(name, shape, [own]);
  });
  const arrays = arraySections.flatMap((section) => {
    const { name } = section;
    const all = part(text, `## \`[[${name}]]\``);
    if (all === undefined) return [`[[${name}]]`];
    const shared = all.split("\n### ")[0];
    if ("schema" in section) {
      const inner = Object.entries(section.schema.shape).flatMap(([key, schema]) => {
        const own = keyInfo(schema)?.inner;
        return own ? without(`${name}.${key}`, own, [part(all, `### \`${key} = { … }\``)]) : [];
      });
      return [...without(name, section.schema.shape, [shared]), ...inner];
    }
    return section.kinds.records.flatMap((record) => {
      const own = part(all, `### \`kind = "${record.name}"\``);
      const label = `${name}.${record.name}`;
      return own === undefined ? [label] : without(label, record.schema.shape, [shared, own]);
    });
  });
  return [...without("header", headerTable.shape, [part(text, "## Header")]), ...single, ...arrays];
}

describe("docs/scenarios.md", () => {
  it("has every table and every key of the schema", () => {
    expect(missing(page)).toEqual([]);
  });

  it("is checked: no row and no table can go without being missed", () => {
    const rows = page.split("\n").filter((line) => /^\| `\w+` \| (?!free|k?pc|Mpc)/.test(line));
    expect(rows.length).toBeGreaterThan(100);
    for (const row of new Set(rows)) {
      const key = row.split("`")[1];
      expect(
        missing(page.replaceAll(row, "")).some((name) => name.endsWith(`.${key}`)),
        row,
      ).toBe(true);
    }
    for (const name of ["direct", "cosmology", "multigrid"]) {
      expect(missing(page.replace(part(page, `## \`[${name}]\``)!, ""))).toEqual([`[${name}]`]);
    }
    expect(missing(page.replace(part(page, '### `kind = "kepler"`')!, ""))).toEqual(["particles.kepler"]);
  });

  it("is written from a list of tables that leaves none out", () => {
    const names = deckOrder.map((one) => (typeof one === "string" ? one : one.name));
    expect(names.sort()).toEqual([...Object.keys(sections), ...arraySections.map(({ name }) => name)].sort());
  });
});
