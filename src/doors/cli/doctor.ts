/** `gravmesh doctor`: the adapter, whether it computes right, and what to install where there is none. */
import { arch, platform, release } from "node:os";
import { pairArithmeticSurvives } from "../../engine/direct/arithmetic.ts";
import { bytesText } from "../../foundation/base/bytes.ts";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { version } from "../../foundation/base/version.ts";
import { adapterName } from "../../foundation/gpu/adapter.ts";
import type { GpuContext } from "../../foundation/gpu/context.ts";
import { acquireNodeContext, webgpuVersion } from "../../foundation/gpu/device.node.ts";
import { arithmeticChecks, copyBandwidth, type ProbeCheck } from "../../foundation/gpu/probe.ts";
import { driverChatter, withoutChatter } from "../../run/driver-chatter.ts";
import { EXIT, messageOf } from "../../run/failure.ts";
import { bandwidth } from "../../run/page/numbers.ts";
import { hanging, labelled, wrapped } from "../../run/page/text.ts";
import { shortChecks } from "../../study/doctor/run-checks.ts";
import { everyForce } from "../../study/doctor/sum-checks.ts";
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

async function attempt(name: string, checks: () => Promise<ProbeCheck[]>): Promise<ProbeCheck[]> {
  try {
    return await checks();
  } catch (error) {
    return [{ name, passed: false, detail: messageOf(error) }];
  }
}

/** `report` gets what is done, since a driver may take half a minute to compile all kernels for the first time. */
async function shortReport(report: (what: string) => void) {
  const base = {
    gravmesh: version,
    node: process.version,
    system: `${platform()} ${release()} ${arch()}`,
    webgpu: webgpuVersion(),
    ranks: await ranksReport(),
  };
  let gpu: GpuContext;
  report("Looking for an adapter …");
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
    report("Checking the arithmetic …");
    // Whether direct summation can work in double-single; single works without it.
    const [doubleSingle] = await attempt("double-single", async () => [await pairArithmeticSurvives(gpu)]);
    const precision = doubleSingle.passed ? "double-single" : "single";
    const checks = await attempt("arithmetic", () => arithmeticChecks(gpu));
    report("Checking forces on the mesh, with every shape of every kernel …");
    checks.push(...(await attempt("pipeline", () => shortChecks(gpu))));
    report("Checking direct forces …");
    checks.push(...(await attempt("direct forces", async () => [await everyForce(gpu, "jerk", precision)])));
    report("Measuring the bandwidth …");
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
    ["copy bandwidth", `${bandwidth(adapter.copyBandwidth)}, read and written`],
  );
  const line = (passed: boolean, text: string, no = colours.red("FAILED")) =>
    hanging(`  ${passed ? colours.green("ok    ") : no} `, text, columns);
  const checks = report.checks.map(({ name, passed, detail }) => line(passed, `${name}: ${detail}`));
  const { passed, detail } = report.doubleSingle;
  const rest = passed ? "" : '; direct summation works with precision = "single" only';
  checks.push(line(passed, `double-single arithmetic: ${detail}${rest}`, colours.yellow("no    ")));
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
  const report = await shortReport(line.show);
  line.erase();
  out.write(`${json ? JSON.stringify(report, null, 2) : reportText(report, terminalWidth(out))}\n`);
  return report.passed ? EXIT.success : EXIT.failed;
}
