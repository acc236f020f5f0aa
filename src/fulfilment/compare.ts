// Compares what an engine has with what the database says, both whole. Pure; sweep.ts acts on the findings.

import type { MachineListing, MachineReport } from "../engines/engine.ts";
import { isLive } from "../rental/instances/lifecycle.ts";
import { type Action, nextStep, sightOf } from "./step.ts";
import type { Expected } from "./sweep-store.ts";

export interface Findings {
  /** Instances that are not as they should be, and that nobody works on. */
  readonly astray: readonly string[];
  /** Those of them whose machine is missing. */
  readonly missing: readonly string[];
  readonly becameUnreachable: readonly string[];
  readonly becameReachable: readonly string[];
  /** Machines with our mark and no instance. */
  readonly orphans: readonly MachineReport[];
}

/** `expected` must have been read after `listing`, so that every machine on the list has its row among them. */
export function compare(listing: MachineListing, expected: readonly Expected[]): Findings {
  const machines = new Map(listing.machines.map((machine) => [machine.id, machine]));
  const silent = new Set(listing.unreachableHosts);
  const findings = {
    astray: [] as string[],
    missing: [] as string[],
    becameUnreachable: [] as string[],
    becameReachable: [] as string[],
  };
  for (const instance of expected) {
    const { id } = instance;
    const machine = machines.get(id);
    machines.delete(id);
    if (silent.has(instance.host)) {
      if (instance.health === "ok" && isLive[instance.state]) findings.becameUnreachable.push(id);
      continue;
    }
    if (instance.health === "unreachable") findings.becameReachable.push(id);
    if (instance.scheduled || !asksForAction(instance, machine)) continue;
    findings.astray.push(id);
    if (machine === undefined) findings.missing.push(id);
  }
  return { ...findings, orphans: [...machines.values()] };
}

/** The table of step.ts is the judge here too, so the sweep never wakes an instance that a turn would leave as it is. */
function asksForAction(instance: Expected, machine: MachineReport | undefined): boolean {
  const idle: readonly Action[] = ["settle", "wait"];
  return !idle.includes(nextStep(instance.state, sightOf(machine, instance.was_active)));
}
