// What happened in one step of a history, as moves, and the search for an order of them in which the model allows each:
// of what happened at the same time only the outcome is known. Used by history.ts.

import { plansOf } from "./evictions.ts";
import {
  found,
  freeOn,
  isBefore,
  isFirstOfItsKind,
  isWaitingForCapacity,
  isWithinQuotas,
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
  withoutInstances,
} from "./model.ts";

export type Move =
  /** A new launch, at once. */
  | { readonly kind: "launched"; readonly wanted: Wanted; readonly instances: readonly ModelInstance[] }
  | { readonly kind: "rejected"; readonly wanted: Wanted; readonly by: Verdict }
  /** A new launch waits, after it was rejected. */
  | { readonly kind: "begun"; readonly launch: ModelLaunch; readonly rejection: Move }
  | { readonly kind: "placed"; readonly id: string; readonly instances: readonly ModelInstance[] }
  | { readonly kind: "blocked"; readonly id: string; readonly by: ModelBlocker }
  /** When it is expected to fit is known, or known to be earlier. */
  | { readonly kind: "starts"; readonly id: string; readonly atMs: number }
  | { readonly kind: "refused"; readonly id: string }
  | { readonly kind: "over"; readonly id: string }
  | { readonly kind: "ended"; readonly instance: string }
  /** These are the instances that are evicted for a launch from now on. */
  | { readonly kind: "evicts"; readonly launch: string; readonly instances: readonly string[] }
  /** The notice of an instance is over, and so is the instance. */
  | { readonly kind: "preempted"; readonly instance: string }
  /** A host is kept for a launch, or no longer; `next`: it is kept for another one then. */
  | { readonly kind: "kept"; readonly host: string; readonly kept: Kept }
  | { readonly kind: "given-back"; readonly host: string; readonly next?: Kept };

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

/** Whether one that comes before it could be placed. */
function isOvertaking(model: Model, id: string): boolean {
  const launch = model.launches.get(id);
  if (launch === undefined) return false;
  return [...model.launches.values()].some((one) => isBefore(one, launch) && verdictOf(model, one) === "placeable");
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
      if (launch === undefined) return undefined;
      const isAllowed = verdictOf(model, launch) === move.by || isOverQuotaToo(model, launch, move.by);
      if (!isAllowed && !isBlockedAlike(model, launch, move.by)) return undefined;
      return { ...model, launches: put(model.launches, move.id, { ...launch, blockedBy: move.by }) };
    }
    case "starts": {
      const launch = model.launches.get(move.id);
      if (launch === undefined || !mayStart(model, launch, move.atMs)) return undefined;
      return { ...model, launches: put(model.launches, move.id, { ...launch, startsMs: move.atMs }) };
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
    case "evicts":
      return mayEvict(model, move.launch, new Set(move.instances))
        ? { ...model, instances: evictedNow(model.instances, move.launch, new Set(move.instances)) }
        : undefined;
    case "preempted": {
      const { evictedFor = "" } = found(model.instances, move.instance);
      const launch = model.launches.get(evictedFor);
      const isNeeded = plansOf(model).some((plan) => plan.get(evictedFor)?.has(move.instance));
      if (launch === undefined || !isNeeded || !passesOthers(model, launch)) return undefined;
      return { ...model, instances: without(model.instances, move.instance) };
    }
    case "kept": {
      const host = found(model.hosts, move.host);
      const isAllowed = host.kept === undefined ? mayBeKept(model, host, move.kept) : isSooner(host.kept, move.kept);
      return isAllowed ? { ...model, hosts: put(model.hosts, host.name, { ...host, kept: move.kept }) } : undefined;
    }
    case "given-back": {
      const host = found(model.hosts, move.host);
      if (host.kept === undefined || !mayBeGivenBack(model, host, host.kept, move.next)) return undefined;
      return { ...model, hosts: put(model.hosts, host.name, { ...host, kept: undefined }) };
    }
  }
}

/** Whether all but capacity lets it be placed now. */
export function passesOthers(model: Model, launch: ModelLaunch): boolean {
  const verdict = verdictOf(model, launch);
  return (verdict === "capacity" || verdict === "placeable") && isWithinQuotas(model, launch);
}

/** Of the first of its kind that needs several places, and never later than was told before. */
function mayStart(model: Model, launch: ModelLaunch, atMs: number): boolean {
  const { quantity, spot, blockedBy, startsMs = Number.POSITIVE_INFINITY } = launch;
  return quantity > 1 && !spot && blockedBy === "capacity" && atMs < startsMs && isFirstOfItsKind(model, launch);
}

