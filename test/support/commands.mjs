/**
 * A process that takes command lines one after the other, each as the bin would in a process of its own. Half of what a
 * short command costs is its start, and the compiler of a program that never gets warm.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const bin = new URL("../../dist/bin/gravmesh.js", import.meta.url);
process.argv[1] = fileURLToPath(bin);
const [, path] = /import\("([^"]*\/invoke-[^"]*)"\)/.exec(readFileSync(bin, "utf8"));
const { invoke } = await import(new URL(path, bin).href);

/** What is written for as long as `work` takes, and the exit code that it leaves. */
async function outcomeOf(work) {
  const heard = { stdout: "", stderr: "" };
  const own = Object.keys(heard).map((name) => [name, process[name].write]);
  for (const [name] of own) {
    process[name].write = (text, ...rest) => {
      heard[name] += typeof text === "string" ? text : Buffer.from(text).toString();
      const written = rest.at(-1);
      if (typeof written === "function") process.nextTick(written);
      return true;
    };
  }
  try {
    await work();
  } finally {
    for (const [name, write] of own) process[name].write = write;
  }
  const code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return { code, signal: null, ...heard };
}

process.on("message", async ({ cwd, args }) => {
  process.chdir(cwd);
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args);
  process.send(await outcomeOf(() => invoke(args)));
});
process.on("disconnect", () => process.exit());
