/** AMUSE's messages: both byte orders, pieces of any length, texts, long messages, and what is none. */
import { describe, expect, it } from "vitest";
import { functionId } from "../../src/doors/amuse/functions.ts";
import { noValues, readMessage, reply } from "../../src/doors/amuse/protocol.ts";
import { ByteFeed } from "../../src/doors/amuse/worker.ts";
import { replyIn, request } from "../support/amuse.ts";

/** A message that comes in pieces of `size` bytes. */
function read(bytes: Uint8Array, size = bytes.length) {
  const feed = new ByteFeed();
  const message = readMessage(feed.take);
  for (let at = 0; at < bytes.length; at += size) feed.push(bytes.subarray(at, at + size));
  feed.end(new Error("no more"));
  return message;
}

const join = (parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

describe("messages", () => {
  it("have the numbers of AMUSE's functions", () => {
    const names = [
      "new_particle",
      "commit_particles",
      "evolve_model",
      "get_gravity_at_point",
      "get_potential_at_point",
    ];
    expect(names.map(functionId)).toEqual([290264013, 20920053, 416721977, 1877555269, 210995141]);
    expect(functionId("initialize_code")).toBe(1768994498);
  });

  it.each([
    [false, 1],
    [true, 3],
    [true, 1000],
  ])("come in either byte order (big-endian: %s) and in pieces of %d bytes", async (bigEndian, size) => {
    const given = { ints: [3, -4], doubles: [0.1, -1e300], strings: ["box.size", "Größe"], booleans: [1, 0] };
    const message = await read(request("set_parameter", given, { calls: 2, bigEndian, longs: 2, units: 3 }), size);
    expect(message).toMatchObject({ bigEndian, callId: 7, functionId: functionId("set_parameter"), calls: 2 });
    expect(message.values).toMatchObject({ i: Int32Array.of(3, -4), d: Float64Array.of(0.1, -1e300) });
    expect([message.values.s, [...message.values.b]]).toEqual([given.strings, [1, 0]]);
  });

  it.each([false, true])("are answered in the byte order that they came in (big-endian: %s)", (bigEndian) => {
    const values = { ...noValues(), i: Int32Array.of(0, -1), d: Float64Array.of(0.1, 2.5), s: ["π", ""] };
    const bytes = join(reply({ bigEndian, callId: -5, functionId: 9, calls: 2 }, values, true));
    expect(bytes[0]).toBe(bigEndian ? 1 : 0);
    const { reply: found, length } = replyIn(bytes)!;
    expect(length).toBe(bytes.length);
    expect(found).toMatchObject({
      error: true,
      callId: -5,
      functionId: 9,
      calls: 2,
      ints: [0, -1],
      strings: ["π", ""],
    });
    expect([...found.doubles]).toEqual([0.1, 2.5]);
  });

  it("may be long", async () => {
    const calls = 1_000_000;
    const doubles = Float64Array.from({ length: 2 * calls }, (_, k) => k / 3);
    const { values } = await read(request("get_potential_at_point", { doubles }, { calls }), 65_536);
    expect(values.d.length).toBe(2 * calls);
    expect([values.d[0], values.d[calls], values.d[2 * calls - 1]]).toEqual([0, calls / 3, (2 * calls - 1) / 3]);
  });

  it("are refused where they are none, and end where nothing follows", async () => {
    const http = new TextEncoder().encode("GET / HTTP/1.1\r\nHost: localhost:40123\r\nAccept: */*\r\n");
    await expect(read(http)).rejects.toThrow("AMUSE's header: expected a byte order of 0 or 1 and counts from 0 up");
    const negative = request("get_time", {});
    new DataView(negative.buffer).setInt32(16, -1, true);
    await expect(read(negative)).rejects.toThrow("in all, found 0, 0, 0, 0 and 1, -1");
    const text = request("set_deck", { strings: ["abc"] });
    new DataView(text.buffer).setInt32(44, -3, true);
    await expect(read(text)).rejects.toThrow("AMUSE's strings: expected lengths from 0 up, 268435456 in all, found -3");
    await expect(read(request("get_time", {}).subarray(0, 40))).rejects.toThrow("no more");
  });
});
