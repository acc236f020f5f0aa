// The encryption keys of one running replica: joins the others, keeps its row fresh, changes to a new key when all have
// it, and carries out rotations. server.ts creates and stops it; the control interface uses it.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Logger } from "pino";
import type { Database, Transaction } from "../database/connect.ts";
import { keepPresent, type Presence } from "../replicas/presence.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { askForRotation } from "./ask.ts";
import { carryOut, type Step } from "./carry-out.ts";
import { countEncrypted, type EncryptedCount } from "./count.ts";
import { forget, join, promote } from "./key-coordination.ts";
import type { OwnKeys } from "./own-keys.ts";
import { retireKey } from "./retire.ts";
import { latestRotation, type Rotation } from "./rotation-store.ts";

export interface EncryptionParts {
  readonly db: Database;
  readonly keyRing: KeyRing;
  /** Where the keys are stored; undefined if they come from LESSOR_ENCRYPTION_KEY. */
  readonly keyFile: string | undefined;
  readonly log: Logger;
  /** The version of this program. */
  readonly version: string;
  /** Whether no other replica can run on this database, because it is this replica's own. */
  readonly alone: boolean;
  /** For tests. */
  readonly onStep?: (step: Step) => void;
  /** How many values one transaction re-encrypts. 200. */
  readonly batchSize?: number;
  /** Seconds between checks for work. 5. */
  readonly lookSeconds?: number;
}

export interface EncryptionStatus {
  readonly keysFrom: "file" | "environment";
  readonly currentKeyId: string;
  /** In order of preference: the first should become current. */
  readonly keyIds: readonly string[];
  readonly sealed: readonly EncryptedCount[];
  /** The rotation in progress, or the last one. */
  readonly rotation: Rotation | undefined;
}

export class Encryption {
  readonly #parts: EncryptionParts;
  readonly #own: OwnKeys;
  readonly #ending = new AbortController();
  /** Removed from the file; removed from the ring after the transaction's commit. */
  readonly #retired = new Set<string>();
  #presence: Presence | undefined;
  #timer: NodeJS.Timeout | undefined;
  #duty: Promise<void> = Promise.resolve();
  #failing = false;

  /** Starts nothing yet. */
  constructor(parts: EncryptionParts) {
    this.#parts = parts;
    this.#own = { keyRing: parts.keyRing, keyFile: parts.keyFile, replicaId: randomUUID() };
  }

  /** This replica's row. */
  get replicaId(): string {
    return this.#own.replicaId;
  }

  /** Joins the replicas of this database and starts the background work. Throws WrongKey. */
  async start(): Promise<void> {
    const { db, log, lookSeconds = 5 } = this.#parts;
    await this.#join();
    this.#presence = keepPresent(db, this.#own.replicaId, log, () => this.#join());
    const { currentKeyId, keyIds } = this.#own.keyRing;
    if (currentKeyId !== keyIds[0]) {
      log.warn(
        { key: currentKeyId, first: keyIds[0] },
        "encrypting with an older key: not every replica has the first one",
      );
    }
    const next = () => {
      this.#timer = setTimeout(() => {
        this.#duty = this.#look().then(() => (this.#ending.signal.aborted ? undefined : next()));
      }, lookSeconds * 1000);
    };
    next();
  }

  /** Leaves the other replicas. A rotation in progress pauses, and resumes at the next start. */
  async stop(): Promise<void> {
    this.#ending.abort(new Error("the server stops"));
    clearTimeout(this.#timer);
    await this.#duty;
    await this.#presence?.stop();
  }

  async status(db: Database): Promise<EncryptionStatus> {
    const { keyRing, keyFile } = this.#own;
    return {
      keysFrom: keyFile === undefined ? "environment" : "file",
      currentKeyId: keyRing.currentKeyId,
      keyIds: keyRing.keyIds.filter((id) => !this.#retired.has(id)),
      sealed: await countEncrypted(db),
      rotation: await latestRotation(db),
    };
  }

  /** Requests a re-encryption of everything; a replica does it soon after the commit. Throws RentalError conflict. */
  rotate(tx: Transaction): Promise<Rotation> {
    return askForRotation(tx, this.#own);
  }

  /** Removes an old key from the key file. Throws RentalError: unknown-object, conflict. */
  async retire(tx: Transaction, keyId: string): Promise<void> {
    await retireKey(tx, this.#own, keyId);
    this.#retired.add(keyId);
  }

  async #join(): Promise<void> {
    const { db, version, alone } = this.#parts;
    await join(db, this.#own, { version, host: hostname(), pid: process.pid }, alone);
  }

  /** Does the pending work on keys. Never throws: it is retried. */
  async #look(): Promise<void> {
    const { db, log, onStep = () => {}, batchSize = 200 } = this.#parts;
    const { signal } = this.#ending;
    try {
      for (const keyId of this.#retired) {
        await forget(db, this.#own, keyId);
        this.#retired.delete(keyId);
      }
      if (await promote(db, this.#own)) log.info({ key: this.#own.keyRing.currentKeyId }, "encrypting with a new key");
      await carryOut({ db, own: this.#own, signal, onStep, batchSize });
      this.#failing = false;
    } catch (error) {
      if (!this.#failing && !signal.aborted) log.warn({ error: String(error) }, "cannot coordinate encryption keys");
      this.#failing = true;
    }
  }
}
