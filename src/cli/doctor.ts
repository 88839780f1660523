/**
 * `gravmesh doctor`: what the pipeline would run on, whether its arithmetic and its forces are right there, and what
 * to install where there is no adapter.
 */
import { arch, platform, release } from "node:os";
import { GravmeshError } from "../base/errors.ts";
import { version } from "../base/version.ts";
import { pairArithmeticSurvives } from "../direct/arithmetic.ts";
import { CHECKED_SOFTENING, forceCheck } from "../direct/force-check.ts";
import { availableShapes } from "../direct/force-shapes.ts";
import { DirectForces } from "../direct/forces.ts";
import type { Precision } from "../direct/settings.ts";
import { adapterName } from "../gpu/adapter.ts";
import { GpuContext } from "../gpu/context.ts";
import { acquireNodeContext, webgpuVersion } from "../gpu/device.node.ts";
import { arithmeticChecks, copyBandwidth, type ProbeCheck } from "../gpu/probe.ts";
import type { ShapePins } from "../gpu/shapes.ts";
import { hanging, labelled, wrapped } from "../page/text.ts";
import { driverChatter, withoutChatter } from "../run/driver-chatter.ts";
import { EXIT, messageOf } from "../run/failure.ts";
import { bytesText } from "../scenario/estimate.ts";
import { completeScenario } from "../scenario/parse.ts";
import { Simulation } from "../simulation/simulation.ts";
import { colours } from "./colours.ts";
import { ranksReport, ranksText } from "./doctor-ranks.ts";
import { doctorReport, type ReportOptions } from "./doctor-report.ts";
import { driverPlanHere, planText } from "./driver.ts";
import { screen } from "./launcher-terminal.ts";
import { passingLine, terminalWidth } from "./terminal.ts";

type DoctorReport = Awaited<ReturnType<typeof shortReport>>;

const LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupsPerDimension",
] as const;

/** A small isolated Plummer sphere, for the forces of the whole pipeline. */
const TEST_DECK = {
  title: "doctor",
  box: { size: 8, boundary: "isolated" },
  mesh: { cells: 16, assignment: "cic", gradient: "4-point" },
  particles: [{ kind: "plummer", count: 2000, mass: 1, scale: 0.5, cutoff: 2.5 }],
  time: { end: 0.4, step: 0.1 },
  output: { snapshots: 1, diagnostics: 1 },
} as const;
/** Float32 rounding of forces on a mesh of 16 cells, relative to the rms force; measured values lie near 1e-6. */
const FORCE_TOLERANCE = 2e-5;

/**
 * GPU forces against the float64 pipeline, and the same bits from two runs, and from runs that between them have every
 * shape of every kernel.
 */
async function pipelineChecks(gpu: GpuContext): Promise<ProbeCheck[]> {
  const scenario = completeScenario(TEST_DECK);
  const forces = async (options: Parameters<typeof Simulation.create>[1]) => {
    const simulation = await Simulation.create(scenario, options);
    const { accelerations } = await simulation.readParticles({ accelerations: true });
    simulation.destroy();
    return accelerations!;
  };
  const [found, expected] = [await forces({ gpu }), await forces({ backend: "cpu" })];
  let [difference, square] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    difference += (found[i] - expected[i]) ** 2;
    square += expected[i] ** 2;
  }
  const error = Math.sqrt(difference / square);
  const run = async (context: GpuContext) => {
    const simulation = await Simulation.create(scenario, { gpu: context });
    await simulation.advance();
    const { positions, velocities } = await simulation.readParticles();
    simulation.destroy();
    return Buffer.concat([Buffer.from(positions.buffer), Buffer.from(velocities.buffer)]);
  };
  const states = [await run(gpu), await run(gpu)];
  const same = states[0].equals(states[1]);
  const shaped = await otherShapes(gpu, async (context) => (await run(context)).equals(states[0]));
  return [
    {
      name: "mesh forces against float64",
      passed: error < FORCE_TOLERANCE,
      detail: `relative rms difference ${error.toExponential(1)}, at most ${FORCE_TOLERANCE.toExponential(0)} expected`,
    },
    { name: "identical bits on repetition", passed: same, detail: same ? "two runs agree" : "two runs differ" },
    shaped,
  ];
}

/** Whether runs are the same with whatever shapes: with the first of each stage, with the second, and so on. */
async function otherShapes(gpu: GpuContext, same: (context: GpuContext) => Promise<boolean>): Promise<ProbeCheck> {
  const differing: string[] = [];
  let most = 1;
  for (let k = 0; k < most; k++) {
    const taken: string[] = [];
    const shapes: ShapePins = {
      pinned(stage, among) {
        most = Math.max(most, among.length);
        const shape = among[k % among.length];
        taken.push(`${stage}=${shape}`);
        return shape;
      },
    };
    const context = new GpuContext(gpu.device, gpu.adapter, { owned: false, parent: gpu, shapes });
    if (!(await same(context))) differing.push(taken.join("; "));
    context.destroy();
  }
  return {
    name: "identical bits with other kernel shapes",
    passed: differing.length === 0,
    detail: differing.length === 0 ? `${most} sets of shapes agree` : `others with ${differing.join(" and with ")}`,
  };
}

/** A force with jerk through every shape that the adapter can run. */
async function forceChecks(gpu: GpuContext, precision: Precision): Promise<ProbeCheck[]> {
  const variant = { order: "jerk", precision, softened: true } as const;
  const forces = new Map<string, DirectForces>();
  for (const { name: shape } of availableShapes(gpu)) {
    forces.set(shape, await DirectForces.create(gpu, { ...variant, softening: CHECKED_SOFTENING, shape }));
  }
  const check = await forceCheck(gpu, variant, forces);
  for (const one of forces.values()) one.destroy();
  return [check];
}

