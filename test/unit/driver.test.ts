/** The plan for a machine without an adapter: apt sources of both notations, other people's archives, other systems. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { aptSourceFor, driverPlan, parseOsRelease, planText } from "../../src/doors/cli/driver.ts";

const BOOKWORM = parseOsRelease(
  'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_CODENAME=bookworm\nVERSION_ID="12"\n',
);
const DEB822 = {
  path: "/etc/apt/sources.list.d/debian.sources",
  text: `Types: deb deb-src
# the mirror of this house
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib non-free-firmware
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
`,
};
const OTHER_PEOPLE = {
  path: "/etc/apt/sources.list.d/aaa-vendor.list",
  text: "deb [signed-by=/usr/share/keyrings/vendor.gpg] https://apt.vendor.example bookworm main\n",
};
const source = (...files: { path: string; text: string }[]) => aptSourceFor("bookworm-backports", "bookworm", files);

describe("the apt source for backports", () => {
  it("copies a deb822 stanza with suite and components changed", () => {
    expect(source(OTHER_PEOPLE, DEB822)).toEqual({
      path: "/etc/apt/sources.list.d/gravmesh-backports.sources",
      text: `Types: deb
URIs: http://mirror.example/debian
Suites: bookworm-backports
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
`,
    });
  });

  it("keeps an inline key and further options of a stanza", () => {
    const inline = {
      path: "/etc/apt/sources.list.d/x.sources",
      text: `Enabled: yes
Types: deb
URIs: mirror+file:///etc/apt/mirrors/debian.list
Suites: bookworm bookworm-updates
Components: main
Check-Valid-Until: no
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
 -----END PGP PUBLIC KEY BLOCK-----
`,
    };
    const text = (source(inline) as { text: string }).text;
    expect(text).toContain("Suites: bookworm-backports\n");
    expect(text).toContain("Check-Valid-Until: no\n");
    expect(text).toContain("\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n");
  });

  it("copies a classic line, with its options", () => {
    const classic = {
      path: "/etc/apt/sources.list",
      text: `# deb cdrom:[Debian 12]/ bookworm main
deb cdrom:[Debian 12]/ bookworm main
deb-src http://ftp.example/debian/ bookworm main
deb [arch=amd64] http://ftp.example/debian/ bookworm main contrib # comment
deb http://ftp.example/debian-security bookworm-security main
`,
    };
    expect(source(OTHER_PEOPLE, classic)).toEqual({
      path: "/etc/apt/sources.list.d/gravmesh-backports.list",
      text: "deb [arch=amd64] http://ftp.example/debian/ bookworm-backports main\n",
    });
  });

  it("sees that backports are configured already", () => {
    const there = { path: "/etc/apt/sources.list", text: "deb http://ftp.example/debian bookworm-backports main\n" };
    expect(source(DEB822, there)).toBe("configured");
  });

  it("takes nothing from disabled entries, disabled files and other archives", () => {
    const off = { ...DEB822, text: DEB822.text.replace("Types: deb deb-src", "Enabled: no\nTypes: deb") };
    const renamed = { path: `${DEB822.path}.disabled`, text: DEB822.text };
    expect(source(off, renamed, OTHER_PEOPLE)).toBeUndefined();
  });
});

describe("the plan", () => {
  it("for Debian 12 writes a source and installs from it; the printed command does the same", () => {
    const plan = driverPlan("linux", BOOKWORM, [DEB822]);
    expect(plan).toMatchObject({
      kind: "apt",
      packages: ["mesa-vulkan-drivers", "libvulkan1"],
      suite: "bookworm-backports",
    });
    expect(planText(plan)).toBe(
      "printf '%s\\n' 'Types: deb' 'URIs: http://mirror.example/debian' 'Suites: bookworm-backports' 'Components: main' " +
        "'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' | " +
        "sudo tee /etc/apt/sources.list.d/gravmesh-backports.sources && sudo apt-get update && " +
        "sudo apt-get install -y -t bookworm-backports mesa-vulkan-drivers libvulkan1",
    );
  });

  it("for Ubuntu and Debian 13 is the plain package", () => {
    for (const release of ["ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble", "ID=debian\nVERSION_CODENAME=trixie"]) {
      const plan = driverPlan("linux", parseOsRelease(release), [DEB822]);
      expect(planText(plan)).toBe("sudo apt-get update && sudo apt-get install -y mesa-vulkan-drivers libvulkan1");
    }
  });

  it("says what to add where Debian's own entry can't be found", () => {
    const plan = driverPlan("linux", BOOKWORM, [OTHER_PEOPLE]);
    expect(plan.kind).toBe("advice");
    expect(planText(plan)).toMatch(/add bookworm-backports to the apt sources.*install -t bookworm-backports/);
  });

  it("gives other systems their own command or advice", () => {
    expect(planText(driverPlan("linux", parseOsRelease("ID=fedora"), []))).toMatch(/^sudo dnf install/);
    expect(planText(driverPlan("linux", parseOsRelease('ID=endeavouros\nID_LIKE="arch"'), []))).toMatch(/^sudo pacman/);
    expect(planText(driverPlan("linux", parseOsRelease("ID=nixos"), []))).toMatch(/Vulkan/);
    expect(planText(driverPlan("darwin", parseOsRelease(""), []))).toMatch(/Metal/);
    expect(planText(driverPlan("win32", parseOsRelease(""), []))).toMatch(/Direct3D 12/);
  });
});

describe("docs/CONTRIBUTING.md", () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const page = read("docs/CONTRIBUTING.md");

  it("names what the tests install, and the apt source that stays", () => {
    const packages = [...read(".tooling/setup.mjs").matchAll(/^ {2}"?(?:python3-)?([a-z0-9-]+)"?: \[/gm)];
    const known = ["h5py", "yt", "openmpi-bin", "mpich", "slurmctld", "slurmd", "slurm-client", "munge", "chromium"];
    expect(packages.map(([, name]) => name)).toEqual([...known, "firefox-esr"]);
    for (const [, name] of packages) expect(page.toLowerCase()).toContain(name);
    const written = source(DEB822) as { path: string };
    expect(page).toContain(written.path.replace(/\.[a-z]+$/, ".*"));
  });
});
