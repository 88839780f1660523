/** The table of processes that a pid belongs to: a pid alone means nothing on another machine or in another container. */
import { readFileSync, readlinkSync } from "node:fs";

/** What tells machines of one name apart, and containers on one of them, where the system has it; else "". */
export function placeHere(): string {
  return [textOf("/etc/machine-id"), textOf("/proc/self/ns/pid", readlinkSync)].filter(Boolean).join(" ");
}

/** Whether this machine, or container, has a process of that number. */
export function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH"; // EPERM: it is there, and another user's
  }
}

/** The content of a small file of the system's, or where a link leads; "" where there is none. */
export function textOf(file: string, read: (file: string) => string = (name) => readFileSync(name, "utf8")): string {
  try {
    return read(file).trim();
  } catch {
    return "";
  }
}
