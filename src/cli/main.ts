#!/usr/bin/env node
/** The `gravmesh` command: runs what the command line says, and how that ends. */
import { EXIT } from "../run/failure.ts";
import { invoke } from "./invoke.ts";

/** Mesa looks for a display there and complains where no folder is named, not where the one named isn't there. */
function nameRuntimeFolder(): void {
  if (process.platform !== "linux" || process.env.XDG_RUNTIME_DIR) return;
  process.env.XDG_RUNTIME_DIR = `/run/user/${process.getuid?.() ?? 0}`; // where a login would have made one
}

/** Whoever read our output has gone (`gravmesh … | head`): no reason to show a stack. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(EXIT.failed);
}

async function main(): Promise<void> {
  nameRuntimeFolder();
  process.stdout.on("error", endWithReader);
  process.stderr.on("error", endWithReader);
  await invoke(process.argv.slice(2));
}

await main();
