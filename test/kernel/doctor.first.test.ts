/** The doctor's report: every check passes on this adapter, between them they run every kernel, and faults are told. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { pairArithmeticSurvives } from "../../src/engine/direct/arithmetic.ts";
import { composeWgsl } from "../../src/foundation/gpu/compose.ts";
import { acquireNodeContext } from "../../src/foundation/gpu/device.node.ts";
import { type Check, same } from "../../src/study/doctor/check.ts";
import { checksFor, examine } from "../../src/study/doctor/examine.ts";
import { doctorHtml } from "../../src/study/doctor/page.ts";
import type { DoctorRecord } from "../../src/study/doctor/report.ts";
import massWords from "../../wgsl/engine/mesh/deposit/mass-words.wgsl";
import ofRanks from "../../wgsl/engine/p3m/of-ranks.wgsl";
import { onWgpu } from "../support/wgpu.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PLATFORM = { runtime: "Node", system: "a test", webgpu: "Dawn" };
/** Modules that were compiled, as they were composed. */
const modules = new Set<string>();
const open = async () => {
  const gpu = await acquireNodeContext();
  const compile = gpu.device.createShaderModule.bind(gpu.device);
  gpu.device.createShaderModule = (descriptor) => {
    modules.add(descriptor.code);
    return compile(descriptor);
  };
  return gpu;
};
// However busy the machine is, no check is left out and no device taken for one that has hung.
const about = { platform: PLATFORM, sizes: [], budget: 1e6, patience: 1e6 };
const gpu = await open();
const precision = (await pairArithmeticSurvives(gpu)).passed ? "double-single" : "single";

/** What no check runs, and why. */
const COMPARED = "the comparison is doubleSingle of the record, before the checks";
const RANKS = "sums over several ranks, which a doctor hasn't: test/kernel/shared-mesh.first.test.ts";
const PAIRS_OF_RANKS = "particles of several ranks: test/physics/ranks.test.ts";
const EXEMPT: Record<string, string> = {
  "wgsl/engine/direct/force-probe.wgsl probe": COMPARED,
  "wgsl/engine/direct/force-probe.wgsl": COMPARED,
  "wgsl/foundation/gpu/probe.wgsl copy": "it is timed: copyBandwidth of the record",
  "wgsl/engine/mesh/deposit/mass-words.wgsl gather": RANKS,
  "wgsl/engine/mesh/deposit/mass-words.wgsl put": RANKS,
  "wgsl/engine/mesh/deposit/mass-words.wgsl": RANKS,
  "wgsl/engine/p3m/of-ranks.wgsl send": PAIRS_OF_RANKS,
  "wgsl/engine/p3m/of-ranks.wgsl put": PAIRS_OF_RANKS,
  "wgsl/engine/p3m/of-ranks.wgsl take": PAIRS_OF_RANKS,
  "wgsl/engine/p3m/of-ranks.wgsl": PAIRS_OF_RANKS,
};

function filesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesOf(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

const wgsl = filesOf("wgsl");
const entries = wgsl.flatMap((path) => {
  const text = readFileSync(join(root, path), "utf8");
  return [...text.matchAll(/@compute[^{]*?\bfn (\w+)/g)].map(([, entry]) => `${path} ${entry}`);
});

describe("every check", () => {
  const records: DoctorRecord[] = [];
  afterAll(() => gpu.destroy());

  it.each(checksFor(precision).map((check) => [check.name, check] as const))("%s", async (_, check) => {
    const record = await examine({ ...about, open: async () => gpu.account(), checks: [check] });
    records.push(record);
    const [{ failure, comparisons, twin }] = record.checks;
    expect(comparisons.filter(({ passed }) => !passed)).toEqual([]);
    expect([record.status, failure, record.leftOut.length]).toEqual(["complete", undefined, 1]);
    // It compares something, with a twin, and says how far apart they may be.
    expect(comparisons.length).toBeGreaterThan(0);
    expect(twin.length).toBeGreaterThan(10);
    for (const { measure, error, allowed, detail } of comparisons) {
      if (measure === "as told") expect(detail).toBeTruthy();
      else expect([typeof error, typeof allowed]).toEqual(["number", "number"]);
    }
  });

  it("and all together run every entry point and every file of wgsl/, but for those that say why not", () => {
    const run = new Set(records.flatMap((one) => [...one.checks[0].kernels, ...one.kernelFiles]));
    const missing = [...entries, ...wgsl].filter((one) => !run.has(one));
    expect(missing.sort()).toEqual(Object.keys(EXEMPT).sort());
  });

  it.runIf(process.env.GRAVMESH_NO_DENO !== "1")(
    "and naga, the compiler of Firefox, takes all that was compiled",
    async () => {
      const { CELLS, PITCH, GHOST_ROWS, RUN } = { CELLS: 16, PITCH: 16, GHOST_ROWS: 1, RUN: 4 };
      for (const ADDS of [false, true]) {
        modules.add(composeWgsl([massWords], { ADDS, CELLS, PITCH, GHOST_ROWS, RUN }).code);
      }
      const cells = { CELLS, PER_BOX: CELLS, FIRST_X: "0u", FIRST_Y: "0u", FIRST_Z: "0u", MOVES: false, ORDER: 3 };
      const outside = { REACH: 3, HAS_OUTSIDE: true, ISOLATED: true, FIRST_ID: "0u" };
      modules.add(composeWgsl([ofRanks], { ...cells, ...outside }).code);
      // Nobody gives it those with subgroups: it offers none.
      const withSubgroups = [...modules].filter((code) => /^enable subgroups/m.test(code));
      const codes = [...modules].filter((code) => !withSubgroups.includes(code));
      const firstLines = wgsl.map((path) => readFileSync(join(root, path), "utf8").split("\n", 1)[0]);
      const without = (some: string[]) => {
        const all = some.join("\n");
        return wgsl.filter((_, i) => !all.includes(firstLines[i]));
      };
      expect(without([...modules])).toEqual([]);
      expect(without(codes).filter((path) => !/subgroups|lanes/.test(path))).toEqual([]);
      expect(codes.length).toBeGreaterThan(300);
      const broken = "fn a() -> u32 { loop { return 1u; } }\n@compute @workgroup_size(1) fn main() { _ = a(); }";
      const { refusals } = await onWgpu({ modules: [broken, ...codes] });
      expect(refusals[0]).toMatch(/return/);
      expect(refusals.slice(1)).toEqual([]);
    },
  );

  it("tells nothing of the machine but its adapter", () => {
    const text = JSON.stringify(records);
    for (const private_ of [root, process.cwd(), process.env.HOME ?? root]) expect(text).not.toContain(private_);
  });
});

describe("an examination", () => {
  const fine: Check = { name: "fine", part: "arithmetic", twin: "nothing", run: async () => [same("a", [1], [1])] };
  const wrong: Check = { ...fine, name: "wrong", run: async () => [same("a", [1, 2, 3], [1, 5, 4])] };
  const broken: Check = {
    ...fine,
    name: "broken",
    run: async (gpu) => {
      const text = "@compute @workgroup_size(1) fn main() { let x: f32 = 1u; }";
      await gpu.kernel({ label: "broken/main", sources: [{ path: "wgsl/broken.wgsl", text }], entry: "main" });
      return [];
    },
  };
  const lost: Check = {
    ...fine,
    name: "lost",
    run: async (gpu) => {
      gpu.device.destroy();
      throw new Error("the GPU device was lost");
    },
  };
  it("records a difference, a kernel that doesn't compile and a lost device, and goes on behind each", async () => {
    const checks = [wrong, broken, lost, fine];
    const { status, checks: made } = await examine({ ...about, open, checks });
    expect(made.map(({ name, passed }) => [name, passed])).toEqual([
      ["wrong", false],
      ["broken", false],
      ["lost", false],
      ["fine", true],
    ]);
    expect(status).toBe("failed");
    expect(made[0].comparisons[0]).toMatchObject({ error: 2, allowed: 0, measure: "values that differ" });
    expect(made[1].failure).toMatch(/kernel broken\/main does not compile:\nwgsl\/broken.wgsl:1/);
    expect(made[1].kernels).toEqual(["wgsl/broken.wgsl main"]);
    expect(made[2].failure).toMatch(/lost/);
  });

  it("leaves out what there is no time for but the first, and says so", async () => {
    const few = [fine, { ...fine, name: "second" }, { ...fine, name: "third" }];
    const { checks, leftOut, status } = await examine({ ...about, open, checks: few, budget: 1e-6 });
    expect(checks.map(({ name }) => name)).toEqual(["fine"]);
    expect(leftOut.slice(0, 2)).toEqual([
      { what: "second", why: "the time was up" },
      { what: "third", why: "the time was up" },
    ]);
    expect(status).toBe("complete");
  });

  it("ends between two checks when it is stopped", async () => {
    const interruption = new AbortController();
    const stopping: Check = {
      ...fine,
      name: "stopping",
      run: async () => {
        interruption.abort();
        return [];
      },
    };
    const { status, leftOut } = await examine({
      ...about,
      open,
      checks: [stopping, fine],
      signal: interruption.signal,
    });
    expect(status).toBe("interrupted");
    expect(leftOut.map(({ why }) => why)).toEqual(["it was stopped", "it was stopped"]);
  });

  it("without an adapter says why there is none", async () => {
    const none = async () => {
      throw new Error("no WebGPU adapter was found");
    };
    const record = await examine({ ...about, open: none });
    expect(record).toMatchObject({
      adapter: null,
      status: "failed",
      reason: "no WebGPU adapter was found",
      checks: [],
    });
    expect(doctorHtml(record)).toContain("There is no adapter: no WebGPU adapter was found.");
  });

  it("is a page that names what failed and escapes what compilers say", async () => {
    const html = doctorHtml(await examine({ ...about, open, checks: [broken, fine] }));
    expect(html).toContain("1 of 2 checks failed");
    expect(html).toContain("wgsl/broken.wgsl main");
    expect(html).not.toContain("array<f32");
  });
});
