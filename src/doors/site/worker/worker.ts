/** The worker's door: a stage, spoken to through comlink. */
import { expose } from "comlink";
import { PageStage } from "./stage.ts";

expose(new PageStage());
