import { describe, expect, it } from "vitest";
import { lines } from "../../../test/support/check-stand.ts";
import type { Engine, Terminal } from "../engine.ts";
import { checkIsolation } from "./isolation.ts";

/** An engine whose shell shows what is typed, and then says this. */
function engineWithShell(says: readonly string[]): Pick<Engine, "openTerminal"> & { closed: boolean; typed: string } {
  const engine = {
    closed: false,
    typed: "",
    openTerminal: async (): Promise<Terminal> => {
      let show: (data: Uint8Array) => void = () => {};
      let end = () => {};
      return {
        onData: (listener) => {
          show = listener;
        },
        onEnd: (listener) => {
          end = listener;
        },
        write: (data) => {
          engine.typed += Buffer.from(data).toString();
          if (engine.typed.endsWith("exit\n")) return;
          show(data);
          for (const text of says) show(Buffer.from(text));
          end();
        },
        unread: () => 0,
        resize: () => {},
        close: () => {
          engine.closed = true;
        },
      };
    },
  };
  return engine;
}

// Only its terminal is used.
const check = (engine: Pick<Engine, "openTerminal">) =>
  lines(
    checkIsolation(
      engine as Engine,
      { id: "x", host: "m1" },
      "10.0.0.7",
      "keep them apart",
      AbortSignal.timeout(10_000),
    ),
  );

describe("two machines on one host", () => {
  it("are kept apart where the knock at the other is not answered", async () => {
    const engine = engineWithShell(["own=reached\r\n", "other=sil", "ent\r\n"]);
    expect(await check(engine)).toEqual(["ok isolation on m1: two machines do not reach each other"]);
    expect(engine.typed.split("/dev/tcp/10.0.0.7/22")).toHaveLength(4);
    expect(engine.typed.endsWith("exit\n")).toBe(true);
    expect(engine.closed).toBe(true);
  });

  it("that reach each other are a problem", async () => {
    expect(await check(engineWithShell(["own=reached\r\nother=reached\r\n"]))).toEqual([
      expect.stringMatching(
        /^problem isolation on m1: one machine reaches another on the same host -> keep them apart$/,
      ),
    ]);
  });

  it.each([
    ["own=silent\r\nother=silent\r\n"],
    [""],
    ["bash: timeout: not found\r\n"],
    // Lost, or cut off: no answer is not isolation.
    ["own=reached\r\n"],
    ["own=reached\r\nother=sil"],
    ["own=reached\r\nother="],
  ])("are not taken for isolated by a shell that did not say so: %j", async (says) => {
    expect(await check(engineWithShell([says]))).toEqual([
      expect.stringMatching(/^warning isolation on m1: could not be tried/),
    ]);
  });

  it("cannot be tried without a terminal, and that is told", async () => {
    const refused = { openTerminal: () => Promise.reject(new Error("The session was refused.")) };
    expect(await check(refused)).toEqual([
      "warning isolation on m1: could not be tried: The session was refused -> try it by hand with two machines",
    ]);
  });
});
