/** The stage's worker, tampered with. */
import "./stage-tampering.ts";
import "../../src/doors/site/worker/worker.ts";
