#!/usr/bin/env node
/** The `gravmesh` command. All else is loaded from here, so that a failure to load it is a message, too. */
import { EXIT, messageOf } from "../../run/failure.ts";
import { guardStreams } from "./streams.ts";

/** Mesa looks for a display there and complains where no folder is named, not where the one named isn't there. */
function nameRuntimeFolder(): void {
  if (process.platform !== "linux" || process.env.XDG_RUNTIME_DIR) return;
  process.env.XDG_RUNTIME_DIR = `/run/user/${process.getuid?.() ?? 0}`; // where a login would have made one
}

async function main(): Promise<void> {
  nameRuntimeFolder();
  guardStreams();
  try {
    const { invoke } = await import("./invoke.ts");
    await invoke(process.argv.slice(2));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EMFILE" && code !== "ENFILE") throw error;
    process.stderr.write(`error: ${messageOf(error)}\n`);
    process.exitCode = EXIT.failed;
  }
}

await main();
