/** Kinds and ranges of a checkpoint's figures, so that a wrong file is found before anything is computed from it. */
import { z } from "zod";
import { SPECIES } from "../physics/particles/state.ts";
import type { CheckpointProgress } from "./checkpoint.ts";

const count = z.int().min(0);
const amount = z.number().min(0);
const point = z.tuple([z.number(), z.number(), z.number()]);
const pair = z.tuple([z.number(), z.number()]);
/** JSON has no NaN: a radius that there isn't is null. */
const perhaps = z.number().nullable();

const sums = z.looseObject({
  ...{ kinetic: z.number(), potential: z.number(), mass: z.number() },
  ...{ momentum: point, angularMomentum: point, centreOfMass: point },
  ...{ virial: perhaps, outside: count, lagrangianRadii: z.array(perhaps) },
});

const component = z.looseObject({
  name: z.string(),
  species: z.enum(SPECIES),
  galaxy: z.string().optional(),
  first: count,
  count,
});

const cosmicEnergy = z.looseObject({
  ...{ initial: z.number(), integral: z.number() },
  last: z.looseObject({ a: z.number(), kinetic: z.number(), potential: z.number() }),
});

const extremes = z.looseObject({ acceleration: amount, speed: amount });
const segment = z.looseObject({ steps: z.int().min(1), ticks: z.int().min(1) });
const adaptive = z.looseObject({
  measured: z.array(extremes).max(2),
  before: extremes.optional(),
  begun: segment.optional(),
});

const traffic = z.looseObject({ submissions: count, waits: count, bytesRead: count });

const along = z.looseObject({ times: z.array(z.number()).min(2), points: z.array(point) });

const lines = z.looseObject({ count, digest: z.string(), text: z.string().optional() });

/** Other keys pass: outputs keep what they like. */
const figures = z.looseObject({
  ...{ step: count, time: z.number(), initialSums: sums },
  extra: z.looseObject({
    ...{ output: count, tick: count, components: z.array(component) },
    adaptive: adaptive.optional(),
    masses: z.array(amount).nullable(),
    externalPotentials: z
      .array(
        z.looseObject({
          ...{ kind: z.string(), centre: point, parameters: z.record(z.string(), z.number()) },
          turn: z.looseObject({ speed: z.number(), phase: z.number() }).optional(),
          ...{ grow: pair.optional(), decay: pair.optional(), until: z.number().optional() },
          ...{ path: along.optional(), acceleration: along.optional() },
        }),
      )
      .optional(),
    cosmicEnergy: cosmicEnergy.optional(),
    adapter: z.string().nullish(),
    resumes: count,
    seconds: z.looseObject({ preparation: amount, steps: amount, outputs: amount, end: amount }).optional(),
    stages: z.array(z.looseObject({ stage: z.string(), ms: amount, count })).optional(),
    traffic: z.looseObject({ all: traffic, steps: traffic, counted: count }).optional(),
    lines: z.record(z.string(), lines).optional(),
    extensions: z.array(z.string()).optional(),
  }),
});

/** Which figure of a checkpoint can't be, in words; undefined when all can. */
export function figureFault(progress: CheckpointProgress): string | undefined {
  const { error } = figures.safeParse(progress);
  if (!error) return undefined;
  const [{ path, message }] = error.issues;
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], progress);
  return `its figures are wrong: ${path.join(".")} is ${JSON.stringify(value) ?? "missing"} (${message})`;
}
