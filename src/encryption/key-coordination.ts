// Coordinates the encryption keys of all replicas. Invariant: no replica encrypts with a key that another live one
// lacks.
//
// Every step is a transaction under one advisory lock: a replica that joins must have every key that others encrypt
// with and that a value is encrypted with; and a replica encrypts with the first of its keys that all live replicas
// have, never with another. So an operator may add a new key to the replicas one after the other, in any order; as soon
// as the last one has it, those that have it first encrypt with it.
//
// A replica that sent no heartbeat for too long (asleep, cut off) has expired and must join again before any other key
// operation. If others have changed to a key that it lacks, it logs so until it is started with that key.

import { sql } from "kysely";
import type { Database, Transaction } from "../database/connect.ts";
import { inTransaction } from "../database/transaction.ts";
import {
  deleteExpired,
  enterReplica,
  type Joining,
  liveReplicas,
  noteKeyIds,
  noteKeys,
  noteSealing,
} from "../replicas/replica-store.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { checkKey, noteKeyInUse, WrongKey } from "./key-check.ts";
import { type OwnKeys, preferredKeyId } from "./own-keys.ts";

/** Held to the end of the transaction, so that what it reads about replicas and keys stays true. */
export async function lockKeyCoordination(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('lessor encryption keys'))`.execute(tx);
}

/** Adds this replica and returns the key it encrypts with. `alone`: no other can be running. Throws WrongKey. */
export async function join(
  db: Database,
  own: OwnKeys,
  self: Pick<Joining, "version" | "host" | "pid">,
  alone: boolean,
): Promise<void> {
  const { keyRing, replicaId } = own;
  const agreed = await inTransaction(db, async (tx) => {
    await lockKeyCoordination(tx);
    await deleteExpired(tx, replicaId, alone);
    await checkKey(tx, keyRing);
    const others = await otherReplicas(tx, replicaId);
    const foreign = others.find((other) => !keyRing.canOpen(other.currentKeyId));
    if (foreign !== undefined) {
      throw new WrongKey(
        `Replica ${nameOf(foreign)} encrypts with key ${foreign.currentKeyId}, which this one does not have. ` +
          "Replicas on one database share their keys: add it to LESSOR_ENCRYPTION_KEY or the key file.",
      );
    }
    const sealing = firstThatAllHave(keyRing, others);
    if (sealing === undefined) {
      throw new WrongKey("The running replicas have no common encryption key. Give them all the same keys.");
    }
    await noteKeyInUse(tx, sealing, keyRing);
    await enterReplica(tx, { id: replicaId, ...self, keyIds: keyRing.keyIds, currentKeyId: sealing });
    return sealing;
  });
  await take(db, own, agreed);
}

/** Changes to the preferred key if it is not current and all now have it. Returns whether it did. */
export async function promote(db: Database, own: OwnKeys): Promise<boolean> {
  const preferred = preferredKeyId(own);
  if (own.keyRing.currentKeyId === preferred) return false;
  const agreed = await inTransaction(db, async (tx) => {
    await lockKeyCoordination(tx);
    const others = await otherReplicas(tx, own.replicaId);
    if (firstThatAllHave(own.keyRing, others) !== preferred) return false;
    await announce(tx, own, preferred);
    return true;
  });
  if (agreed) await take(db, own, preferred);
  return agreed;
}

/** Announces that this replica will encrypt with the key, which all have; call `take` after the commit. */
export async function announce(tx: Transaction, { keyRing, replicaId }: OwnKeys, keyId: string): Promise<void> {
  await noteKeyInUse(tx, keyId, keyRing);
  await noteKeys(tx, replicaId, keyRing.keyIds, keyId);
}

/** Encrypts with the key from now on, and records it. */
export async function take(db: Database, { keyRing, replicaId }: OwnKeys, keyId: string): Promise<void> {
  keyRing.makeCurrent(keyId);
  await noteSealing(db, replicaId);
}

/** Removes the key, which has left the key file, from the ring, unless a replica has come to encrypt with it since. */
export async function forget(db: Database, { keyRing, replicaId }: OwnKeys, keyId: string): Promise<void> {
  const mayGo = await inTransaction(db, async (tx) => {
    await lockKeyCoordination(tx);
    const others = await otherReplicas(tx, replicaId);
    if (keyRing.currentKeyId === keyId || others.some(({ currentKeyId }) => currentKeyId === keyId)) return false;
    await noteKeyIds(
      tx,
      replicaId,
      keyRing.keyIds.filter((id) => id !== keyId),
    );
    return true;
  });
  if (mayGo) keyRing.forget(keyId);
}

export async function otherReplicas(tx: Transaction, ownId: string) {
  return (await liveReplicas(tx)).filter(({ id }) => id !== ownId);
}

/** The display name of a replica: hostname and process id. */
export function nameOf({ host, pid }: { readonly host: string; readonly pid: number }): string {
  return `${host} (process ${pid})`;
}

function firstThatAllHave(keyRing: KeyRing, others: readonly { readonly keyIds: readonly string[] }[]) {
  return keyRing.keyIds.find((id) => others.every(({ keyIds }) => keyIds.includes(id)));
}
