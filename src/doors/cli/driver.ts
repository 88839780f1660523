/**
 * What to install where there is no adapter: a software Vulkan driver (Mesa's lavapipe, version 24 or later). Pure
 * functions from what the machine says of itself to a plan, which .tooling/setup.mjs carries out and `gravmesh doctor`
 * prints. Debian 12 ships a Mesa that is too old: its driver comes from bookworm-backports, by the machine's own Debian
 * source.
 */
import { readdirSync } from "node:fs";
import { textOf } from "../../run/io/process-table.node.ts";
import { shellLine, shellWord } from "../../run/shell-word.ts";

interface TextFile {
  path: string;
  text: string;
}

interface OsRelease {
  id: string;
  idLike: string[];
  codename: string;
  prettyName: string;
}

interface AptPlan {
  kind: "apt";
  packages: string[];
  /** Suite given to apt-get's -t, where the packages don't come from the release itself. */
  suite?: string;
  /** Apt source to be written first; absent where the suite is configured already. */
  source?: TextFile;
}

type DriverPlan = AptPlan | { kind: "command"; command: string } | { kind: "advice"; text: string };

const DRIVER_PACKAGES = ["mesa-vulkan-drivers", "libvulkan1"] as const;

/** Releases whose own Mesa Dawn refuses, and where a working one is to be had. */
const BACKPORTS: Record<string, string> = { bookworm: "bookworm-backports" };
/** By family of distributions without apt. */
const INSTALLS = [
  { of: /^(fedora|rhel)$/, command: "sudo dnf install mesa-vulkan-drivers vulkan-loader" },
  { of: /^arch$/, command: "sudo pacman -S vulkan-swrast vulkan-icd-loader" },
  { of: /suse/, command: "sudo zypper install libvulkan_lvp libvulkan1" },
];
const OUR_SOURCE = "/etc/apt/sources.list.d/gravmesh-backports";

