// Compares the machines of an engine with the instances in the database, both complete. Changes nothing; resync.ts acts
// on the findings.

import { idsOf } from "../database/pages.ts";
import type { ListedMachine, MachineListing } from "../engines/engine.ts";
import { isLive } from "../rules/lifecycle.ts";
import type { Expected } from "./resync-store.ts";
import { slicesOf } from "./slices.ts";
import { type Action, listedStateOf, nextStep } from "./step.ts";

export interface Findings {
  /** How many instances there are. */
  readonly compared: number;
  /** Instances that have drifted and are not scheduled. */
  readonly astray: readonly string[];
  /** Those of them whose machine is missing. */
  readonly missing: readonly string[];
  readonly becameUnreachable: readonly string[];
  readonly becameReachable: readonly string[];
  /** Machines with our ownership label and no instance. */
  readonly orphans: readonly ListedMachine[];
}

/**
 * `expected` must be read after `listing`, so that every listed machine has its row among them; `there` marks those on
 * unreachable hosts. Pages are compared as they come and not kept: objects that live as long as a resync make V8's heap
 * grow.
 */
export async function compare(
  listing: MachineListing,
  expected: AsyncIterable<readonly Expected[]>,
): Promise<Findings> {
  const { machines } = listing;
  const known = new Uint8Array(machines.length);
  const findings = {
    compared: 0,
    astray: [] as string[],
    missing: [] as string[],
    becameUnreachable: [] as string[],
    becameReachable: [] as string[],
  };
  const look = (id: string, instance: Expected, machine: ListedMachine | undefined) => {
    if (instance.there) {
      if (instance.health === "ok" && isLive[instance.state]) findings.becameUnreachable.push(id);
      return;
    }
    if (instance.health === "unreachable") findings.becameReachable.push(id);
    if (instance.scheduled || !asksForAction(instance, machine)) return;
    findings.astray.push(id);
    if (machine === undefined) findings.missing.push(id);
  };
  // If both lists have the same order, which is usual, the next one is found without this index.
  let places: Map<string, number> | undefined;
  let next = 0;
  for await (const page of expected) {
    for (const group of page) {
      const ids = idsOf(group);
      findings.compared += ids.length;
      for (const id of ids) {
        let place: number | undefined = next;
        if (machines[next]?.id !== id) {
          places ??= await placesOf(machines);
          place = places.get(id);
        }
        if (place !== undefined) {
          known[place] = 1;
          next = place + 1;
        }
        look(id, group, place === undefined ? undefined : machines[place]);
      }
    }
  }
  return { ...findings, orphans: known.includes(0) ? unknownOf(machines, known) : [] };
}

/** Deduplicated by id: a list can contain an id twice. */
function unknownOf(machines: readonly ListedMachine[], known: Uint8Array): ListedMachine[] {
  const strays = new Map<string, ListedMachine>();
  for (const [place, machine] of machines.entries()) if (known[place] === 0) strays.set(machine.id, machine);
  for (const [place, { id }] of machines.entries()) if (known[place] === 1) strays.delete(id);
  return [...strays.values()];
}

async function placesOf(machines: readonly ListedMachine[]): Promise<Map<string, number>> {
  const places = new Map<string, number>();
  let place = 0;
  for await (const some of slicesOf(machines)) for (const { id } of some) places.set(id, place++);
  return places;
}

const idle: readonly Action[] = ["settle", "wait"];

/** Uses the table of step.ts, so the resync never wakes an instance that a reconciliation would leave unchanged. */
function asksForAction(instance: Expected, machine: ListedMachine | undefined): boolean {
  return !idle.includes(nextStep(instance.state, listedStateOf(machine, instance.was_active)));
}
