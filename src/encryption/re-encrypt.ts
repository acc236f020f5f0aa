// Re-encrypts values with another key, in batches, while the service runs. One batch is one transaction.
//
// A value that is being changed is skipped (its row is locked), and one that was changed since it was read is not
// written (`where … = old`); the next pass reads both again. So passes repeat until one finds nothing, and a kill
// between two batches loses nothing.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../database/connect.ts";
import { inTransaction } from "../database/transaction.ts";
import { CannotOpen, type KeyRing, sealedPrefix } from "../secrets/key-ring.ts";
import { type EncryptedColumn, encryptedColumns } from "./encrypted-columns.ts";

export interface Pass {
  readonly resealed: number;
  /** Values that do not decrypt, and so cannot be re-encrypted: their key is lost, or they were altered. */
  readonly unopenable: number;
}

interface Options {
  readonly batchSize: number;
  /** Part of each batch's transaction, with the number of values re-encrypted in it. */
  readonly inBatch: (tx: Transaction, resealed: number) => Promise<void>;
  readonly afterBatch: () => void;
  readonly signal: AbortSignal;
}

interface Found {
  readonly key: readonly string[];
  readonly sealed: string;
}

/** One pass over every encrypted column: re-encrypts values of keys other than `keyId`, which is current. */
export async function reencryptPass(db: Database, keyRing: KeyRing, keyId: string, options: Options): Promise<Pass> {
  let pass: Pass = { resealed: 0, unopenable: 0 };
  for (const column of encryptedColumns) {
    const batchSize = Math.min(options.batchSize, column.mostAtOnce ?? options.batchSize);
    let after: readonly string[] | undefined;
    do {
      options.signal.throwIfAborted();
      const from = after;
      const batch = await inTransaction(db, async (tx) => {
        const done = await resealBatch(tx, keyRing, keyId, column, from, batchSize);
        if (done.resealed > 0) await options.inBatch(tx, done.resealed);
        return done;
      });
      pass = { resealed: pass.resealed + batch.resealed, unopenable: pass.unopenable + batch.unopenable };
      after = batch.last;
      if (batch.resealed > 0) options.afterBatch();
    } while (after !== undefined);
  }
  return pass;
}

/** `last` is undefined if no batch follows. */
async function resealBatch(
  tx: Transaction,
  keyRing: KeyRing,
  keyId: string,
  column: EncryptedColumn,
  after: readonly string[] | undefined,
  limit: number,
): Promise<Pass & { last: readonly string[] | undefined }> {
  const found = await nextOf(tx, column, sealedPrefix(keyId), after, limit);
  const opened = found.flatMap(({ key, sealed }) => {
    const context = column.context(...key);
    const plain = opening(keyRing, sealed, context);
    return plain === undefined ? [] : [{ key, former: sealed, sealed: keyRing.seal(plain, context) }];
  });
  const resealed = opened.length === 0 ? 0 : await write(tx, column, opened);
  return {
    resealed,
    unopenable: found.length - opened.length,
    last: found.length < limit ? undefined : found.at(-1)?.key,
  };
}

function opening(keyRing: KeyRing, sealed: string, context: string): Buffer | undefined {
  try {
    return keyRing.open(sealed, context);
  } catch (error) {
    if (error instanceof CannotOpen) return undefined;
    throw error;
  }
}

async function nextOf(
  tx: Transaction,
  { table, column, key }: EncryptedColumn,
  prefix: string,
  after: readonly string[] | undefined,
  limit: number,
): Promise<Found[]> {
  const names = Object.keys(key);
  const columns = sql.join(names.map((name) => sql.ref(name)));
  const texts = sql.join(names.map((name) => sql`${sql.ref(name)}::text`));
  const behind: RawBuilder<unknown> =
    after === undefined
      ? sql`true`
      : sql`(${columns}) > (${sql.join(Object.values(key).map((type, index) => sql`${after[index]}::${sql.raw(type)}`))})`;
  const { rows } = await sql<Found>`
    select array[${texts}] as key, ${sql.ref(column)} as sealed from ${sql.table(table)}
    where ${sql.ref(column)} not like ${`${prefix}%`} and ${behind}
    order by ${columns} limit ${limit} for no key update skip locked`.execute(tx);
  return rows;
}

async function write(
  tx: Transaction,
  { table, column, key }: EncryptedColumn,
  values: readonly (Found & { former: string })[],
): Promise<number> {
  const names = Object.keys(key);
  const arrays = Object.values(key).map(
    (type, index) => sql`${values.map((value) => value.key[index])}::${sql.raw(type)}[]`,
  );
  const matches = names.map((name) => sql`t.${sql.ref(name)} = new.${sql.ref(name)}`);
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} t set ${sql.ref(column)} = new.sealed
    from unnest(${sql.join(arrays)}, ${values.map(({ former }) => former)}::text[], ${values.map(({ sealed }) => sealed)}::text[])
      as new(${sql.join(names.map((name) => sql.ref(name)))}, former, sealed)
    where ${sql.join(matches, sql` and `)} and t.${sql.ref(column)} = new.former`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}
