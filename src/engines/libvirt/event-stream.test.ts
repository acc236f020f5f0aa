import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventStream } from "./event-stream.ts";
import { restartMs } from "./timeouts.ts";
import type { Follower, Virsh } from "./virsh/virsh.ts";

const id = "0197a1b2-0000-7000-8000-000000000001";
const stamp = "2026-01-01 12:00:00.123+0000";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A stream on processes that say and end what the test wants. */
function begin(pauses?: ConstructorParameters<typeof EventStream>[2]) {
  const followed: { commands: readonly (readonly string[])[]; follower: Follower; isEnded: boolean }[] = [];
  const unexpected = () => Promise.reject(new Error("BUG: not expected here"));
  const virsh: Virsh = {
    call: unexpected,
    bytes: unexpected,
    all: unexpected,
    console: unexpected,
    follow: (commands, follower) => {
      const one = { commands, follower, isEnded: false };
      followed.push(one);
      return () => {
        one.isEnded = true;
      };
    },
  };
  const heard: string[] = [];
  const restarts: Date[] = [];
  const stream = new EventStream(
    virsh,
    {
      onEvent: (machineId) => heard.push(machineId),
      onGap: () => heard.push("gap"),
      onLost: () => heard.push("lost"),
      onRestart: (closedAt) => restarts.push(closedAt),
    },
    pauses,
  );
  const last = () => {
    const one = followed.at(-1);
    if (one === undefined) throw new Error("BUG: nothing was followed");
    return one;
  };
  const line = (text: string) => last().follower.onLine(text);
  return {
    stream,
    restarts,
    followed,
    heard,
    line,
    last,
    connect: () => line("h1"),
    end: (why = "Disconnected") => last().follower.onEnd(why),
    event: (what: string, domain = `lessor-${id}`) => line(`${stamp}: event ${what.replace("DOMAIN", `'${domain}'`)}`),
  };
}

const stopped = "'lifecycle' for domain DOMAIN: Stopped Shutdown";

describe("an event", () => {
  it.each([
    stopped,
    "'lifecycle' for domain DOMAIN: Started Booted",
    "'lifecycle' for domain DOMAIN: Stopped Failed",
    "'lifecycle' for domain DOMAIN: Undefined Removed",
    "'reboot' for domain DOMAIN",
  ])("%s hints at its machine", (what) => {
    const { event, connect, heard } = begin();
    connect();
    event(what);
    expect(heard).toEqual([id]);
  });

  it.each([
    ["of an operator's domain", stopped, "web"],
    ["of a copy", stopped, `lessor-${id}-copy`],
    ["of a proof", stopped, "lessor-proof-0123456789ab"],
    ["of a domain with an odd name", stopped, `x' for domain 'lessor-${id}`],
    ["of another kind", "'rtc-change' for domain DOMAIN: 0", `lessor-${id}`],
    ["of a start that failed", "'control-error' for domain DOMAIN", `lessor-${id}`],
  ])("%s hints at nothing", (_what, what, domain) => {
    const { event, connect, heard } = begin();
    connect();
    event(what, domain);
    expect(heard).toEqual([]);
  });

  it("that is none, but a line like one, hints at nothing", () => {
    const { line, connect, heard } = begin();
    connect();
    for (const text of ["", "events received: 7", `event 'lifecycle' for domain 'lessor-${id}': x`, `x ${stamp}`]) {
      line(text);
    }
    expect(heard).toEqual([]);
  });
});

