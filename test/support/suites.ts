/** Suites of papers without measuring: what is presented of results that a test has made up. */
import type { SuiteRecord } from "../../src/bench/suites/page-model.ts";
import { emptyRecord, presentRecord } from "../../src/bench/suites/record.ts";
import type { Suite, SuiteSettings } from "../../src/bench/suites/spec.ts";

export const ADAPTER = { vendor: "v", architecture: "a", device: "d", description: "an adapter", software: true };

/** The record of a suite with these results, by key; the rest waits. */
export function presented(suite: Suite, results: ReadonlyMap<string, unknown>, settings: SuiteSettings): SuiteRecord {
  const record = emptyRecord(suite, settings, ADAPTER);
  for (const one of record.measurements) {
    if (results.has(one.key)) Object.assign(one, { status: "done", result: results.get(one.key) });
  }
  presentRecord(record, suite);
  return record;
}
