// Makes a domain, and what was seen of its guest, into the report that the contract asks for. Pure.

import type { MachineReport } from "../engine.ts";
import type { Seen } from "../readiness/cached-observation.ts";
import type { Domain } from "./domains.ts";

export function reportOf(host: string, seen: Seen, { machineId, power, address, run }: Domain): MachineReport {
  const base = { id: machineId, host, usable: false, ip: undefined };
  switch (power) {
    // The guest has ended; that its host takes seconds to put it away is nothing to its renter. `start` waits for it.
    case "ending":
    case "off":
      return { ...base, power: "halted", progress: undefined };
    // Before its first instruction, or because the host could not write for it: it goes on once an operator helps.
    case "paused":
      return { ...base, power: "starting", progress: "held by its host" };
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
