// What happened in one step of a history, as moves, and the search for an order of them in which the model allows each:
// of what happened at the same time only the outcome is known. Used by history.ts.

import {
  found,
  freeOn,
  isFirstOfItsKind,
  isWaitingForCapacity,
  type Kept,
  type Model,
  type ModelBlocker,
  type ModelHost,
  type ModelInstance,
  type ModelLaunch,
  mayUse,
  put,
  suits,
  timesFit,
  type Verdict,
  verdictOf,
  type Wanted,
  without,
} from "./model.ts";

export type Move =
  /** A new launch, at once. */
  | { readonly kind: "launched"; readonly wanted: Wanted; readonly instances: readonly ModelInstance[] }
  | { readonly kind: "rejected"; readonly wanted: Wanted; readonly by: Verdict }
  /** A new launch waits, after it was rejected. */
  | { readonly kind: "begun"; readonly launch: ModelLaunch; readonly rejection: Move }
  | { readonly kind: "placed"; readonly id: string; readonly instances: readonly ModelInstance[] }
  | { readonly kind: "blocked"; readonly id: string; readonly by: ModelBlocker }
  | { readonly kind: "refused"; readonly id: string }
  | { readonly kind: "over"; readonly id: string }
  | { readonly kind: "ended"; readonly instance: string }
  /** A host is kept for a launch, or no longer. */
  | { readonly kind: "kept"; readonly host: string; readonly kept: Kept }
  | { readonly kind: "given-back"; readonly host: string };

/**
 * The model after all moves, in an order in which each is allowed; undefined: there is none. `isInOrder`: those that wait
 * are placed in order of arrival whatever blocked them, as one placer does of which nothing else happens at the same time.
 */
export function afterMoves(model: Model, moves: readonly Move[], isInOrder = false): Model | undefined {
  const seen = new Set<string>();
  const search = (now: Model, left: readonly number[]): Model | undefined => {
    if (left.length === 0) return now;
    const key = left.join(" ");
    // What is left determines what was done, and so the model.
    if (seen.has(key)) return undefined;
    seen.add(key);
    for (const index of left) {
      const move = moves[index];
      if (move === undefined) continue;
      if (move.kind === "begun" && left.includes(moves.indexOf(move.rejection))) continue;
      if (isInOrder && move.kind === "placed" && isOvertaking(now, move.id)) continue;
      const next = afterMove(now, move);
      if (next === undefined) continue;
      const last = search(
        next,
        left.filter((one) => one !== index),
      );
      if (last !== undefined) return last;
    }
    return undefined;
  };
  return search(
    model,
    moves.map((_, index) => index),
  );
}

/** Whether an earlier one could be placed. */
function isOvertaking(model: Model, id: string): boolean {
  const position = model.launches.get(id)?.position ?? 0;
  return [...model.launches.values()].some((one) => one.position < position && verdictOf(model, one) === "placeable");
}

/** Undefined: it is not allowed now. */
function afterMove(model: Model, move: Move): Model | undefined {
  switch (move.kind) {
    case "launched":
      return verdictOf(model, move.wanted) === "placeable" ? onHosts(model, move.wanted, move.instances) : undefined;
    case "rejected":
      return verdictOf(model, move.wanted) === move.by ? model : undefined;
    case "begun":
      return { ...model, launches: put(model.launches, move.launch.id, move.launch) };
    case "placed": {
      const launch = model.launches.get(move.id);
      if (launch === undefined || verdictOf(model, launch) !== "placeable") return undefined;
      const next = onHosts(model, launch, move.instances);
      return next && { ...next, launches: without(next.launches, move.id) };
    }
    case "blocked": {
      const launch = model.launches.get(move.id);
      if (launch === undefined || verdictOf(model, launch) !== move.by) return undefined;
      return { ...model, launches: put(model.launches, move.id, { ...launch, blockedBy: move.by }) };
    }
    case "refused": {
      const launch = model.launches.get(move.id);
      if (launch === undefined || verdictOf(model, launch) !== "refused") return undefined;
      return { ...model, launches: without(model.launches, move.id) };
    }
    case "over":
      return model.launches.has(move.id) ? { ...model, launches: without(model.launches, move.id) } : undefined;
    case "ended":
      return { ...model, instances: without(model.instances, move.instance) };
    case "kept": {
      const host = found(model.hosts, move.host);
      const isAllowed = host.kept === undefined && mayBeKept(model, host, move.kept);
      return isAllowed ? { ...model, hosts: put(model.hosts, host.name, { ...host, kept: move.kept }) } : undefined;
    }
    case "given-back": {
      const host = found(model.hosts, move.host);
      if (host.kept === undefined || (host.accepts && isWaitingForCapacity(model, host.kept.launch))) return undefined;
      return { ...model, hosts: put(model.hosts, host.name, { ...host, kept: undefined }) };
    }
  }
}

/** With these instances, if the launch may have these places. */
function onHosts(model: Model, wanted: Wanted, instances: readonly ModelInstance[]): Model | undefined {
  const type = found(model.types, wanted.type);
  const hosts = [...new Set(instances.map(({ host }) => host))].map((name) => found(model.hosts, name));
  if (instances.length !== wanted.quantity || new Set(hosts.map(({ region }) => region)).size > 1) return undefined;
  let next = model;
  for (const host of hosts) {
    const here = instances.filter((one) => one.host === host.name);
    const addresses = here.flatMap(({ gpus }) => gpus);
    const { gpus: free } = freeOn(model, host);
    const areFree = new Set(addresses).size === addresses.length && addresses.every((one) => free.includes(one));
    if (!mayUse(model, wanted, host) || timesFit(model, host, type) < here.length || !areFree) return undefined;
    if (here.some(({ gpus }) => gpus.length !== type.gpus)) return undefined;
    for (const one of here) next = { ...next, instances: put(next.instances, one.id, one) };
  }
  return next;
}

/** Only for the first that waits for its kind of place, where it could ever fit, and on no more hosts than it needs. */
function mayBeKept(model: Model, host: ModelHost, { launch: id, position }: Kept): boolean {
  const launch = model.launches.get(id);
  if (launch === undefined || launch.position !== position || !isWaitingForCapacity(model, id)) return false;
  const type = found(model.types, launch.type);
  const others = [...model.hosts.values()].filter(({ kept }) => kept?.launch === id).length;
  const couldFit = type.gpus <= host.gpus.size && type.gpuModel === host.gpuModel && type.vcpus <= host.vcpus;
  return (
    isFirstOfItsKind(model, launch) &&
    host.accepts &&
    suits(launch, host) &&
    type.gpus > 1 &&
    couldFit &&
    others < launch.quantity
  );
}
