// Compares the machines of an engine with the instances in the database, both complete. Changes nothing; resync.ts acts
// on the findings.

import { idsOf } from "../database/pages.ts";
import type { ListedMachine, MachineListing } from "../engines/engine.ts";
import { isLive } from "../rules/lifecycle.ts";
import { type Expected, hostSeparator } from "./resync-store.ts";
import { slicesOf } from "./slices.ts";
import { type Action, listedStateOf, nextStep } from "./step.ts";

export interface Findings {
  /** How many instances there are. */
  readonly compared: number;
  /** Instances that have drifted and are not scheduled; with `hosts`, also those whose machine is on another host. */
  readonly astray: readonly string[];
  /** Those of them whose machine is missing. */
  readonly missing: readonly string[];
  readonly becameUnreachable: readonly string[];
  readonly becameReachable: readonly string[];
  /** Machines with our ownership label and no instance. */
  readonly orphans: readonly ListedMachine[];
  /** Machines of instances that are listed several times. */
  readonly doubles: readonly ListedMachine[];
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
  const look = (id: string, instance: Expected, machine: ListedMachine | undefined, isElsewhere: boolean) => {
    if (instance.there) {
      if (instance.health === "ok" && isLive[instance.state]) findings.becameUnreachable.push(id);
      return;
    }
    if (instance.health === "unreachable") findings.becameReachable.push(id);
    if (instance.scheduled || !(isElsewhere || asksForAction(instance, machine))) return;
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
      let hostAt = 0;
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
        const machine = place === undefined ? undefined : machines[place];
        const isElsewhere = machine !== undefined && !isOn(machine.host, group.hosts, hostAt);
        hostAt = group.hosts === undefined ? 0 : group.hosts.indexOf(hostSeparator, hostAt) + 1;
        look(id, group, machine, isElsewhere);
      }
    }
  }
  if (!known.includes(0)) return { ...findings, orphans: [], doubles: [] };
  const orphans = unknownOf(machines, known);
  return { ...findings, orphans, doubles: doublesOf(machines, known, orphans) };
}

/** Whether this is the host that begins there in `hosts`. Without taking the text apart: there may be a million. */
function isOn(host: string, hosts: string | undefined, at: number): boolean {
  if (hosts === undefined) return true;
  const end = at + host.length;
  return hosts.startsWith(host, at) && (end === hosts.length || hosts.startsWith(hostSeparator, end));
}

/** Deduplicated by id: a list can contain an id twice. */
function unknownOf(machines: readonly ListedMachine[], known: Uint8Array): ListedMachine[] {
  const strays = new Map<string, ListedMachine>();
  for (const [place, machine] of machines.entries()) if (known[place] === 0) strays.set(machine.id, machine);
  for (const [place, { id }] of machines.entries()) if (known[place] === 1) strays.delete(id);
  return [...strays.values()];
}

/** Everything listed of those that are known and listed several times. */
function doublesOf(
  machines: readonly ListedMachine[],
  known: Uint8Array,
  orphans: readonly ListedMachine[],
): ListedMachine[] {
  const unknown = new Set(orphans.map(({ id }) => id));
  const twice = new Set(machines.flatMap(({ id }, place) => (known[place] === 0 && !unknown.has(id) ? [id] : [])));
  return twice.size === 0 ? [] : machines.filter(({ id }) => twice.has(id));
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
