import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { Interrupted, interruptedExitCode, interruptible } from "./interrupt.ts";

function fakeProcess() {
  const events = new EventEmitter();
  const exits: number[] = [];
  // Like the real one, but that it lives on.
  const exit = (code: number) => void exits.push(code);
  const stdout = new EventEmitter();
  return { events, exits, stdout, source: Object.assign(events, { exit, stdout }) as unknown as NodeJS.Process };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

describe("work that can be interrupted", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"])(
    "is told of %s by its signal, and the person that it was heard",
    async (name) => {
      const { events, exits, source } = fakeProcess();
      let heard = 0;
      const work = interruptible(untilAborted, () => heard++, source);
      events.emit(name);
      await expect(work).rejects.toThrow(Interrupted);
      expect([heard, exits]).toEqual([1, []]);
    },
  );

  it("ends the program at once the second time", async () => {
    const { events, exits, source } = fakeProcess();
    const { promise, resolve } = Promise.withResolvers<void>();
    const work = interruptible(
      () => promise,
      () => {},
      source,
    );
    events.emit("SIGINT");
    events.emit("SIGINT");
    expect(exits).toEqual([interruptedExitCode]);
    resolve();
    await work;
  });

  it("is interrupted when nobody reads its output any more", async () => {
    const { exits, stdout, source } = fakeProcess();
    const work = interruptible(untilAborted, () => {}, source);
    stdout.emit("error", new Error("write EPIPE"));
    stdout.emit("error", new Error("write EPIPE"));
    await expect(work).rejects.toThrow(Interrupted);
    expect(exits).toEqual([]);
  });

  it("leaves the process as it was", async () => {
    const { events, source } = fakeProcess();
    expect(
      await interruptible(
        async () => "done",
        () => {},
        source,
      ),
    ).toBe("done");
    expect(events.eventNames().filter((name) => events.listenerCount(name) > 0)).toEqual([]);
  });
});
