/** The stage's worker, tampered with. */
import "./stage-tampering.ts";
import "../../src/site/worker/worker.ts";
