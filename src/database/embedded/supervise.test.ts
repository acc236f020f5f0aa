import { describe, expect, it } from "vitest";
import type { Postmaster } from "./postmaster.ts";
import { supervise } from "./supervise.ts";

/** A server of which the test decides when it ends. */
function fakePostmaster() {
  const { promise: exited, resolve: end } = Promise.withResolvers<string>();
  const postmaster: Postmaster = { exited, stop: async () => end("exit code 0") };
  return { postmaster, end };
}

const silent = () => {};

describe("a supervised server", () => {
  it("is tried again when its start fails for the moment", async () => {
    let attempts = 0;
    const server = await supervise(async () => {
      if (++attempts < 3) throw new Error('lock file "postmaster.pid" already exists');
      return fakePostmaster().postmaster;
    }, silent);
    expect(attempts).toBe(3);
    await server.stop();
  });

  it("is given up with the last error when its start goes on failing", async () => {
    let attempts = 0;
    const failing = supervise(async () => {
      throw new Error(`attempt ${++attempts}`);
    }, silent);
    await expect(failing).rejects.toThrow("attempt 7");
  });

  it("is started again when it ends, and the reason is logged", async () => {
    const servers = [fakePostmaster(), fakePostmaster()];
    const startedAgain = Promise.withResolvers<void>();
    const lines: string[] = [];
    let starts = 0;
    const server = await supervise(
      async () => {
        const next = servers[starts++];
        if (starts === 2) startedAgain.resolve();
        if (!next) throw new Error("BUG: a third start");
        return next.postmaster;
      },
      (line) => lines.push(line),
    );
    servers[0]?.end("killed by SIGKILL");
    await startedAgain.promise;
    expect(lines).toEqual(["PostgreSQL ended unexpectedly (killed by SIGKILL); starting it again"]);
    await server.stop();
    expect(starts).toBe(2);
  });

  it("stays stopped when it is stopped in the middle of a restart", async () => {
    const first = fakePostmaster();
    const second = fakePostmaster();
    const restarting = Promise.withResolvers<void>();
    const finishRestart = Promise.withResolvers<Postmaster>();
    let starts = 0;
    const server = await supervise(async () => {
      if (++starts === 1) return first.postmaster;
      restarting.resolve();
      return finishRestart.promise;
    }, silent);
    first.end("killed by SIGKILL");
    await restarting.promise;
    const stopped = server.stop();
    finishRestart.resolve(second.postmaster);
    await stopped;
    expect(await second.postmaster.exited).toBe("exit code 0");
    expect(starts).toBe(2);
  });

  it("stops without waiting for the next attempt of a restart that keeps failing", async () => {
    const first = fakePostmaster();
    const failedOnce = Promise.withResolvers<void>();
    let starts = 0;
    const server = await supervise(
      async () => {
        if (++starts === 1) return first.postmaster;
        throw new Error("no space left on device");
      },
      (line) => {
        if (line.includes("no space")) failedOnce.resolve();
      },
    );
    first.end("exit code 1");
    await failedOnce.promise;
    await server.stop();
  });
});
