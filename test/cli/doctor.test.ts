/** `gravmesh doctor --report`: its two files, what it leaves out, what it refuses; test/kernel/doctor.first.test.ts has the checks. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DoctorRecord } from "../../src/study/doctor/report.ts";
import { eventsOf, gravmesh, root, useWorkFolder } from "../support/cli.ts";

const work = useWorkFolder();
const NO_DRIVER = { VK_DRIVER_FILES: "/nonexistent.json", VK_ICD_FILENAMES: "/nonexistent.json" };

const recordIn = (folder: string) => JSON.parse(readFileSync(join(work(), folder, "doctor.json"), "utf8"));

describe("doctor --report", () => {
  it("writes a page and a JSON of what there was time for, and lists the rest", async () => {
    const args = ["doctor", "--report", "--seconds", "2", "--out", "short", "--json"];
    const { code, stdout, stderr } = await gravmesh(work(), args);
    expect(code, stderr).toBe(0);
    const record = recordIn("short") as DoctorRecord;
    expect(record).toMatchObject({ format: "gravmesh-doctor", formatVersion: 1, status: "complete", budgetSeconds: 2 });
    expect(record.adapter!.limits.maxBufferSize).toBeGreaterThan(0);
    expect(record.adapter!.features.length).toBeGreaterThan(0);
    expect(record.checks[0]).toMatchObject({ name: "arithmetic", passed: true });
    expect(record.leftOut.length).toBeGreaterThan(10);
    const events = eventsOf(stdout);
    expect(events.filter(({ event }) => event === "check")).toHaveLength(record.checks.length);
    expect(events.at(-1)).toMatchObject({ event: "end", record });
    const html = readFileSync(join(work(), "short/doctor.html"), "utf8");
    expect(html).toContain("checks that were made passed");
    expect(html).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
    for (const text of [html, JSON.stringify(record)]) expect(text).not.toContain(root);
  });

  it("leaves a folder that holds something alone, unless --force", async () => {
    const again = ["doctor", "--report", "--seconds", "1", "--out", "short"];
    const before = recordIn("short");
    const refused = await gravmesh(work(), again);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not empty (doctor.html, doctor.json)"),
    });
    expect(recordIn("short")).toEqual(before);
    writeFileSync(join(work(), "short/mine.txt"), "mine");
    expect(await gravmesh(work(), [...again, "--force"])).toMatchObject({ code: 0 });
    expect(recordIn("short").budgetSeconds).toBe(1);
    expect(readFileSync(join(work(), "short/mine.txt"), "utf8")).toBe("mine");
  });

  it("says why there is no adapter, in both files, and ends with 1", async () => {
    const { code, stdout } = await gravmesh(work(), ["doctor", "--report", "--out", "none"], { env: NO_DRIVER });
    expect(code).toBe(1);
    expect(stdout).toMatch(/There is no adapter: no WebGPU adapter was found/);
    expect(recordIn("none")).toMatchObject({ adapter: null, status: "failed", checks: [] });
  });

  it("refuses its options where --report isn't there", async () => {
    const { code, stderr } = await gravmesh(work(), ["doctor", "--out", "nowhere"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("--out belongs to --report")]);
    expect(existsSync(join(work(), "nowhere"))).toBe(false);
  });
});
