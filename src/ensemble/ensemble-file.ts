/** ensemble.json as it is read again: what isn't one is refused with the place where it isn't. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { GravmeshError } from "../base/errors.ts";
import { readRegularFile } from "../io/regular-file.node.ts";
import { ENSEMBLE_FILE, ENSEMBLE_FORMAT, type Ensemble } from "./ensemble.ts";

const value = z.union([z.number(), z.string(), z.boolean()]);
const schema = z.object({
  format: z.literal(ENSEMBLE_FORMAT),
  version: z.string(),
  title: z.string(),
  scenario: z.string(),
  filesFrom: z.string(),
  backend: z.enum(["auto", "webgpu", "cpu"]),
  extensions: z.array(z.string()),
  overrides: z.array(z.string()),
  varied: z.array(
    z.object({
      key: z.string(),
      values: z.array(value).optional(),
      range: z.object({ from: z.number(), to: z.number(), whole: z.boolean() }).optional(),
    }),
  ),
  sampling: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("grid") }),
    z.object({ kind: z.literal("latin"), members: z.number(), seed: z.number() }),
  ]),
  members: z
    .array(
      z.object({
        index: z.int().min(0),
        // A record of somebody else's must not lead out of its folder.
        folder: z.string().regex(/^\w[\w.-]*$/, "expected the name of a folder"),
        values: z.record(z.string(), value),
      }),
    )
    .min(1)
    .refine((all) => all.every(({ index }, i) => index === i), "expected members 0, 1, 2 … in turn"),
});

/** A thousand members with ten entries each take half a mebibyte [byte]. */
const LARGEST_RECORD = 256 * 2 ** 20;

export const holdsEnsemble = (folder: string): boolean => existsSync(join(folder, ENSEMBLE_FILE));

/** The record of the ensemble in a folder. Throws "usage" where there is none, "input" where it is damaged. */
export function readEnsemble(folder: string): Ensemble {
  const file = join(folder, ENSEMBLE_FILE);
  if (!holdsEnsemble(folder)) {
    throw new GravmeshError(
      "usage",
      `${folder} is no ensemble: expected ${ENSEMBLE_FILE} in it, found none. Name a folder that gravmesh ensemble has made.`,
    );
  }
  const text = readRegularFile(file, { what: "The ensemble's record", limit: LARGEST_RECORD });
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw new GravmeshError("input", `${file} is no JSON: ${(cause as Error).message}. Restore it from a copy.`, {
      cause,
    });
  }
  const { success, data, error } = schema.safeParse(content);
  if (success) return data as Ensemble;
  const [{ path, message }] = error.issues;
  const where = path.length === 0 ? "" : ` at ${path.join(".")}`;
  throw new GravmeshError("input", `${file} isn't the record of an ensemble${where}: ${message}.`);
}
