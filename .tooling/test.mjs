// `npm test`: sees to an adapter, builds, checks types, style and generated documents, then runs the first tests;
// `npm run test:rest` (`--rest`) runs all others, without these checks. Which are first is in vitest.config.mjs; with further
// arguments, such as names of files, vitest chooses from all. The last line is "N passed, N failed", where each check counts as one.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadSource, provideAdapter, provideDeno, providePackages, testPackages } from "./setup.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const count = { passed: 0, failed: 0 };
const rest = process.argv.includes("--rest");
const forVitest = process.argv.slice(2).filter((word) => word !== "--rest");
if (forVitest.length === 0) process.env.GRAVMESH_TESTS = rest ? "rest" : "first";

function node(...args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status === 0;
}

/** Tells what it printed when it is over, so that several can be under way. */
async function check(name, ...args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => output.push(data));
  const passed = await new Promise((done) => child.on("close", (status) => done(status === 0)));
  process.stdout.write(Buffer.concat(output));
  count[passed ? "passed" : "failed"] += 1;
  console.log(`${passed ? "ok    " : "FAILED"} ${name}`);
}

function finish() {
  console.log(`${count.passed} passed, ${count.failed} failed`);
  process.exit(count.failed === 0 && count.passed > 0 ? 0 : 1);
}

const { adapter, problem } = await provideAdapter();
if (problem) {
  console.error(`${problem}\nThe tests need an adapter.`);
  count.failed += 1;
  finish();
}
console.log(`WebGPU adapter: ${adapter}`);
// Packages are fetched and unpacked while the checks of sources run.
const provided = Promise.all([providePackages(testPackages()), provideDeno()]);

if (!rest) {
  await check("build", ".tooling/build.mjs");
  await Promise.all([
    check("types", "node_modules/typescript/bin/tsc", "-p", "tsconfig.json", "--noEmit"),
    check("style", "node_modules/@biomejs/biome/bin/biome", "check", "."),
    check("generated documents", ".tooling/docs.mjs", "--check"),
  ]);
}
for (const missing of (await provided).flat()) if (missing) console.error(missing);
const { swiftShaderDriver } = await loadSource("test/support/swiftshader.ts");
if (!swiftShaderDriver()) {
  console.error(
    "SwiftShader is missing (it comes with Chromium): nothing is set beside a second implementation of Vulkan.",
  );
}

const folder = mkdtempSync(join(tmpdir(), "gravmesh-test-"));
const results = join(folder, "results.json");
const vitestPassed = node(
  "node_modules/vitest/vitest.mjs",
  ...["run", "--config", ".tooling/vitest.config.mjs"],
  ...["--reporter=default", "--reporter=json", `--outputFile.json=${results}`],
  ...forVitest,
);
try {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(results, "utf8"));
  // A file that can't be loaded, or whose hooks fail, has no failed test of its own.
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  count.passed += numPassedTests;
  count.failed += numFailedTests + brokenFiles.length;
  if (!vitestPassed && numFailedTests + brokenFiles.length === 0) count.failed += 1;
} catch (error) {
  console.error(`vitest left no results: ${error.message}`);
  count.failed += 1;
}
rmSync(folder, { recursive: true, force: true });
finish();
