// Begins to move a stopped instance to another host of its region: for an operator, or to empty a host (empty-hosts.ts).
// The reconciler copies it then.
//
// Invariant: a move that cannot be is rejected before anything is touched, and one that begins has its capacity on the new
// host. So of two moves that want the last of it, one is rejected. Locks in the order of database/lock-order.ts.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { hostTraits } from "../../rules/host-lifecycle.ts";
import { isLive, isMovable } from "../../rules/lifecycle.ts";
import { initialMovePhase, moveTraits } from "../../rules/moves.ts";
import type { Assignment } from "../capacity/assign.ts";
import { takenPlaces } from "../capacity/host-lock.ts";
import { type Host, readHost } from "../capacity/host-reading.ts";
import { beforeAll } from "../capacity/line.ts";
import { reserve } from "../capacity/placement.ts";
import { driverBranchOf } from "../catalog/image-store.ts";
import { invalid, RentalError, unknownName } from "../errors.ts";
import type { Instance } from "../instances/instance.ts";
import { lockAny } from "../instances/instance-store.ts";
import { checkReason } from "../instances/reason.ts";
import { wakeReconciler } from "../instances/wake.ts";
import { readReservation } from "../reservations/reservation-store.ts";
import type { Service } from "../service.ts";
import { isHeld } from "./held.ts";
import { type Move, moveOf, otherHostOf } from "./move-store.ts";

export interface MoveOrder {
  /** The new host; undefined: the best one of the region. */
  readonly host: string | undefined;
  /** One line for other operators; undefined: none. */
  readonly reason: string | undefined;
  /** The operator's account; null: the service by itself. */
  readonly by: string | null;
}

/**
 * Begins it. `id` as the client wrote it. Repeated while the move is in progress, and for the host that the instance is on,
 * it changes nothing. Refresh `service.capacity` before the call. Throws RentalError unknown-object, invalid-parameters
 * (the reason), unknown-name (the host), insufficient-capacity, and conflict where the instance or a host cannot take part.
 */
export async function beginMove(
  tx: Transaction,
  service: Pick<Service, "capacity" | "enginesThatMove">,
  id: string,
  order: MoveOrder,
): Promise<Instance> {
  const problem = order.reason === undefined ? undefined : checkReason(order.reason);
  if (problem !== undefined) throw invalid("reason", problem);
  const instance = await lockAny(tx, id);
  const before = await moveOf(tx, instance.id);
  if (isRepeated(instance, before, order.host)) return instance;
  if (before !== undefined && moveTraits[before.phase].holdsBoth) throw inProgress(instance, before);
  refuseRunning(instance);
  if (before !== undefined) await refuseHeld(tx, instance, before);
  refuseEngine(instance, service);
  refuseUnreachable(instance, await readHost(tx, instance.host));
  await refuseOwnStorage(tx, instance);
  if (order.host !== undefined) refuseTarget(instance, await targetNamed(tx, order.host));
  const place = await reservePlace(tx, service, instance, order.host);
  await ask(tx, takenPlaces([{ host: place.host, product: instance.product, places: [place] }]));
  await write(tx, instance, place.host, order);
  return instance;
}

/** Whether it is on the way to this host, or there. */
function isRepeated(instance: Instance, move: Move | undefined, host: string | undefined): boolean {
  if (move === undefined || !moveTraits[move.phase].holdsBoth) return host === instance.host;
  const isLeaving = moveTraits[move.phase].work !== "remove" || moveTraits[move.phase].isOnTarget;
  return isLeaving && (host === undefined || host === move.to);
}

function inProgress({ id, host }: Instance, move: Move): RentalError {
  const given = moveTraits[move.phase].isOnTarget || moveTraits[move.phase].work === "copy";
  return new RentalError("conflict", {
    message: given
      ? `The instance ${id} is being moved from host ${move.from} to ${move.to}.`
      : `A move of the instance ${id} was given up, and what was copied to host ${otherHostOf(move)} is being removed.`,
    suggestion: given
      ? "Wait until that move is complete, which includes a first start on the new host."
      : `Wait until it is removed; the instance stays on host ${host}. Then move it again.`,
  });
}

function refuseRunning({ id, state }: Instance): void {
  if (isMovable[state]) return;
  throw new RentalError("conflict", {
    message: `Only a stopped instance can be moved; ${id} is ${state}.`,
    suggestion: isLive[state] ? "Stop it, and move it when it is stopped." : "Choose an instance that has not ended.",
  });
}

