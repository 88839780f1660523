/** A live run that a page has paused: for how long it stays so when pages come and go. */
import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WebSocket } from "ws";
import { LiveRun } from "../../src/studio/live/live-run.node.ts";
import type { ToServer } from "../../src/studio/live/protocol.ts";

/** A page's connection, without one. */
class Page extends EventEmitter {
  readyState = 1;
  bufferedAmount = 0;
  send(): void {}
  ping(): void {
    this.emit("pong");
  }
  ask(message: ToServer): void {
    this.emit("message", JSON.stringify(message), false);
  }
}

function visited() {
  const run = new LiveRun({ stop: () => {}, watch: () => {} });
  const come = () => {
    const page = new Page();
    run.opened(page as unknown as WebSocket);
    return page;
  };
  return { run, come };
}

describe("a pause", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("ends some time after the last page has gone, and the run is called", () => {
    const { run, come } = visited();
    const [first, second] = [come(), come()];
    first.ask({ ask: "pause" });
    first.emit("close");
    vi.advanceTimersByTime(60_000);
    expect(run.paused).toBe(true);
    let called = 0;
    run.listen(() => called++);
    second.emit("close");
    vi.advanceTimersByTime(14_000);
    expect([run.paused, called]).toEqual([true, 0]);
    vi.advanceTimersByTime(2000);
    expect([run.paused, called]).toEqual([false, 1]);
  });

  it("outlasts a page that is loaded again", () => {
    const { run, come } = visited();
    const page = come();
    page.ask({ ask: "pause" });
    page.emit("close");
    vi.advanceTimersByTime(5000);
    const again = come();
    vi.advanceTimersByTime(60_000);
    expect(run.paused).toBe(true);
    again.ask({ ask: "resume" });
    expect(run.paused).toBe(false);
  });

  it("stays where that was asked for, until a page says otherwise", () => {
    const { run, come } = visited();
    const page = come();
    page.ask({ ask: "pause", stay: true });
    page.emit("close");
    vi.advanceTimersByTime(600_000);
    expect(run.paused).toBe(true);
    const again = come();
    again.ask({ ask: "pause", stay: false });
    again.emit("close");
    vi.advanceTimersByTime(16_000);
    expect(run.paused).toBe(false);
  });
});