export function parseOsRelease(text: string): OsRelease {
  const field = (name: string) =>
    new RegExp(`^${name}=(.*)$`, "m")
      .exec(text)?.[1]
      .trim()
      .replace(/^(["'])(.*)\1$/, "$2") ?? "";
  return {
    id: field("ID"),
    idLike: field("ID_LIKE").split(/\s+/).filter(Boolean),
    codename: field("VERSION_CODENAME"),
    prettyName: field("PRETTY_NAME"),
  };
}

interface AptEntry {
  uris: string[];
  suites: string[];
  components: string[];
  /** Text of the keyring option, for telling Debian's archive from other people's. */
  signedBy: string;
  enabled: boolean;
  /** The entry in its own notation, with another suite and `main` alone. */
  withSuite(suite: string): string;
  extension: ".sources" | ".list";
}

/** deb822: stanzas of fields, continued by indented lines; comment lines anywhere. */
function deb822Entries(text: string): AptEntry[] {
  const stanzas = text.replace(/^#.*\n?/gm, "").split(/\n[ \t\r]*\n/);
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*(?:\\n[ \\t]+\\S.*)*)`, "im");
  return stanzas.flatMap((stanza) => {
    const value = (name: string) => field(name).exec(stanza)?.[1].trim() ?? "";
    const words = (name: string) => value(name).split(/\s+/).filter(Boolean);
    if (!words("Types").includes("deb")) return [];
    const changes = (suite: string) => Object.entries({ Types: "deb", Suites: suite, Components: "main" });
    return {
      ...{ uris: words("URIs"), suites: words("Suites"), components: words("Components") },
      signedBy: value("Signed-By"),
      enabled: !/^(no|false|0|off|without|disable)$/i.test(value("Enabled")),
      withSuite: (suite) =>
        `${changes(suite).reduce((all, [name, to]) => all.replace(field(name), `${name}: ${to}`), stanza.trim())}\n`,
      extension: ".sources",
    } satisfies AptEntry;
  });
}

/** One-line notation: `deb [options] uri suite component…`. */
function classicEntries(text: string): AptEntry[] {
  return text.split("\n").flatMap((line) => {
    const match = /^\s*deb\s+(\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+([^#]*)/.exec(line);
    if (!match) return [];
    const [, options = "", uri, suite, components] = match;
    return {
      ...{ uris: [uri], suites: [suite], components: components.split(/\s+/).filter(Boolean) },
      ...{ signedBy: options, enabled: true },
      withSuite: (other) => `deb ${options ? `${options.trim()} ` : ""}${uri} ${other} main\n`,
      extension: ".list",
    } satisfies AptEntry;
  });
}

/** How sure we are that an entry is Debian's own archive: other archives name their suites after Debian's too. */
function debianness(entry: AptEntry, codename: string): number {
  const keyring = /debian-archive/.test(entry.signedBy) ? 2 : 0;
  const path = entry.uris.some((uri) => /\/debian\/?$/.test(uri)) ? 1 : 0;
  const updates = entry.suites.includes(`${codename}-updates`) ? 1 : 0;
  return keyring + path + updates;
}

/** The source of `suite`, copied from the machine's own of Debian `codename`; undefined where there is none. */
export function aptSourceFor(
  suite: string,
  codename: string,
  files: readonly TextFile[],
): TextFile | "configured" | undefined {
  const entries = files
    .flatMap(({ path, text }) => (path.endsWith(".sources") ? deb822Entries(text) : classicEntries(text)))
    .filter(
      ({ enabled, uris, components }) =>
        enabled && components.includes("main") && uris.length > 0 && !uris.some((uri) => uri.startsWith("cdrom:")),
    );
  if (entries.some(({ suites }) => suites.includes(suite))) return "configured";
  const candidates = entries.filter((entry) => entry.suites.includes(codename) && debianness(entry, codename) > 0);
  const [best] = candidates.sort((a, b) => debianness(b, codename) - debianness(a, codename));
  return best && { path: `${OUR_SOURCE}${best.extension}`, text: best.withSuite(suite) };
}

export function driverPlan(platform: string, release: OsRelease, aptFiles: readonly TextFile[]): DriverPlan {
  const advice = (text: string): DriverPlan => ({ kind: "advice", text });
  if (platform === "win32") {
    return advice("update the graphics driver, or Windows itself: WebGPU needs Direct3D 12");
  }
  if (platform !== "linux") return advice("update the system: WebGPU needs Metal");
  const family = [release.id, ...release.idLike];
  if (family.includes("debian") || family.includes("ubuntu")) {
    const packages = [...DRIVER_PACKAGES];
    const suite = BACKPORTS[release.codename];
    if (!suite) return { kind: "apt", packages };
    const source = aptSourceFor(suite, release.codename, aptFiles);
    if (source) return { kind: "apt", packages, suite, ...(source !== "configured" && { source }) };
    return advice(
      `add ${suite} to the apt sources (no entry of Debian ${release.codename} main was found to copy), then: sudo apt-get update && sudo apt-get install -t ${suite} ${packages.join(" ")}`,
    );
  }
  const install = INSTALLS.find(({ of }) => family.some((id) => of.test(id)));
  if (install) return { kind: "command", command: install.command };
  return advice(
    "install the GPU vendor's Vulkan driver, or Mesa's lavapipe (version 24 or later) and the Vulkan loader",
  );
}

/** The plan as a shell command, or as advice. */
export function planText(plan: DriverPlan): string {
  if (plan.kind === "advice") return plan.text;
  if (plan.kind === "command") return plan.command;
  const lines = plan.source?.text.trimEnd().split("\n") ?? [];
  const write = plan.source && `printf '%s\\n' ${shellLine(...lines)} | sudo tee ${shellWord(plan.source.path)}`;
  const install = `sudo apt-get install -y ${plan.suite ? `-t ${plan.suite} ` : ""}${plan.packages.join(" ")}`;
  return [write, "sudo apt-get update", install].filter(Boolean).join(" && ");
}

/** Apt's own source files; anything else that lies in the folder is not apt's. */
function aptSourceFiles(): TextFile[] {
  const folder = "/etc/apt/sources.list.d";
  let names: string[] = [];
  try {
    names = readdirSync(folder).sort();
  } catch {
    // No apt here.
  }
  return ["/etc/apt/sources.list", ...names.map((name) => `${folder}/${name}`)]
    .filter((path) => /\.(list|sources)$/.test(path))
    .map((path) => ({ path, text: textOf(path) }));
}

export function driverPlanHere(): DriverPlan {
  return driverPlan(process.platform, parseOsRelease(textOf("/etc/os-release")), aptSourceFiles());
}
