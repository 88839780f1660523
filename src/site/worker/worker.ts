/** The worker's door: a stage, spoken to through comlink. */
import { expose } from "comlink";
import { stage } from "./stage.ts";

expose(stage());
