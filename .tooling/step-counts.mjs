// What Dawn makes of a step: Vulkan calls a step of small decks, counted by .tooling/vulkan-calls.c in front of lavapipe, as the
// difference of two runs of which one is longer. Wants gcc and the software driver: node .tooling/step-counts.mjs [TREE…], each
// a built checkout; docs/performance.md has the table.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const CALLS = {
  dispatches: "CmdDispatch",
  indirect: "CmdDispatchIndirect",
  barriers: "CmdPipelineBarrier",
  fills: "CmdFillBuffer",
  copies: "CmdCopyBuffer",
  stamps: "CmdWriteTimestamp",
  allocations: "AllocateMemory",
  maps: "MapMemory",
  buffers: "CreateBuffer",
};
const [FEW, MANY] = [32, 160];
const small = (deck, ...rest) => [deck, "output.snapshots=1", "output.diagnostics=1", "time.step=0.0001", ...rest];
const CASES = {
  periodic: small("uniform", "mesh.cells=32", "particles.uniform.count=32768"),
  isolated: small("plummer", "mesh.cells=32", "particles.plummer.count=32768"),
  "two levels": small("milky-way", "mesh.cells=32", ...[0, 1, 2].map((k) => `particles.${k}.count=2000`)),
  QUMOND: small("dwarf-in-host-field", "mesh.cells=32", "particles.0.count=2000"),
};

/** Calls of a whole run. */
function callsOf(tree, icd, out, deck, steps) {
  const args = [
    join(tree, "dist/bin/gravmesh.js"),
    "run",
    ...deck,
    `time.end=${steps * 1e-4}`,
    "--quiet",
    "--force",
    "--out",
    out,
  ];
  const env = { ...process.env, VK_DRIVER_FILES: icd, GRAVMESH_WITHOUT: "software-kernels" };
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${deck.join(" ")}: ${stderr}`);
  const told = stdout.split("\n").findLast((line) => line.startsWith("[vk]")) ?? "";
  return Object.fromEntries([...told.matchAll(/(\w+)=(\d+)/g)].map(([, name, count]) => [name, Number(count)]));
}

const folder = mkdtempSync(join(tmpdir(), "gravmesh-counts-"));
try {
  const library = join(folder, "libvkcalls.so");
  execFileSync("gcc", ["-O2", "-shared", "-fPIC", join(ROOT, ".tooling/vulkan-calls.c"), "-o", library, "-ldl"]);
  const icd = join(folder, "icd.json");
  writeFileSync(
    icd,
    JSON.stringify({ file_format_version: "1.0.0", ICD: { api_version: "1.4.305", library_path: library } }),
  );
  const trees = process.argv.length > 2 ? process.argv.slice(2).map((tree) => resolve(tree)) : [ROOT];
  console.log(`| a step of | ${Object.keys(CALLS).join(" | ")} |\n|${"---|".repeat(1 + Object.keys(CALLS).length)}`);
  for (const [name, deck] of Object.entries(CASES))
    for (const tree of trees) {
      const [few, many] = [FEW, MANY].map((steps) => callsOf(tree, icd, join(folder, "run"), deck, steps));
      const aStep = Object.values(CALLS).map((call) => ((many[call] ?? 0) - (few[call] ?? 0)) / (MANY - FEW));
      console.log(`| ${name} | ${aStep.map((count) => +count.toFixed(2)).join(" | ")} |`);
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
