/** `gravmesh view`: serves the page, says where, and opens it. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { html } from "../../run/page/markup.ts";
import type { ServeRequest } from "../../studio/live/request.ts";
import { serveView, type ViewEvent } from "../../studio/live/view.node.ts";
import { colours } from "./colours.ts";
import type { Words } from "./display.ts";
import { session } from "./session.ts";

const viewWords: Words<ViewEvent> = {
  live: {},
  lasting: {
    serving: ({ address, title, frames }) =>
      title === null ? address : `${address}\n${colours.bold(title)}: ${frames} ${frames === 1 ? "frame" : "frames"}`,
  },
  allSaid: true,
  stopping: ";",
};

interface Options extends Omit<ServeRequest, "folder"> {
  open?: boolean;
  json?: boolean;
}

export function viewCommand(folder: string | undefined, { open, json, ...options }: Options): Promise<number> {
  return session<ViewEvent>({ json }, viewWords, (watch, signal) => {
    const opened = (event: ViewEvent) => {
      watch(event);
      if (open && event.event === "serving")
        openInBrowser(event.address, (message) => watch({ event: "warning", message }));
    };
    return serveView({ ...options, folder }, opened, signal);
  });
}

function opener(file: string): [string, ...string[]] | undefined {
  if (process.platform === "darwin") return ["open", file];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", file];
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return DISPLAY || WAYLAND_DISPLAY ? ["xdg-open", file] : undefined;
}

/** For how long the file lies there that a browser is given [ms]. */
const OPENED = 60_000;

/** By a file of the user's own that leads there: the address has the token, and all on this machine see a program's arguments. */
function openInBrowser(address: string, complain: (message: string) => void): void {
  const failed = (cause: unknown) =>
    complain(`--open: ${cause instanceof Error ? cause.message : cause}; open the address in a browser.`);
  if (!opener("")) {
    complain("--open: there is no desktop here; open the address in a browser.");
    return;
  }
  try {
    const folder = mkdtempSync(join(tmpdir(), "gravmesh-view-"));
    const remove = () => rmSync(folder, { recursive: true, force: true });
    process.once("exit", remove);
    setTimeout(remove, OPENED).unref();
    const file = join(folder, "open.html");
    const moved = html`<meta http-equiv="refresh" content="0; url=${address}"><a href="${address}">gravmesh</a>`;
    writeFileSync(file, `<!doctype html><meta name="referrer" content="no-referrer">${moved}\n`, { mode: 0o600 });
    const [program, ...args] = opener(file)!;
    const child = spawn(program, args, { stdio: "ignore", detached: true });
    child.on("error", failed);
    child.unref();
  } catch (cause) {
    failed(cause);
  }
}