describe("the process that tells events", () => {
  it("is begun at once, and follows everything", () => {
    const { followed } = begin();
    expect(followed.map(({ commands }) => commands)).toEqual([
      [["hostname"], ["event", "--all", "--loop", "--timestamp"]],
    ]);
  });

  it("is begun anew when it has ended, each time later, up to the longest pause", () => {
    const { followed, end } = begin({ first: 100, most: 500 });
    const pauses: number[] = [];
    for (let times = 0; times < 5; times++) {
      const count = followed.length;
      end();
      let waited = 0;
      while (followed.length === count) {
        vi.advanceTimersByTime(10);
        waited += 10;
      }
      pauses.push(waited);
    }
    expect(pauses).toEqual([100, 200, 400, 500, 500]);
  });

  /** A third end, so that the next pause is 400 ms, unless what came before counts as calm. */
  function afterFailures() {
    const stand = begin({ first: 100, most: 10_000 });
    for (const milliseconds of [100, 200]) {
      stand.end();
      vi.advanceTimersByTime(milliseconds);
    }
    expect(stand.followed).toHaveLength(3);
    return stand;
  }

  it("is begun anew soon where it had stood for long", () => {
    const { followed, end, connect } = afterFailures();
    connect();
    vi.advanceTimersByTime(31_000);
    end();
    vi.advanceTimersByTime(100);
    expect(followed).toHaveLength(4);
  });

  it.each([
    ["took long to fail", 60_000, false],
    ["stood for a moment", 1000, true],
  ])("is begun anew later where it only %s", (_what, milliseconds, connects) => {
    const { followed, end, connect } = afterFailures();
    if (connects) connect();
    vi.advanceTimersByTime(milliseconds);
    end();
    vi.advanceTimersByTime(399);
    expect(followed).toHaveLength(3);
    vi.advanceTimersByTime(1);
    expect(followed).toHaveLength(4);
  });

  it("tells of a gap once each time that it stands, and only then", () => {
    const { heard, connect, end, event } = begin({ first: 100, most: 100 });
    vi.advanceTimersByTime(10_000);
    expect(heard).toEqual([]);
    connect();
    expect(heard).toEqual([]);
    vi.advanceTimersByTime(1000);
    event(stopped);
    expect(heard).toEqual(["gap", id]);
    end();
    vi.advanceTimersByTime(1000);
    expect(heard).toEqual(["gap", id]);
    connect();
    vi.advanceTimersByTime(10_000);
    expect(heard).toEqual(["gap", id, "gap"]);
  });

  it("tells once that it was lost, when a daemon that restarts would be back", () => {
    const { heard, connect, end } = begin({ first: 100, most: 100 });
    connect();
    vi.advanceTimersByTime(1000);
    end();
    vi.advanceTimersByTime(restartMs - 1);
    expect(heard).toEqual(["gap"]);
    vi.advanceTimersByTime(2);
    expect(heard).toEqual(["gap", "lost"]);
    end();
    vi.advanceTimersByTime(60_000);
    expect(heard).toEqual(["gap", "lost"]);
    connect();
    vi.advanceTimersByTime(1000);
    end();
    vi.advanceTimersByTime(60_000);
    expect(heard).toEqual(["gap", "lost", "gap", "lost"]);
  });

  it.each([
    ["the connection was closed", 1],
    ["read ECONNRESET", 1],
    ["error: Disconnected from qemu+tcp://h1/system due to end of file", 1],
    ["error: Disconnected from qemu+tcp://h1/system due to keepalive timeout", 0],
    ["keepalive timeout", 0],
  ])("that ended with %j tells of %d restarts once there is another", (why, count) => {
    const { restarts, connect, end } = begin({ first: 100, most: 100 });
    connect();
    const closedAt = new Date();
    end(why);
    vi.advanceTimersByTime(1000);
    end("the connection was closed");
    vi.advanceTimersByTime(1000);
    expect(restarts).toEqual([]);
    connect();
    expect(restarts).toEqual(count === 0 ? [] : [closedAt]);
  });

  it("that ends right after it connected has told of no gap: the next one does", () => {
    const { heard, connect, end } = begin({ first: 100, most: 100 });
    connect();
    end();
    vi.advanceTimersByTime(restartMs - 1);
    expect(heard).toEqual([]);
  });
});

describe("a stream that is closed", () => {
  it("ends its process, and tells nothing more", () => {
    const { stream, connect, last, heard, followed } = begin();
    connect();
    stream.close();
    vi.advanceTimersByTime(60_000);
    expect([last().isEnded, heard, followed.length]).toEqual([true, [], 1]);
  });

  it("between two processes begins no other", () => {
    const { stream, end, followed } = begin();
    end();
    stream.close();
    stream.close();
    vi.advanceTimersByTime(60_000);
    expect(followed).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("whose process ends late begins no other", () => {
    const { stream, end, followed } = begin();
    stream.close();
    end();
    vi.advanceTimersByTime(60_000);
    expect(followed).toHaveLength(1);
  });
});
