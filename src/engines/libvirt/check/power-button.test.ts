import { describe, expect, it } from "vitest";
import { lines } from "../../../../test/support/check-stand.ts";
import type { Engine, MachineReport } from "../../engine.ts";
import { checkPowerButton } from "./power-button.ts";

const report = (power: MachineReport["power"]): MachineReport => {
  return { id: "x", host: "h1", power, usable: false, ip: undefined, progress: undefined };
};

/** An engine whose machine is halted when it is looked at so often. */
function engineHalting(afterLooks: number): Pick<Engine, "stop" | "inspect"> {
  let looks = 0;
  return {
    stop: async () => report("running"),
    inspect: async () => report(++looks >= afterLooks ? "halted" : "running"),
  };
}

// Nothing else of it is used.
const check = (engine: Pick<Engine, "stop" | "inspect">, graceSeconds = 30, signal = AbortSignal.timeout(10_000)) =>
  lines(checkPowerButton(engine as Engine, { id: "x", host: "h1" }, graceSeconds, signal));

describe("the power button", () => {
  it("that a guest heeds is fine, with how long it took", async () => {
    expect(await check(engineHalting(2))).toEqual([
      expect.stringMatching(/^ok power button on h1: halted in \d\.\d s$/),
    ]);
  });

  it("that was ignored for the grace period is a warning, though the machine is off", async () => {
    expect(await check(engineHalting(3), 0.3)).toEqual([
      expect.stringMatching(/^warning power button on h1: ignored for 0\.3 s, .* -> .*acpid/),
    ]);
  });

  it("that could not be pressed is a problem", async () => {
    const stop = () => Promise.reject(new Error("The host failed to carry out the operation."));
    expect(await check({ ...engineHalting(1), stop })).toEqual([
      expect.stringMatching(
        /^problem power button on h1: the machine could not be halted: The host failed to carry out the operation -> /,
      ),
    ]);
  });

  it("keeps nobody who interrupts the check", async () => {
    const interrupt = new AbortController();
    const checking = check(engineHalting(Infinity), 30, interrupt.signal);
    interrupt.abort(new Error("interrupted"));
    await expect(checking).rejects.toThrow("interrupted");
  });
});