async function attempt(name: string, checks: () => Promise<ProbeCheck[]>): Promise<ProbeCheck[]> {
  try {
    return await checks();
  } catch (error) {
    return [{ name, passed: false, detail: messageOf(error) }];
  }
}

/**
 * Without an adapter: why there is none, what the driver said meanwhile, and what to install. `tell` hears what is done, since
 * a driver may take half a minute to compile all kernels for the first time.
 */
async function shortReport(tell: (what: string) => void) {
  const base = {
    gravmesh: version,
    node: process.version,
    system: `${platform()} ${release()} ${arch()}`,
    /** Version of the `webgpu` package (Dawn). */
    webgpu: webgpuVersion(),
    /** Runs on several ranks. */
    ranks: await ranksReport(),
  };
  let gpu: GpuContext;
  tell("Looking for an adapter …");
  try {
    gpu = await acquireNodeContext(withoutChatter);
  } catch (error) {
    const advice = planText(driverPlanHere());
    const driverMessages = driverChatter();
    // Its advice is to run this command.
    const reason = messageOf(error).replace(/; run `gravmesh doctor`.*/, "");
    const why = { reason, ...(driverMessages && { driverMessages }), advice };
    return { passed: false, ...base, adapter: null, checks: [], doubleSingle: null, ...why };
  }
  try {
    const { device, adapter } = gpu;
    tell("Checking the arithmetic …");
    // Whether direct summation can work in double-single; single works without it.
    const [doubleSingle] = await attempt("double-single", async () => [await pairArithmeticSurvives(gpu)]);
    const precision = doubleSingle.passed ? "double-single" : "single";
    const checks = [...(await attempt("arithmetic", () => arithmeticChecks(gpu)))];
    tell("Checking forces on the mesh, with every shape of every kernel …");
    checks.push(...(await attempt("pipeline", () => pipelineChecks(gpu))));
    tell("Checking direct forces …");
    checks.push(...(await attempt("direct forces", () => forceChecks(gpu, precision))));
    tell("Measuring the bandwidth …");
    return {
      passed: checks.every(({ passed }) => passed),
      ...base,
      adapter: {
        ...adapter,
        features: [...device.features].sort(),
        limits: Object.fromEntries(LIMITS.map((name) => [name, device.limits[name]])),
        /** Read plus written [byte/s]. */
        copyBandwidth: await copyBandwidth(gpu),
      },
      checks,
      doubleSingle,
    };
  } finally {
    gpu.destroy();
  }
}

function reportText(report: DoctorReport, columns: number): string {
  const rows: [string, string][] = [
    ["gravmesh", report.gravmesh],
    ["Node", `${report.node}, ${report.system}`],
    ["WebGPU", `webgpu ${report.webgpu} (Dawn)`],
    ["adapter", report.adapter ? adapterName(report.adapter) : colours.red("none")],
  ];
  if (report.adapter === null) {
    return [
      labelled(rows, columns),
      "",
      wrapped(`${report.reason}. Runs go on with --backend cpu (float64, slower).`, columns),
      ...(report.driverMessages ? [report.driverMessages.replace(/^/gm, "  | ")] : []),
      "A GPU needs its vendor's Vulkan driver; without a GPU, a software driver does:",
      `  ${report.advice}`,
    ].join("\n");
  }
  const { adapter } = report;
  const { limits } = adapter;
  rows.push(
    ["kind", adapter.software ? "software, on the CPU" : `GPU, ${adapter.vendor} ${adapter.architecture}`.trim()],
    ["features", adapter.features.join(", ")],
    ["largest buffer", bytesText(limits.maxBufferSize)],
    ["largest binding", bytesText(limits.maxStorageBufferBindingSize)],
    ["bindings", `${limits.maxStorageBuffersPerShaderStage} storage buffers a stage`],
    [
      "workgroup",
      `${limits.maxComputeInvocationsPerWorkgroup} invocations, ${bytesText(limits.maxComputeWorkgroupStorageSize)} of memory`,
    ],
    ["several ranks", ranksText(report.ranks)],
    ["copy bandwidth", `${(adapter.copyBandwidth / 1e9).toFixed(1)} GB/s, read and written`],
  );
  const checks = report.checks.map(({ name, passed, detail }) =>
    hanging(`  ${passed ? colours.green("ok    ") : colours.red("FAILED")} `, `${name}: ${detail}`, columns),
  );
  const { passed, detail } = report.doubleSingle;
  const mark = passed ? colours.green("ok    ") : colours.yellow("no    ");
  const rest = passed ? "" : '; direct summation works with precision = "single" only';
  checks.push(hanging(`  ${mark} `, `double-single arithmetic: ${detail}${rest}`, columns));
  const verdict = report.passed
    ? "Everything is as it should be."
    : "This adapter's results are not to be trusted: use --backend cpu.";
  return [labelled(rows, columns), "", ...checks, "", verdict].join("\n");
}

/** Prints the report, or writes the long one; resolves to the exit code. */
export async function doctor({ report: long, ...options }: ReportOptions & { report?: boolean }): Promise<number> {
  const { json } = options;
  if (long) return doctorReport(options);
  const foreign = (["out", "force", "seconds", "quiet"] as const).filter((name) => options[name] !== undefined);
  if (foreign.length > 0) {
    throw new GravmeshError("usage", `gravmesh doctor: --${foreign[0]} belongs to --report; add that, or leave it out`);
  }
  const out = screen();
  const line = passingLine(out, { quiet: json });
  const report = await shortReport(line.tell);
  line.erase();
  out.write(`${json ? JSON.stringify(report, null, 2) : reportText(report, terminalWidth(out))}\n`);
  return report.passed ? EXIT.success : EXIT.failed;
}
