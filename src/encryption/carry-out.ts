// Carries out a requested rotation, level-triggered: it does the missing steps and recognizes those of a killed
// replica. Steps: write a new key to the key file, then make it current (both only if requested), then re-encrypt
// everything, and only when no value of an older key is left, mark that key as unused.

import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Database, Transaction } from "../database/connect.ts";
import { inTransaction } from "../database/transaction.ts";
import { expirySeconds, liveReplicas } from "../replicas/replica-store.ts";
import { readKeyFile } from "../secrets/key-file.ts";
import { putFirstInKeyFile } from "../secrets/key-file-change.ts";
import { idOfKey } from "../secrets/key-ring.ts";
import { keyBytes } from "../secrets/parse-keys.ts";
import { rollInWords } from "./ask.ts";
import { countEncrypted, valuesInWords } from "./count.ts";
import { keepOnly, noteKeyInUse } from "./key-check.ts";
import { announce, lockKeyCoordination, nameOf, otherReplicas, take } from "./key-coordination.ts";
import type { OwnKeys } from "./own-keys.ts";
import { type Pass, reencryptPass } from "./re-encrypt.ts";
import {
  addReencrypted,
  currentRotation,
  finishRotation,
  noteKeyTaken,
  noteWaiting,
  type Rotation,
} from "./rotation-store.ts";

/** Failpoints at which a test may kill the replica. */
export type Step = "draft written" | "file linked" | "key taken" | "batch sealed";

export interface CarryingOut {
  readonly db: Database;
  readonly own: OwnKeys;
  readonly signal: AbortSignal;
  readonly onStep: (step: Step) => void;
  /** How many values one transaction re-encrypts. */
  readonly batchSize: number;
}

/** Advances the rotation in progress as far as possible now. True if there is none, or it is finished. */
export async function carryOut(parts: CarryingOut): Promise<boolean> {
  const asked = await currentRotation(parts.db);
  if (asked === undefined) return true;
  if (asked.keyId === null) await takeNewKey(parts, asked.id);
  const rotation = await currentRotation(parts.db);
  if (rotation === undefined) return true;
  const { keyId } = rotation;
  if (keyId === null) return false;
  if (parts.own.keyRing.currentKeyId !== keyId) return giveUp(parts, rotation, keyId);
  const pass = await sealAnew(parts, rotation, keyId);
  return settle(parts, rotation, keyId, pass);
}

/** In one transaction under the lock of all replicas, so that none joins between the check and the use. */
async function takeNewKey({ db, own, onStep }: CarryingOut, id: string): Promise<void> {
  const keyId = await inTransaction(db, async (tx) => {
    await lockKeyCoordination(tx);
    const rotation = await currentRotation(tx);
    if (rotation?.id !== id || rotation.keyId !== null) return undefined;
    const others = await otherReplicas(tx, own.replicaId);
    const why = whyNoKeyIsMade(own, others);
    if (why !== undefined) {
      // The other replica may have been killed just now, or may be the one to do it.
      if (others.length > 0 && !(await askedLongAgo(tx, id))) await noteWaiting(tx, id, why);
      else await finishRotation(tx, id, why);
      return undefined;
    }
    const key = newKeyOrWhyNot(own, rotation, onStep);
    if (key instanceof Error) {
      await finishRotation(tx, id, `No new key was created: ${key.message}`);
      return undefined;
    }
    await announce(tx, own, key);
    await noteKeyTaken(tx, id, key);
    return key;
  });
  if (keyId === undefined) return;
  await take(db, own, keyId);
  onStep("key taken");
}

async function askedLongAgo(tx: Transaction, id: string): Promise<boolean> {
  const { rows } = await sql<{ long: boolean }>`
    select asked_at < now() - make_interval(secs => ${2 * expirySeconds}) as long from key_rotations where id = ${id}`.execute(
    tx,
  );
  return rows[0]?.long === true;
}

function whyNoKeyIsMade(
  { keyFile }: OwnKeys,
  others: readonly { readonly host: string; readonly pid: number }[],
): string | undefined {
  const [other] = others;
  if (other !== undefined) return `No new key was created: replica ${nameOf(other)} is also running. ${rollInWords}`;
  if (keyFile === undefined) return `No new key was created: the keys come from LESSOR_ENCRYPTION_KEY. ${rollInWords}`;
  return undefined;
}

