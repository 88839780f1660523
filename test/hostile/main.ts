/**
 * The command behind `npm run test:hostile`: attacks the server of the page and the links of the studio. Prints a line
 * for every fault and the number of tries; ends with 1 where one is at fault.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { amuseTries } from "./amuse.ts";
import { linkTries } from "./links.ts";
import { serverTries } from "./server.ts";
import type { Try } from "./try.ts";

const KINDS: Readonly<Record<string, readonly Try[]>> = {
  server: serverTries,
  links: linkTries,
  amuse: amuseTries,
};

const { values } = parseArgs({
  options: {
    /** Of KINDS, those alone that are named, with commas between them. */
    kind: { type: "string", default: Object.keys(KINDS).join(",") },
    /** Tries whose name holds this text. */
    only: { type: "string", default: "" },
    /** Without those that start runs or Chromium, or take seconds. */
    quick: { type: "boolean", default: false },
    /** A try ends in this time [s]. */
    limit: { type: "string", default: "60" },
    list: { type: "boolean", default: false },
  },
});

async function faultOf(one: Try): Promise<string | undefined> {
  const late = new AbortController();
  const limit = sleep(1000 * Number(values.limit), `no end in ${values.limit} s`, { signal: late.signal });
  try {
    return await Promise.race([one.run(), limit]);
  } catch (cause) {
    return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  } finally {
    limit.catch(() => {});
    late.abort();
  }
}

const began = performance.now();
let [tries, faults] = [0, 0];
for (const [kind, all] of Object.entries(KINDS)) {
  if (!values.kind.split(",").includes(kind)) continue;
  const chosen = all.filter(
    ({ name }) => name.includes(values.only) && !(values.quick && /^(Chromium|run|300 MB|view .* read)\b/.test(name)),
  );
  for (const one of chosen) {
    const start = performance.now();
    const fault = await faultOf(one);
    tries++;
    if (fault !== undefined) faults++;
    if (fault !== undefined) console.log(`FAULT ${kind}: ${one.name}: ${fault}`);
    else if (values.list) console.log(`${kind}: ${one.name} (${(performance.now() - start).toFixed(0)} ms)`);
  }
}
console.log(`${tries} tries, ${faults} at fault (${((performance.now() - began) / 1000).toFixed(0)} s)`);
// What a try has started ends with this process.
process.exit(faults > 0 || tries === 0 ? 1 : 0);