/** Its quota is looked at also where there is no capacity: one that it does not allow keeps no others off. */
function isOverQuotaToo(model: Model, launch: ModelLaunch, by: ModelBlocker): boolean {
  return by === "quota" && verdictOf(model, launch) === "capacity" && !isWithinQuotas(model, launch);
}

/**
 * What blocks one is told of all others of its account that it surely blocks as well, without a try of each, which might have
 * found something else first.
 */
function isBlockedAlike(model: Model, launch: ModelLaunch, by: ModelBlocker): boolean {
  const { id, account } = launch;
  const isBlocked =
    by === "quota"
      ? !isWithinQuotas(model, launch)
      : by === "spend-limit" && found(model.accounts, account).spendsNothing;
  return (
    isBlocked &&
    [...model.launches.values()].some((one) => one.id !== id && one.account === account && one.blockedBy === by)
  );
}

/** New ones only for one that would be placed then. Whatever no plan has is evicted for nothing. */
function mayEvict(model: Model, id: string, instances: ReadonlySet<string>): boolean {
  const launch = model.launches.get(id);
  if (launch === undefined || launch.spot || launch.blockedBy !== "capacity") return instances.size === 0;
  const isNew = [...instances].some((one) => found(model.instances, one).evictedFor === undefined);
  if (isNew && !passesOthers(model, launch)) return false;
  return plansOf(model).some((plan) => isSameSet(plan.get(id) ?? new Set(), instances));
}

export function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((one) => b.has(one));
}

function evictedNow(
  all: ReadonlyMap<string, ModelInstance>,
  launch: string,
  instances: ReadonlySet<string>,
): ReadonlyMap<string, ModelInstance> {
  return new Map(
    [...all].map(([id, one]) => {
      if (instances.has(id)) return [id, { ...one, evictedFor: launch }];
      return [id, one.evictedFor === launch ? { ...one, evictedFor: undefined } : one];
    }),
  );
}

const evicts = (model: Model, launch: string) =>
  [...model.instances.values()].some(({ evictedFor }) => evictedFor === launch);

/** It no longer waits for it, has other hosts for what is evicted, or has had them; or an earlier one has it freed. */
function mayBeGivenBack(model: Model, host: ModelHost, { launch: id }: Kept, next: Kept | undefined): boolean {
  const launch = model.launches.get(id);
  if (!host.accepts || launch === undefined || launch.blockedBy !== "capacity" || evicts(model, id)) return true;
  if (found(model.types, launch.type).gpus <= 1) return true;
  const other = next === undefined ? undefined : model.launches.get(next.launch);
  return other !== undefined && isBefore(other, launch) && evicts(model, other.id);
}

/** Kept for the same launch, which is expected to fit earlier. */
function isSooner({ launch, fromMs: before = Number.POSITIVE_INFINITY }: Kept, { launch: id, fromMs }: Kept): boolean {
  return launch === id && fromMs !== undefined && fromMs < before;
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
    if (here.some(({ gpus, spot }) => gpus.length !== type.gpus || spot !== wanted.spot)) return undefined;
    for (const one of here) next = { ...next, instances: put(next.instances, one.id, one) };
  }
  return next;
}

/**
 * Only for the first that waits for its kind of place, where it could ever fit, and on no more hosts than it needs; or for one
 * that others are evicted for.
 */
function mayBeKept(model: Model, host: ModelHost, { launch: id, position }: Kept): boolean {
  const launch = model.launches.get(id);
  if (launch === undefined || launch.position !== position || !isWaitingForCapacity(model, id)) return false;
  const type = found(model.types, launch.type);
  const others = [...model.hosts.values()].filter(({ kept }) => kept?.launch === id).length;
  if (evicts(model, id)) {
    const emptied = withoutInstances(
      model,
      [...model.instances.values()].filter(({ spot }) => spot),
    );
    return host.accepts && suits(launch, host) && others < launch.quantity && timesFit(emptied, host, type) > 0;
  }
  const couldFit = type.gpus <= host.gpus.size && type.gpuModel === host.gpuModel && type.vcpus <= host.vcpus;
  return (
    isFirstOfItsKind(model, launch) &&
    host.accepts &&
    suits(launch, host) &&
    type.gpus > 1 &&
    !launch.spot &&
    couldFit &&
    others < launch.quantity
  );
}
