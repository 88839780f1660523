/** gravmesh: particle-mesh gravity on any GPU. The library's door, in the order of the pipeline. */
export { type ErrorKind, GravmeshError } from "./errors.ts";
export type { Scenario } from "./scenario/scenario.ts";
export { version } from "./version.ts";
