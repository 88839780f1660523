/** What a deck expects is told of the runs that it is of, as the deck's own, and not of others. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { gravmesh, start, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
const EXPECTED = "A sphere that stays as it is.";
const LABELLED = `<p class="expect">The deck&#39;s own expectation: ${EXPECTED}</p>`;
const DECK = `
title = "Sphere"
expect = "${EXPECTED}"
[box]
size = 10
[mesh]
cells = 16
[[particles]]
kind = "plummer"
count = 200
[time]
end = 0.1
step = 0.02
[output]
snapshots = 1
`;
const CPU = ["--backend", "cpu"];

beforeAll(() => writeFileSync(join(work(), "sphere.toml"), DECK));

async function page(file: string, ...args: string[]): Promise<string> {
  const [command, ...rest] = args;
  const out = file.split("/")[0];
  const { code, stderr } = await gravmesh(work(), [command, "sphere.toml", ...rest, ...CPU, "--out", out]);
  expect(code, stderr).toBe(0);
  return readFileSync(join(work(), file), "utf8");
}

/** With or without the label. */
const told = (html: string) => html.includes('class="expect"');

describe("the report", () => {
  it("tells it of another seed and other outputs", async () => {
    const other = ["seed=3", "output.snapshots=2", "time.maxEnergyError=5", "mesh.cells=16", "particles.0.count=200"];
    expect(await page("seed/report.html", "run", ...other)).toContain(LABELLED);
  });

  it("leaves it out where overrides make another run of it, and says in the deck as run which", async () => {
    expect(told(await page("fewer/report.html", "run", "particles.plummer.count=100", "time.end=0.06"))).toBe(false);
    const deck = readFileSync(join(work(), "fewer/scenario.toml"), "utf8");
    expect(deck).toMatch(/^changed += \["particles\[0\]\.count", "time\.end"\] /m);
    // Run again from there, it is the same other run.
    const again = await gravmesh(work(), ["run", "fewer/scenario.toml", ...CPU, "--out", "from-deck"]);
    expect(again.code).toBe(0);
    expect(told(readFileSync(join(work(), "from-deck/report.html"), "utf8"))).toBe(false);
  });

  it("tells one that comes with the overrides", async () => {
    const html = await page("mine/report.html", "run", "particles.0.count=100", "expect=Fewer particles.");
    expect(html).toContain("Fewer particles.");
  });

  it("leaves it out of a run that was stopped, until that has reached the deck's end", async () => {
    writeFileSync(join(work(), "long.toml"), DECK.replace("end = 0.1", "end = 4").replace("count = 200", "count = 20"));
    const running = start(work(), ["run", "long.toml", ...CPU, "--out", "long", "--json"]);
    await running.until('"event":"progress"');
    running.child.kill("SIGINT");
    const { code } = await running.done;
    expect(code).toBe(130);
    const report = () => readFileSync(join(work(), "long/report.html"), "utf8");
    expect(report()).toContain("Interrupted at");
    expect(told(report())).toBe(false);
    expect((await gravmesh(work(), ["run", "--resume", "long"])).code).toBe(0);
    expect(report()).toContain(LABELLED);
    // A later end is the same run and more.
    expect((await gravmesh(work(), ["run", "--resume", "long", "time.end=4.2"])).code).toBe(0);
    expect(report()).toContain(LABELLED);
  });
});

describe("pages of several runs", () => {
  it("tell it of an ensemble of seeds", async () => {
    expect(await page("seeds/ensemble.html", "ensemble", "--vary", "seed=1,2")).toContain(LABELLED);
  });

  it("tell it of a validation that evolved all particles to the deck's end, and of no other", async () => {
    const budget = ["--budget", "600"];
    expect(await page("checked/validate.html", "validate", ...budget)).toContain(LABELLED);
    expect(told(await page("less/validate.html", "validate", "particles.0.count=100", ...budget))).toBe(false);
    expect(told(await page("forces/validate.html", "validate", "--no-evolve"))).toBe(false);
  });

  it("tell it of no comparison in which a variant isn't the deck's", async () => {
    expect(told(await page("compared/compare.html", "compare", "--vary", "mesh.assignment=cic,tsc"))).toBe(false);
  });
});
