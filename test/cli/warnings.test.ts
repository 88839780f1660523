/** The deck that docs/resolution.md has as what not to do: its warning on the terminal, as an event and on an ensemble's page. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventsOf, gravmesh, root, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
/** The same cell in a smaller box, and few steps. */
const SMALL = [
  ...[join(root, "docs/examples/unresolved-satellite.toml"), "--backend", "cpu"],
  ...["box.size=60", "mesh.cells=32", "particles.0.offset=[16,0,0]", "particles.0.count=200"],
  ...["time.end=0.002", "time.step=0.001", "output.snapshots=1", "output.diagnostics=2"],
];
const WARNING =
  "satellite: cells are too large for it: within ten dynamical times r10 (0.26 kpc, 0.14 cells of 1.88 kpc) grows by more than 50 %";

it("warns of a satellite smaller than a cell on the terminal, quiet or not, and as an event", async () => {
  const [quiet, json] = await Promise.all([
    gravmesh(work(), ["run", ...SMALL, "--quiet", "--out", "quiet"]),
    gravmesh(work(), ["run", ...SMALL, "--json", "--out", "json"]),
  ]);
  expect([quiet.code, quiet.stdout, json.code, json.stderr]).toEqual([0, "", 0, ""]);
  expect(quiet.stderr).toMatch(/^warning: [^\n]*\n$/);
  expect(quiet.stderr).toContain(WARNING);
  const told = eventsOf(json.stdout).filter(({ event }) => event === "warning");
  expect(told).toEqual([{ event: "warning", message: expect.stringContaining(WARNING) }]);
  expect(eventsOf(json.stdout).at(-1)).toMatchObject({ event: "end", summary: { warnings: [told[0].message] } });
});

it("has it once on the page of an ensemble, for all members whose numbers alone differ", async () => {
  const varied = ["--vary", "particles.satellite.scale=0.5,0.49,3", "--out", "many", "--quiet"];
  const { code } = await gravmesh(work(), ["ensemble", ...SMALL, ...varied]);
  expect(code).toBe(0);
  const page = readFileSync(join(work(), "many/ensemble.html"), "utf8");
  const [toKnow] = /(?<=<h2>To know<\/h2>).*?<\/ul>/.exec(page)!;
  expect(toKnow).toContain(
    "2 members: 0, 1 warned: satellite: cells are too large for it: within ten dynamical times r10 (0.26 kpc, 0.14 cells of 1.88 kpc)",
  );
  expect(toKnow).toContain("(with other numbers in the others)");
});