/** The operator must repair an unreadable or read-only key file, then request the rotation again. */
function newKeyOrWhyNot(own: OwnKeys, rotation: Rotation, onStep: CarryingOut["onStep"]): string | Error {
  try {
    return ownNewKey(own, rotation, onStep);
  } catch (error) {
    if (error instanceof Error && !error.message.startsWith("BUG")) return error;
    throw error;
  }
}

/** The id of the key for this rotation: one that a killed replica left in the file, or a new one. */
function ownNewKey({ keyRing, keyFile }: OwnKeys, { formerKeyId }: Rotation, onStep: CarryingOut["onStep"]): string {
  if (keyFile === undefined) throw new Error("BUG: a new key without a file to keep it in");
  if (keyRing.currentKeyId !== formerKeyId) return keyRing.currentKeyId;
  const [first] = readKeyFile(keyFile).keys;
  if (first !== undefined && idOfKey(first) !== keyRing.currentKeyId) return keyRing.putFirst(first);
  const key = freshKey((id) => keyRing.canOpen(id));
  putFirstInKeyFile(keyFile, key, () => onStep("draft written"));
  onStep("file linked");
  return keyRing.putFirst(key);
}

/** Ids have 32 bits: among a thousand keys, two collide in one of 10,000 installations, and the ring rejects that. */
function freshKey(taken: (id: string) => boolean): Buffer {
  const key = randomBytes(keyBytes);
  return taken(idOfKey(key)) ? freshKey(taken) : key;
}

/** A rotation to a key that no replica encrypts with any more would never end, and would block others. */
async function giveUp({ db }: CarryingOut, { id }: Rotation, keyId: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await lockKeyCoordination(tx);
    const servers = await liveReplicas(tx);
    if (servers.some((server) => server.currentKeyId === keyId) || !(await askedLongAgo(tx, id))) return false;
    await finishRotation(tx, id, `No replica encrypts with key ${keyId} any longer. Rotate again.`);
    return true;
  });
}

function sealAnew({ db, own, signal, onStep, batchSize }: CarryingOut, { id }: Rotation, keyId: string): Promise<Pass> {
  return reencryptPass(db, own.keyRing, keyId, {
    batchSize,
    inBatch: (tx, resealed) => addReencrypted(tx, id, resealed),
    afterBatch: () => onStep("batch sealed"),
    signal,
  });
}

/**
 * Ends the rotation if nothing is left to do and no older value can still be written. A transaction encrypts after it
 * has begun, so those begun after a replica's change of key (`sealing_since`) use the new one; those begun before must
 * have ended before the last count is valid.
 */
async function settle({ db, own }: CarryingOut, { id }: Rotation, keyId: string, pass: Pass): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await lockKeyCoordination(tx);
    const waiting = await whatIsWaitedFor(tx, keyId);
    await noteWaiting(tx, id, waiting ?? null);
    if (waiting !== undefined) return false;
    const left = (await countEncrypted(tx)).filter((one) => one.keyId !== keyId);
    const count = left.reduce((sum, one) => sum + one.count, 0);
    if (count > pass.unopenable) return false;
    const keys = [...new Set(left.map((one) => one.keyId))];
    await noteKeyInUse(tx, keyId, own.keyRing);
    await keepOnly(tx, [keyId, ...keys]);
    await finishRotation(tx, id, count === 0 ? null : unopened(count, keys));
    return true;
  });
}

async function whatIsWaitedFor(tx: Transaction, keyId: string): Promise<string | undefined> {
  const servers = await liveReplicas(tx);
  const other = servers.find(({ currentKeyId }) => currentKeyId !== keyId);
  if (other !== undefined) return `Replica ${nameOf(other)} encrypts with another key, ${other.currentKeyId}.`;
  if (servers.some(({ sealingSince }) => sealingSince === null)) return "A replica is changing its key.";
  const { rows } = await sql<{ open: boolean }>`
    select exists (select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
        and xact_start <= (select max(sealing_since) from replicas)) as open`.execute(tx);
  if (rows[0]?.open === true) return "A transaction that began before the key was changed is still open.";
  return undefined;
}

function unopened(count: number, keys: readonly string[]): string {
  return (
    `Left unchanged, because it cannot be decrypted: ${valuesInWords(count)} (encrypted with ${keys.join(", ")}). It was altered, or the ` +
    "key is missing. If you have that key, add it after the current one and rotate again."
  );
}
