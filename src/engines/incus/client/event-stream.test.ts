import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, signal } from "../../../../test/support/engine-calls.ts";
import { beginFake, settingsFor } from "../../../../test/support/fake-incus/stand.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import { Client } from "./client.ts";
import { EventStream } from "./event-stream.ts";

const streams = /^\/1\.0\/events$/;

/** A stream whose pauses are over at once, up to `mostPauses` of them; then it waits for its end. */
async function begin({ endpoints = 1, mostPauses = 1000, refusesEvents = false } = {}) {
  const fake = await beginFake();
  fake.refusesEvents = refusesEvents;
  const directory = await temporaryDirectory();
  const paths = Array.from({ length: endpoints }, (_, index) => join(directory, `${index}`));
  for (const path of paths) await fake.listenUnix(path);
  const client = new Client(settingsFor({ endpoints: paths.map((path) => ({ kind: "unix", path })) }));
  onTestFinished(() => client.close());

  const heard: string[] = [];
  const pauses: number[] = [];
  const clock = { now: 0 };
  let gaps = 0;
  const stream = new EventStream(
    client,
    {
      onEvent: (action, source) => heard.push(`${action} ${source}`),
      onGap: () => {
        gaps++;
      },
    },
    {
      now: () => clock.now,
      pause: (milliseconds, closing) => {
        pauses.push(milliseconds);
        if (pauses.length < mostPauses) return Promise.resolve();
        return new Promise((_, reject) => closing.addEventListener("abort", reject));
      },
    },
  );
  onTestFinished(() => stream.close());
  const drop = () => {
    for (const socket of fake.eventSockets) socket.drop();
  };
  const opened = async (times: number) => eventually(() => gaps).toBe(times);
  return { fake, paths, client, stream, heard, pauses, clock, drop, opened, gaps: () => gaps };
}

describe("the stream of events", () => {
  it("asks for what happens to instances, and says what has happened", async () => {
    const { fake, heard, opened } = await begin();
    await opened(1);
    fake.emit("instance-started", "/1.0/instances/a?project=default");
    fake.emit("instance-stopped", "/1.0/instances/b");
    await expect
      .poll(() => heard)
      .toEqual(["instance-started /1.0/instances/a?project=default", "instance-stopped /1.0/instances/b"]);
    expect(fake.seen("GET", streams)[0]?.query).toEqual({ project: "default", type: "lifecycle" });
  });

  it("is not disturbed by what it does not understand", async () => {
    const { fake, heard, opened, pauses } = await begin();
    await opened(1);
    for (const text of [
      "",
      "not JSON",
      "null",
      "[]",
      '{"type":"logging","metadata":{"message":"x"}}',
      '{"type":"lifecycle"}',
      '{"type":"lifecycle","metadata":{"action":"instance-started"}}',
    ]) {
      fake.emitRaw(text);
    }
    fake.emit("instance-started", "/1.0/instances/a");
    await eventually(() => heard).toEqual(["instance-started /1.0/instances/a"]);
    expect(pauses).toEqual([]);
  });

  it("is opened again when it is lost, says that something may have been missed, and goes on", async () => {
    const { fake, heard, opened, drop } = await begin();
    await opened(1);
    drop();
    await opened(2);
    fake.emit("instance-started", "/1.0/instances/a");
    await eventually(() => heard).toEqual(["instance-started /1.0/instances/a"]);
  });

  it("is opened again too when the server ends it well", async () => {
    const { fake, opened } = await begin();
    await opened(1);
    for (const socket of fake.eventSockets) socket.close();
    await opened(2);
  });

  it("says nothing of a gap where it could not be opened", async () => {
    const { fake, gaps, pauses, opened } = await begin({ refusesEvents: true });
    await eventually(() => pauses.length).toBeGreaterThan(2);
    expect(gaps()).toBe(0);
    fake.refusesEvents = false;
    await opened(1);
  });

  it("waits longer after each failure, up to ten seconds", async () => {
    const { pauses } = await begin({ refusesEvents: true, mostPauses: 9 });
    await eventually(() => pauses.length).toBe(9);
    expect(pauses).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000]);
  });

  it("begins with short pauses again after it has held for a while, not where it opens and ends at once", async () => {
    const { pauses, clock, drop, opened } = await begin();
    await opened(1);
    drop();
    await opened(2);
    drop();
    await opened(3);
    expect(pauses).toEqual([200, 400]);
    clock.now += 10_000;
    drop();
    await opened(4);
    expect(pauses).toEqual([200, 400, 200]);
  });

  it("tries another endpoint after a loss, and so do requests from then on", async () => {
    const { fake, client, paths, drop, opened } = await begin({ endpoints: 2 });
    await opened(1);
    drop();
    await opened(2);
    await client.call("/1.0", {}, signal());
    expect(fake.requests.map(({ listener }) => listener)).toEqual([paths[0], paths[1], paths[1]]);
  });

  it("is opened where an endpoint is left, when the first is not there at all", async () => {
    const { fake, paths, opened, drop } = await begin({ endpoints: 2 });
    await opened(1);
    await fake.endListener(paths[0] ?? "");
    await opened(2);
    drop();
    await opened(3);
    expect(fake.seen("GET", streams).map(({ listener }) => listener)).toEqual([paths[0], paths[1], paths[1]]);
  });
});

describe("when the stream is closed", () => {
  it("it says nothing more and is not opened again", async () => {
    const { fake, stream, heard, opened, pauses } = await begin();
    await opened(1);
    stream.close();
    fake.emit("instance-started", "/1.0/instances/a");
    await eventually(() => fake.eventSockets.size).toBe(0);
    expect([heard, pauses]).toEqual([[], []]);
    expect(fake.seen("GET", streams).length).toBe(1);
  });

  it("in a pause, it is not opened again", async () => {
    const { fake, stream, pauses } = await begin({ refusesEvents: true, mostPauses: 1 });
    await eventually(() => pauses.length).toBe(1);
    fake.refusesEvents = false;
    stream.close();
    await new Promise(setImmediate);
    expect(fake.seen("GET", streams).length).toBe(1);
  });
});
