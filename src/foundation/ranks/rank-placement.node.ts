/** The seat of this process on Linux; elsewhere ranks of a host count as sharing its device. */
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { type RankPlacement, solverWish } from "./rank-placement.ts";

/** Files of GPUs; a scheduler that gives a process one of them lets it open no other. */
const GPU_FILES: readonly { folder: string; name: RegExp }[] = [
  { folder: "/dev", name: /^nvidia\d+$/ },
  { folder: "/dev/dri", name: /^renderD\d+$/ },
];
const CHOSEN = "DRI_PRIME";

/** Throws "usage" for a wish that there isn't. */
export function placementHere(environment: Readonly<Record<string, string | undefined>> = process.env): RankPlacement {
  return {
    ...{ host: hostname(), cores: coresAllowed(), devices: [environment[CHOSEN] ?? "", ...gpuFiles()].join(" ") },
    solvers: solverWish(environment.GRAVMESH_SOLVERS),
  };
}

const coresAllowed = () =>
  orElse("", () => /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "");

function gpuFiles(): string[] {
  const names = ({ folder, name }: (typeof GPU_FILES)[number]) =>
    readdirSync(folder).flatMap((file) => (name.test(file) ? [`${folder}/${file}`] : []));
  return GPU_FILES.flatMap((files) => orElse([], () => names(files))).filter((file) =>
    orElse(false, () => {
      closeSync(openSync(file, "r+"));
      return true;
    }),
  );
}

function orElse<T>(otherwise: T, work: () => T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
