/**
 * --extension FILE: a JavaScript module that adds to the lists of gravmesh, this very package, before a deck is read.
 */
import { register } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { GravmeshError } from "../foundation/base/errors.ts";
import { readRegularFile } from "./io/regular-file.node.ts";

let isRegistered = false;

/** Makes "gravmesh" mean the package that runs: an extension needs no installation of its own, and finds no second copy. */
function nameThisPackage(): void {
  if (isRegistered) return;
  isRegistered = true;
  const door = import.meta.resolve("gravmesh");
  const hook = `export const resolve = (name, context, next) =>
    next(name === "gravmesh" ? ${JSON.stringify(door)} : name, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}

/** The largest module that is read [byte]. */
const LARGEST_MODULE = 64 * 2 ** 20;

/** What was thrown, and the line of which file it names first. */
function thrownText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const place = /file:\/\/[^\s)]+:\d+/.exec(cause.stack ?? "")?.[0];
  return `${cause.name}: ${cause.message}${place ? ` (${fileURLToPath(place)})` : ""}`;
}

/** Loads modules, in their order, once a process; `why` is added when one fails. Throws "usage". */
export async function loadExtensions(files: readonly string[], why?: string): Promise<void> {
  for (const name of files) {
    const file = resolve(name);
    const failed = (found: string, cause?: unknown) =>
      new GravmeshError(
        "usage",
        `--extension ${name}: expected a JavaScript module that registers what it adds, ${found}.` +
          (why ? ` ${why}; give its place now with --extension.` : ""),
        { cause },
      );
    try {
      // The loader would wait for ever for a pipe.
      readRegularFile(file, { what: "the file", kind: "usage", limit: LARGEST_MODULE });
    } catch (cause) {
      const { message, cause: reason } = cause as GravmeshError;
      const isMissing = (reason as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
      throw failed(isMissing ? "found no such file" : message.replace(/\.$/, ""), cause);
    }
    nameThisPackage();
    try {
      await import(pathToFileURL(file).href);
    } catch (cause) {
      if (cause instanceof GravmeshError) throw failed(`it says: ${cause.message.replace(/\.$/, "")}`, cause);
      throw failed(`it throws: ${thrownText(cause)}`, cause);
    }
  }
}
