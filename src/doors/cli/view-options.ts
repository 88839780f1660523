/** The command `gravmesh view` and its options. */
import { FRAME_SOURCES } from "../../studio/live/request.ts";
import { type Cli, portNumber, repeatable } from "./options.ts";

export function addView(gravmesh: Cli): void {
  gravmesh
    .command("view")
    .summary("show the page in a browser: runs in the tab, or a result folder")
    .description(
      "Serves the page on 127.0.0.1 and prints its address. With FOLDER it shows the run in that result folder: its snapshots " +
        "to scrub through, its curves, its report; a run under way grows. Without FOLDER, runs are in the browser's tab. " +
        "It is served only on this machine, and only with the token in the address.",
    )
    .argument("[FOLDER]", "result folder of a run")
    .option("--port <number>", "port to listen on (default: a free one)", portNumber)
    .option("--open", "open the page in the browser, where there is a desktop")
    .choice(
      "--from",
      "source of the frames; auto: subsamples where there are more of them, with 20000 particles or more, else snapshots",
      FRAME_SOURCES,
    )
    .option(
      "--extension <file>",
      "JavaScript module that the run was made with; may be given several times",
      repeatable,
    )
    .option("--json", "events on stdout, one JSON object a line")
    .ending(
      ["gravmesh view", "gravmesh view results/disk --open"],
      "From elsewhere: ssh -L 8080:127.0.0.1:8080 HOST gravmesh view results/disk --port 8080 (docs/live.md).",
      "Ctrl-C ends it.",
    )
    .does(async () => (await import("./view.ts")).viewCommand);
}
