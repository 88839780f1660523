/** Suites of papers without measuring: what is presented of results that a test has made up. */

import type { StudySettings, Suite } from "../../src/study/spec.ts";
import type { SuiteRecord } from "../../src/study/suite-record.ts";
import { emptyRecord, presentRecord } from "../../src/study/suite-record.ts";

export const ADAPTER = { vendor: "v", architecture: "a", device: "d", description: "an adapter", software: true };

/** The record of a suite with these results, by key; the rest waits. */
export function presented(suite: Suite, results: ReadonlyMap<string, unknown>, settings: StudySettings): SuiteRecord {
  const record = emptyRecord(suite, settings, ADAPTER);
  for (const one of record.cases) {
    if (results.has(one.key)) Object.assign(one, { status: "complete", result: results.get(one.key) });
  }
  presentRecord(record, suite);
  return record;
}
