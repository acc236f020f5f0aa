// Declares a host lost, in two steps: what would end, and then the confirmation of exactly that. Its instances end with
// `host-lost` (but one that was moved there and has not started there returns), billed until the host was last known to serve them; the file systems on its own storage are lost; its
// capacity is not offered any more. Used by the control interface.
//
// Invariant: only a host that its engine does not reach is declared lost. Nothing starts twice by it: the instances end,
// what they used on shared storage is blocked until they surely do not run any more (verified-off.ts), what returns from it
// does not start before that either (moving/held.ts), and what the host still runs, should it return, is removed before it accepts instances (lost-hosts.ts). Locks in the order of
// database/lock-order.ts.

import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { afterHostAction } from "../../rules/host-lifecycle.ts";
import { asState, finalState, isLive, type State } from "../../rules/lifecycle.ts";
import { resyncSettingOf } from "../capacity/engine-health.ts";
import { type Host, readHost } from "../capacity/host-reading.ts";
import { invalid, RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { checkReason } from "../instances/reason.ts";
import { recordObservations } from "../instances/record-observation.ts";
import { lockInstancesOf, loseMoves, type MoveOfHost, movesOfHost, returningAndRunning } from "../moving/lost-moves.ts";
import { changeHostMode } from "./change-mode.ts";
import { blockFileSystems } from "./verified-off.ts";

/** What ends with a host. */
export interface HostLoss {
  readonly host: Host;
  /** The last time that its engine reached it: billing ends there. */
  readonly unreachableSince: Date;
  /** Not terminated, by id; without those that return to where they were moved from. */
  readonly instances: readonly EndingInstance[];
  /** On its own storage, by id. */
  readonly fileSystems: readonly LostFileSystem[];
  /** Moves from it and to it, which change (moving/lost-moves.ts). */
  readonly moves: readonly MoveOfHost[];
  /** Confirms exactly this. */
  readonly confirmation: string;
  /** Whether it has been declared. */
  readonly isDeclared: boolean;
}

export interface EndingInstance {
  readonly id: string;
  readonly name: string;
  /** The name of its account. */
  readonly account: string;
  readonly state: State;
  readonly generation: number;
}

export interface LostFileSystem {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly accountId: string;
  readonly region: string;
  readonly sizeGb: number;
}

export interface LossDeclaration {
  /** One line for other operators. */
  readonly reason: string;
  /** Of the first step; undefined: this is the first step, which changes nothing. */
  readonly confirmation: string | undefined;
  /** The operator's account. */
  readonly by: string;
  /** Engines that keep no copy of a machine where it was moved from, so that it cannot return there. Undefined: none. */
  readonly enginesOfOneCopy?: ReadonlySet<string> | undefined;
}

/** The failure code of an instance that ended with its host. */
export const hostLost = "host-lost";

/**
 * With a confirmation, ends what it confirms; without one, says what would end. Throws RentalError unknown-object,
 * invalid-parameters (the reason), and conflict: the host is reached, is lost already, or something else would end than
 * what was confirmed.
 */
export async function declareLost(tx: Transaction, name: string, declaration: LossDeclaration): Promise<HostLoss> {
  const { reason, confirmation, by, enginesOfOneCopy = new Set<string>() } = declaration;
  const problem = checkReason(reason);
  if (problem !== undefined) throw invalid("reason", problem);
  const loss = await lossOf(tx, name, enginesOfOneCopy);
  if (confirmation === undefined) return loss;
  if (confirmation !== loss.confirmation) {
    throw new RentalError("conflict", {
      message: `The confirmation is not for what would end with host ${name} now.`,
      suggestion: "Send the request without `confirmation`, check what would end, and confirm that.",
    });
  }
  const host = await changeHostMode(tx, name, { action: "declare-lost", reason, by });
  await loseFileSystems(tx, loss.fileSystems);
  await blockFileSystems(tx, host, [...loss.instances.map(({ id }) => id), ...returningAndRunning(loss.moves)]);
  await loseMoves(tx, name, loss.moves, host.offSince !== null);
  await endInstances(tx, loss);
  return { ...loss, host: { ...host, instances: 0 }, isDeclared: true };
}

async function lossOf(tx: Transaction, name: string, enginesOfOneCopy: ReadonlySet<string>): Promise<HostLoss> {
  // Instances are locked before their host. One that is launched in between is found below, and counts; so does a move that
  // begins in between, of which no confirmation knows.
  await lockInstancesOf(tx, name);
  const others = (await movesOfHost(tx, name)).flatMap(({ from, to }) => [from, to]);
  const { rows: hosts } = await sql<{ id: string; name: string }>`
    select id, name from hosts where name = any(${[name, ...others]}::text[]) order by name for update`.execute(tx);
  const host = await readHost(tx, name);
  const unreachableSince = await refuseReached(tx, host);
  const { rows: instances } = await sql<Omit<EndingInstance, "state"> & { readonly state: string }>`
    select i.id, i.name, a.name as account, i.state, i.generation from instances i join accounts a on a.id = i.account_id
    where i.host = ${name} and i.state <> ${sql.lit(finalState)} order by i.id`.execute(tx);
  const moves = await movesOfHost(tx, name, !enginesOfOneCopy.has(host.engine));
  const returning = new Set(moves.flatMap(({ instanceId, returns }) => (returns ? [instanceId] : [])));
  const ending = instances.filter(({ id }) => !returning.has(id));
  const { rows: fileSystems } = await sql<LostFileSystem>`
    select f.id, f.name, a.name as account, f.account_id as "accountId", f.region, f.size_gb as "sizeGb"
    from file_systems f join accounts a on a.id = f.account_id
    where f.engine = ${host.engine} and f.host = ${name} and f.lost_at is null order by f.id for update of f`.execute(
    tx,
  );
  const confirmed = [
    hosts.find((one) => one.name === name)?.id,
    unreachableSince.toISOString(),
    ending.map(({ id, generation }) => [id, generation]),
    fileSystems.map(({ id }) => id),
    ...(moves.length === 0 ? [] : [moves.map(({ instanceId, phase }) => [instanceId, phase])]),
  ];
  return {
    host,
    unreachableSince,
    instances: ending.map((one) => ({ ...one, state: asState(one.state) })),
    fileSystems,
    moves,
    confirmation: createHash("sha256").update(JSON.stringify(confirmed)).digest("hex").slice(0, 16),
    isDeclared: false,
  };
}

/** Returns since when its engine does not reach it. Throws RentalError conflict if it does, or if the host is lost. */
async function refuseReached(tx: Transaction, { name, engine, mode, unreachableSince }: Host): Promise<Date> {
  if (afterHostAction(mode, "declare-lost") === undefined) {
    throw new RentalError("conflict", {
      message: `Host ${name} is declared lost already.`,
      suggestion: "Read the host, which says who declared it and when.",
    });
  }
  if (unreachableSince !== null) return unreachableSince;
  const { rows } = await sql<{ at: Date | null }>`
    select (value ->> 'listed_at')::timestamptz as at from settings where name = ${resyncSettingOf(engine)}`.execute(
    tx,
  );
  const at = rows[0]?.at;
  throw new RentalError("conflict", {
    message: `Host ${name} is not lost: its engine ${engine} reached it${at ? ` at ${at.toISOString()}` : ""}.`,
    suggestion: "Cordon or drain it. Only a host that its engine cannot reach can be declared lost.",
  });
}

async function loseFileSystems(tx: Transaction, fileSystems: readonly LostFileSystem[]): Promise<void> {
  if (fileSystems.length === 0) return;
  await sql`update file_systems set lost_at = now() where id = any(${fileSystems.map(({ id }) => id)}::uuid[])`.execute(
    tx,
  );
  await recordEvents(
    tx,
    fileSystems.map(({ id, name, region, accountId }) => ({
      accountId,
      type: "file_system.lost",
      subjectId: id,
      data: { file_system_id: id, name, region },
    })),
  );
}

/** Locks their accounts, so it comes last. Throws "BUG: …" if one changed under its lock. */
async function endInstances(tx: Transaction, { instances, unreachableSince: servedUntil }: HostLoss): Promise<void> {
  const message = "Its host failed and was declared lost. What was on its disk is lost.";
  const recorded = await recordObservations(
    tx,
    instances.map(({ id, generation, state }) => ({
      fence: { id, generation },
      fact: "hostLost",
      details: { servedUntil, ...(isLive[state] && { failure: { code: hostLost, message } }) },
    })),
  );
  if (recorded.includes(false))
    throw new Error("BUG: an instance changed under its lock while its host was declared lost");
}