/** The record of that move is what holds it. Throws RentalError conflict. */
async function refuseHeld(tx: Transaction, { id }: Instance, { to }: Move): Promise<void> {
  const { rows } = await sql`select from moves m where m.instance_id = ${id} and ${isHeld}`.execute(tx);
  if (rows.length === 0) return;
  throw new RentalError("conflict", {
    message: `The instance ${id} may still run on host ${to}, which is lost.`,
    suggestion: `Fence host ${to}, or delete it if it is gone for good. Then move the instance.`,
  });
}

function refuseEngine({ id, engine }: Instance, { enginesThatMove }: Pick<Service, "enginesThatMove">): void {
  if (enginesThatMove === undefined || enginesThatMove().has(engine)) return;
  throw new RentalError("conflict", {
    message: `The engine ${engine} of instance ${id} cannot move machines.`,
    suggestion: "Launch another instance elsewhere, and copy the data inside the guest.",
  });
}

function refuseUnreachable({ id, health }: Instance, { name, unreachableSince, state }: Host): void {
  if (unreachableSince === null && health === "ok") return;
  throw new RentalError("conflict", {
    message: `Host ${name} of instance ${id} is ${state === "lost" ? "lost" : "unreachable"}, so its disk cannot be copied.`,
    suggestion: "Move it when the host is reachable again, or declare the host lost.",
  });
}

/** Throws RentalError conflict if a file system of the instance is on its host's own storage. */
async function refuseOwnStorage(tx: Transaction, { id, host }: Instance): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from file_systems where attached_to @> array[${id}::uuid] and host is not null order by name`.execute(
    tx,
  );
  if (rows.length === 0) return;
  throw new RentalError("conflict", {
    message: `File system ${rows.map(({ name }) => name).join(", ")} of instance ${id} is on the own storage of host ${host}, which no other host reaches.`,
    suggestion: "Only instances without file systems, or with file systems on shared storage, can be moved.",
  });
}

/** Throws RentalError unknown-name. */
async function targetNamed(tx: Transaction, name: string): Promise<Host> {
  try {
    return await readHost(tx, name);
  } catch (error) {
    throw error instanceof RentalError && error.kind === "unknown-object" ? unknownName("host", "host", name) : error;
  }
}

function refuseTarget({ id, engine, region }: Instance, host: Host): void {
  const conflict = (message: string, suggestion: string) => new RentalError("conflict", { message, suggestion });
  const another = `Choose a host of engine ${engine} in region ${region.name}.`;
  if (host.engine !== engine)
    throw conflict(`Host ${host.name} belongs to engine ${host.engine}, not to ${engine}.`, another);
  if (host.region !== region.name)
    throw conflict(
      `Host ${host.name} is in region ${host.region}; the instance ${id} stays in ${region.name}.`,
      another,
    );
  if (!hostTraits[host.state].acceptsInstances)
    throw conflict(
      `Host ${host.name} is ${host.state} and accepts no instances.`,
      "Choose another host, or omit `host`.",
    );
}

async function reservePlace(
  tx: Transaction,
  { capacity }: Pick<Service, "capacity">,
  { id, product, region, engine, host: from, image, expiresAt, reservationId }: Instance,
  host: string | undefined,
): Promise<Assignment> {
  const driverBranch = await driverBranchOf(tx, image.name);
  const bound = { engine, host, except: from, driverBranch };
  // The slot of a reservation moves with it, and is promised until that ends.
  const ends = reservationId === null ? expiresAt : (await readReservation(tx, reservationId)).endsAt;
  const want = { product, region: region.name, instanceIds: [id], bound, ...beforeAll, endsMs: ends?.getTime() };
  const places = await reserve(tx, capacity.order, want).catch((error: unknown) => {
    if (!(error instanceof RentalError) || error.kind !== "insufficient-capacity") throw error;
    const details = { instanceType: product.name, region: region.name, quantity: 1, regionsWithCapacity: [] };
    throw new RentalError("insufficient-capacity", { ...details, move: { host } });
  });
  const [place] = places;
  if (place === undefined) throw new Error("BUG: a reservation for one instance has no place");
  return place;
}

async function write(tx: Transaction, { id, host: from }: Instance, to: string, order: MoveOrder): Promise<void> {
  // The record of a move that failed ends with the next one.
  await sql`delete from moves where instance_id = ${id}`.execute(tx);
  await tx
    .insertInto("moves")
    .values({
      instance_id: id,
      from_host: from,
      to_host: to,
      phase: initialMovePhase,
      began_by: order.by,
      reason: order.reason ?? null,
      failure_code: null,
      failure_message: null,
    })
    .execute();
  await sql`update instances set next_look_at = now() where id = ${id}`.execute(tx);
  await wakeReconciler(tx);
}
