import { describe, expect, it } from "vitest";
import { lines } from "../../../test/support/check-stand.ts";
import type { Engine, Terminal } from "../engine.ts";
import { checkIsolation, managementTargets, metadataTarget, type Target } from "./isolation.ts";

/** An engine whose shell shows what is typed, and then prints this. At first it loses so many inputs. */
function engineWithShell(
  says: readonly string[],
  lost = 0,
): Pick<Engine, "openTerminal"> & { closed: boolean; typed: string } {
  let left = lost;
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
          if (left > 0) {
            left -= 1;
            return;
          }
          engine.typed += Buffer.from(data).toString();
          if (engine.typed.endsWith("exit\n")) return;
          show(data);
          if (engine.typed.endsWith("reads\n")) return show(Buffer.from("shell=reads\r\n"));
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

const targets: readonly Target[] = [
  { what: "its host's address 10.0.0.1 at port 22", ip: "10.0.0.1", port: 22, advice: "look at the filter" },
  metadataTarget("look at the log"),
];
const control = { ip: "10.0.0.1", port: 53 };

// Only its terminal is used.
const check = (engine: Pick<Engine, "openTerminal">) =>
  lines(
    checkIsolation(
      engine as Engine,
      { id: "x", host: "m1" },
      { neighbor: { ip: "10.0.0.7", advice: "keep them apart" }, targets, control },
      AbortSignal.timeout(10_000),
    ),
  );

/** What the shell says of the neighbor, of it through the router, and of the targets. */
const heard = (...words: readonly string[]) => [
  "own=reached\r\ncontrol=reached\r\n",
  ...words.map((word, index) => `t${index}=${word}\r\n`),
  "all=said\r\n",
];

describe("a machine", () => {
  it("is kept to its own where nothing that it knocks at answers", async () => {
    const engine = engineWithShell([
      "own=reached\r\ncontrol=reached\r\nt2=sil",
      "ent\r\nt0=silent\r\nt1=silent\r\nt3=silent\r\nall=said\r\n",
    ]);
    expect(await check(engine)).toEqual([
      "ok isolation on m1: one machine does not reach another on the same host, another on the same host through the " +
        "router, its host's address 10.0.0.1 at port 22 and the metadata address 169.254.169.254",
    ]);
    for (const at of ["control]=10.0.0.1/53", "t0]=10.0.0.7/22", "t1]=10.0.0.7/22", "t3]=169.254.169.254/80"]) {
      expect(engine.typed).toContain(`\nat[${at}\n`);
    }
    expect(Math.max(...engine.typed.split("\n").map((line) => line.length))).toBeLessThan(1000);
    expect(engine.typed.endsWith("exit\n")).toBe(true);
    expect(engine.closed).toBe(true);
  });

  it("is asked again while its shell starts and loses what it is sent", async () => {
    const engine = engineWithShell(heard("silent", "silent", "silent", "silent"), 1);
    expect(await check(engine)).toEqual([expect.stringMatching(/^ok isolation on m1: one machine does not reach/)]);
  });

  it("that reaches another is a problem, straight and through the router", async () => {
    expect(await check(engineWithShell(heard("reached", "reached", "silent", "silent")))).toEqual([
      "problem isolation on m1: one machine reaches another on the same host -> keep them apart",
      "problem isolation on m1: one machine reaches another on the same host through the router -> keep them apart",
      expect.stringMatching(/^ok isolation on m1: one machine does not reach its host's address/),
    ]);
  });

  it("that reaches its host, or a metadata service, is a problem with what to do about each", async () => {
    expect((await check(engineWithShell(heard("silent", "silent", "reached", "reached")))).slice(0, 2)).toEqual([
      "problem isolation on m1: one machine reaches its host's address 10.0.0.1 at port 22 -> look at the filter",
      "problem isolation on m1: one machine reaches the metadata address 169.254.169.254 -> look at the log",
    ]);
  });

  it.each([
    ["own=silent\r\nt0=silent\r\nt1=silent\r\nt2=silent\r\nt3=silent\r\n"],
    [""],
    ["bash: timeout: not found\r\n"],
    // Lost, or cut off: no answer is not isolation.
    ["own=reached\r\n"],
    ["own=reached\r\nt0=silent\r\nt1=silent\r\nt2=silent\r\nt3=silent\r\nall=said\r\n"],
    ["own=reached\r\ncontrol=reached\r\nt0=sil"],
    ["own=reached\r\ncontrol=reached\r\nt0="],
  ])("is not taken for isolated by a shell that did not say so: %j", async (says) => {
    expect(await check(engineWithShell([says]))).toEqual([
      expect.stringMatching(
        /^warning isolation on m1: could not be tested: .* whether it reaches another on the same host, /,
      ),
    ]);
  });

  it("is not taken for isolated where not even what must answer does", async () => {
    const mute = heard("silent", "silent", "reached", "silent").map((line) =>
      line.replace("control=reached", "control=silent"),
    );
    expect(await check(engineWithShell(mute))).toEqual([
      "problem isolation on m1: one machine reaches its host's address 10.0.0.1 at port 22 -> look at the filter",
      "warning isolation on m1: could not be tested: even 10.0.0.1 at port 53, which guests can reach, is silent; " +
        "unknown whether it reaches another on the same host, another on the same host through the router and the " +
        "metadata address 169.254.169.254 -> test it manually with two machines",
    ]);
  });

  it("without ip in its image is not taken for isolated from what is behind the router", async () => {
    const without = heard("silent", "silent", "silent", "silent").filter((line) => !line.startsWith("t1"));
    expect((await check(engineWithShell(without))).at(-1)).toMatch(
      /^warning .* whether it reaches another on the same host through the router -> test it manually/,
    );
  });

  it("cannot be tried without a terminal, and that is told", async () => {
    const refused = { openTerminal: () => Promise.reject(new Error("The session was rejected.")) };
    expect(await check(refused)).toEqual([
      "warning isolation on m1: could not be tested: The session was rejected -> test it manually with two machines",
    ]);
  });
});

it("the operator's networks are tried at their first address, of IPv4", () => {
  const tried = managementTargets(["10.0.0.0/24", "192.0.2.77/26", "192.0.2.7/32", "2001:db8::/32"], "x");
  expect([...new Set(tried.map(({ ip }) => ip))]).toEqual(["10.0.0.1", "192.0.2.65", "192.0.2.7"]);
});
