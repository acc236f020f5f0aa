// Converts a domain and the cached observation of its guest to the contract's report. Pure.

import type { MachineReport } from "../engine.ts";
import type { Seen } from "../readiness/cached-observation.ts";
import type { Domain } from "./domains.ts";

export function reportOf(host: string, seen: Seen, { machineId, power, address, run }: Domain): MachineReport {
  const base = { id: machineId, host, usable: false, ip: undefined };
  switch (power) {
    // The guest has ended; the customer need not wait for libvirt's cleanup. `start` waits for it.
    case "ending":
    case "off":
      return { ...base, power: "halted", progress: undefined };
    // Before its first instruction, or because of a write error on the host, which an operator must fix.
    case "paused":
      return { ...base, power: "starting", progress: "paused by its host" };
    case "running": {
      const { usable } = seen.of(machineId, run ?? "");
      return {
        ...base,
        power: "running",
        ip: address,
        usable,
        progress: usable ? undefined : "waiting for SSH to answer",
      };
    }
  }
}
