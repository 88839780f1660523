// `npm run test:long`: the test files of which `npm run test:rest` tries a selection or small sizes, in full. Writes what it found,
// with date and adapter, into docs/long-tests.md. Ends with 1 when a test fails.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { provideAdapter } from "./setup.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, "docs/long-tests.md");

const { adapter, problem } = await provideAdapter();
if (problem) {
  console.error(`${problem}\nThe tests need an adapter.`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "gravmesh-long-"));
const results = join(folder, "results.json");
const { status } = spawnSync(
  process.execPath,
  [
    ...["node_modules/vitest/vitest.mjs", "run", "--config", ".tooling/vitest.config.mjs"],
    ...["--reporter=verbose", "--reporter=json", `--outputFile.json=${results}`, ...process.argv.slice(2)],
  ],
  { cwd: root, stdio: "inherit", env: { ...process.env, GRAVMESH_LONG: "1" } },
);
let found;
try {
  found = JSON.parse(readFileSync(results, "utf8"));
} catch (error) {
  console.error(`vitest left no results: ${error.message}`);
  process.exit(1);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const rows = found.testResults.flatMap(({ name, assertionResults, startTime, endTime }) => {
  const failed = assertionResults.filter(({ status: how }) => how === "failed");
  const seconds = Math.round((endTime - startTime) / 1000);
  return [
    `| ${name.slice(root.length + 1)} | ${assertionResults.length - failed.length} | ${failed.length} | ${seconds} |`,
    ...failed.map(({ fullName }) => `| failed: ${fullName} | | | |`),
  ];
});
const whole = process.argv.length === 2;
if (whole) writeFileSync(page, text(rows.sort()));
console.log(
  `${found.numPassedTests} passed, ${found.numFailedTests} failed${whole ? "; written: docs/long-tests.md" : ""}`,
);
process.exit(status === 0 && found.numPassedTests > 0 ? 0 : 1);

function text(lines) {
  return `# Long tests

\`npm run test:rest\` runs a selection of these tests, or smaller meshes: one of the three experiments of Aubert, Amini & David
(2009), with 64³ particles instead of 128³, fewer lengths of Fourier transforms, fewer pairs of variants; not the table of the force
law on 64³, nor the linear growth on 128³, nor the rates of every shape of the direct sum. \`npm run test:long\` runs all and writes
this page; a single test: \`npm run test:long -- -t "uniform"\`.

Last run: ${new Date().toISOString().slice(0, 10)}, ${adapter}; ${found.numPassedTests} passed, ${found.numFailedTests} failed.

| file | passed | failed | seconds |
|---|---|---|---|
${lines.join("\n")}
`;
}
