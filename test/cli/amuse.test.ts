/** `gravmesh amuse-worker` as AMUSE starts it: a life, a peer that vanishes, nobody there, nothing that listens. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Peer } from "../support/amuse.ts";
import { bin } from "../support/cli.ts";

interface Started {
  peer: Peer;
  child: ChildProcess;
  ended: Promise<unknown[]>;
  said: () => string;
}

async function started(): Promise<Started> {
  let child!: ChildProcess;
  let text = "";
  const peer = await Peer.listen((port) => {
    child = spawn(process.execPath, [bin, "amuse-worker", String(port), "127.0.0.1", "false"]);
    child.stderr!.on("data", (piece) => (text += piece));
  });
  return { peer, child, ended: once(child, "close"), said: () => text };
}

/** Inodes of TCP sockets that listen, by /proc. */
const listening = () =>
  ["tcp", "tcp6"].flatMap((file) =>
    readFileSync(`/proc/net/${file}`, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === "0A")
      .map((fields) => fields[9]),
  );

describe("gravmesh amuse-worker", () => {
  it("lives as AMUSE wants it to, in the other byte order as well, and ends at stop", async () => {
    const { peer, child, ended } = await started();
    const how = { bigEndian: true };
    for (const name of ["initialize_code", "commit_parameters"])
      expect((await peer.call(name, {}, how)).ints).toEqual([0]);
    // Two bodies on a circle about each other: their separation is 1, their period 2π/√2.
    const v = Math.SQRT1_2;
    const doubles = [1, 1, 0.5, -0.5, 0, 0, 0, 0, 0, 0, v, -v, 0, 0, 0, 0];
    expect((await peer.call("new_particle", { doubles }, { ...how, calls: 2 })).ints).toEqual([0, 0, 0, 1]);
    await peer.call("commit_particles", {}, how);
    await peer.call("evolve_model", { doubles: [Math.PI * v] }, how);
    const { doubles: at } = await peer.call("get_position", { ints: [0, 1] }, { ...how, calls: 2 });
    for (const [k, expected] of [-0.5, 0.5, 0, 0, 0, 0].entries()) expect(at[k]).toBeCloseTo(expected, 4);
    if (process.platform === "linux") {
      const links = readdirSync(`/proc/${child.pid}/fd`).map((fd) => readlinkSync(`/proc/${child.pid}/fd/${fd}`));
      const own = links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
      expect(own.length).toBeGreaterThan(0);
      expect(own.filter((inode) => listening().includes(inode))).toEqual([]);
    }
    expect(await peer.call(0, {}, how)).toMatchObject({ error: false, functionId: 0, callId: 7 });
    expect(await ended).toEqual([0, null]);
  });

  it.each(["goes", "is cut off"])("ends when its peer %s in the middle of an evolution", async (how) => {
    const { peer, ended, said } = await started();
    await peer.call("set_parameter", { strings: ["gravity", "mesh"] });
    await peer.call("set_parameter", { strings: ["backend", "cpu"] });
    await peer.call("new_particle", { doubles: [1, 0.5, 0, 0, 0, 0, 0, 0] });
    await peer.call("commit_particles");
    const evolution = peer.call("evolve_model", { doubles: [1e6] });
    evolution.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (how === "goes") peer.socket.destroy();
    else peer.socket.resetAndDestroy();
    expect(await ended).toEqual([1, null]);
    expect(said()).toMatch(/^gravmesh: AMUSE at 127\.0\.0\.1:\d+ is gone without a word to stop/);
  });

  it("says so where nobody listens, and where what comes is no message", async () => {
    const child = spawn(process.execPath, [bin, "amuse-worker", "1", "127.0.0.1"]);
    let text = "";
    child.stderr.on("data", (piece) => (text += piece));
    expect(await once(child, "close")).toEqual([1, null]);
    expect(text).toContain("no connection to 127.0.0.1:1: connect ECONNREFUSED");
    const { peer, ended, said } = await started();
    peer.send(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: localhost:40123\r\nAccept: */*\r\n\r\n"));
    expect(await ended).toEqual([1, null]);
    expect(said()).toContain("AMUSE's header: expected a byte order of 0 or 1");
  });
});
