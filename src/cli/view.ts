/** `gravmesh view`: serves the page, says where, and opens it. */
import { spawn } from "node:child_process";
import type { ViewRequest } from "../live/request.ts";
import { type ViewEvent, view } from "../live/view.node.ts";
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

interface Options extends Omit<ViewRequest, "folder"> {
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
    return view({ ...options, folder }, opened, signal);
  });
}

function opener(address: string): [string, ...string[]] | undefined {
  if (process.platform === "darwin") return ["open", address];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", address];
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return DISPLAY || WAYLAND_DISPLAY ? ["xdg-open", address] : undefined;
}

function openInBrowser(address: string, complain: (message: string) => void): void {
  const found = opener(address);
  if (!found) {
    complain("--open: there is no desktop here; open the address in a browser.");
    return;
  }
  const [program, ...args] = found;
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.on("error", ({ message }) => complain(`--open: ${message}; open the address in a browser.`));
  child.unref();
}
