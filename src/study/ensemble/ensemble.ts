/**
 * An ensemble: many runs of one deck that differ in some entries. Its folder holds this record, the deck, and the result
 * folder of every member, which alone says what the member has come to, so that nothing can contradict it.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { GravmeshError } from "../../foundation/base/errors.ts";
import { readRegularFile } from "../../run/io/regular-file.node.ts";

export const ENSEMBLE_FORMAT = "gravmesh-ensemble-1";
export const ENSEMBLE_FILE = "ensemble.json";
/** The deck as it was given; files that it names are relative to `filesFrom` of the record. */
export const ENSEMBLE_DECK = "deck.toml";
/** In a member's folder: the message of the attempt that failed, removed when it is tried again. */
export const MEMBER_ERROR_FILE = "error.txt";
/** A thousand members with ten entries each take half a mebibyte [byte]. */
const LARGEST_RECORD = 256 * 2 ** 20;

const value = z.union([z.number(), z.string(), z.boolean()]);

const variedKey = z.object({
  /** As in an override: "particles.disk.count"; "seed": the seeds of all components. */
  key: z.string(),
  /** What it was asked to take: values one by one, or the ends of a range; `whole`: whole numbers alone. */
  values: z.array(value).readonly().optional(),
  range: z.object({ from: z.number(), to: z.number(), whole: z.boolean() }).optional(),
});

/** How members are laid out: every combination, or as many as asked for, spread evenly over each range. */
const sampling = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("grid") }),
  z.object({ kind: z.literal("latin"), members: z.number(), seed: z.number() }),
]);

const member = z.object({
  /** 0 … members − 1, which a scheduler's array gives. */
  index: z.int().min(0),
  /** Its folder within the ensemble's; a foreign record must not lead out of that. */
  folder: z.string().regex(/^\w[\w.-]*$/, "expected the name of a folder"),
  values: z.record(z.string(), value).readonly(),
});

const schema = z.object({
  format: z.literal(ENSEMBLE_FORMAT),
  version: z.string(),
  title: z.string(),
  /** As it was asked for: a path or a bare name. */
  scenario: z.string(),
  /** Folder that files which the deck names are relative to, from the root. */
  filesFrom: z.string(),
  backend: z.enum(["auto", "webgpu", "cpu"]),
  extensions: z.array(z.string()).readonly(),
  /** Overrides that all members have, `key=value`. */
  overrides: z.array(z.string()).readonly(),
  varied: z.array(variedKey).readonly(),
  sampling,
  members: z
    .array(member)
    .min(1)
    .refine((all) => all.every(({ index }, i) => index === i), "expected members 0, 1, 2 … in turn")
    .readonly(),
});

export type VariedValue = z.infer<typeof value>;
export type VariedKey = z.infer<typeof variedKey>;
export type Member = z.infer<typeof member>;
export type Ensemble = z.infer<typeof schema>;

/** Throws "usage" where the ensemble in `folder`, or to be made there, has no such member. */
export function requireMember({ members }: Ensemble, index: number, folder: string): Member {
  const member = members[index];
  if (member) return member;
  throw new GravmeshError("usage", `${folder} has no member ${index}: expected 0 to ${members.length - 1}.`);
}

export const memberFolder = (ensembleFolder: string, { folder }: Member): string => join(ensembleFolder, folder);

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
    const message = `${file} is no JSON: ${(cause as Error).message}. Restore it from a copy.`;
    throw new GravmeshError("input", message, { cause });
  }
  const { success, data, error } = schema.safeParse(content);
  if (success) return data;
  const [{ path, message }] = error.issues;
  const where = path.length === 0 ? "" : ` at ${path.join(".")}`;
  throw new GravmeshError("input", `${file} isn't the record of an ensemble${where}: ${message}.`);
}
