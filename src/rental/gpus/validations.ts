// Which GPUs are to be validated, by which machine, and what the validations came to. Used by the reconciler
// (reconciler/gpu-validations.ts).
//
// Invariant: a row of gpu_validations is committed before its machine is created, and deleted when nothing of that is
// left: until then it reserves capacity of the host, and no instance gets its GPUs (constraint gpus_validated). Only the
// process that claimed it last changes it. All of it under the lock of the host's row.

import { randomBytes } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import type { Verdict } from "../../rules/gpu-lifecycle.ts";
import { isEmptied, isReached } from "../hosts/accepting.ts";

/** One validation in progress: a machine with these GPUs. Sizes in GiB of memory and GB of disk. */
export interface Validation {
  /** Of the machine. */
  readonly id: string;
  readonly host: string;
  readonly model: string;
  readonly addresses: readonly string[];
  readonly image: string;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly nonce: string;
  /** The nonces of the validations before, of these GPUs. */
  readonly previous: readonly string[];
  readonly deadlineSeconds: number;
  /** Of its removal, in vain. */
  readonly failures: number;
  /** Identifies this claim. */
  readonly claims: number;
  /** Null: not known yet. */
  readonly verdict: Verdict | "aborted" | null;
}

const columns = sql`id, host, model, addresses, image, vcpus, memory_gib as "memoryGib", storage_gb as "storageGb", nonce,
  previous, deadline_seconds as "deadlineSeconds", failures, claims, verdict`;

/**
 * Claims up to `limit` validations of the engine for `seconds`: first those whose process is gone, which are to be
 * ended, then new ones of due GPUs. GPUs of one model that are due together on a host are validated together, and those
 * of an NVSwitch board by the largest partitions that they form.
 */
export async function claimValidations(
  db: Database,
  engine: string,
  limit: number,
  seconds: number,
): Promise<{ readonly left: readonly Validation[]; readonly begun: readonly Validation[] }> {
  const { rows: left } = await sql<Validation>`
    with due as (
      select v.id as due_id from gpu_validations v join hosts h on h.name = v.host
      where h.engine = ${engine} and ${isReached(sql`h.state`)} and v.leased_until <= now()
      order by v.id limit ${limit} for update of v skip locked
    )
    update gpu_validations set claims = claims + 1, leased_until = now() + ${interval(seconds)}
    from due where id = due_id
    returning ${columns}`.execute(db);
  const room = limit - left.length;
  return { left, begun: room <= 0 ? [] : await beginValidations(db, engine, room, seconds) };
}

async function beginValidations(db: Database, engine: string, limit: number, seconds: number): Promise<Validation[]> {
  return inTransaction(db, async (tx) => {
    // Their GPUs are read by the next statements, which see what was committed before the locks were taken.
    const { rows: hosts } = await sql<{ host: string }>`
      select name as host from hosts h
      where h.engine = ${engine} and ${isReached(sql`h.state`)} and not ${isEmptied(sql`h.state`)} and exists (
        select from gpus g where g.host = h.name and ${isDue})
      order by name limit ${limit} for update skip locked`.execute(tx);
    const begun: Validation[] = [];
    for (const { host } of hosts) {
      const { rows: models } = await sql<{ model: string }>`
        select distinct g.model from gpus g where g.host = ${host} and ${isDue} order by 1`.execute(tx);
      for (const { model } of models)
        for (const addresses of await dueTogether(tx, host, model))
          begun.push(...(await begin(tx, host, model, addresses, seconds)));
    }
    return begun;
  });
}

/** The due GPUs of a model, by the machines that they go to: all together, or, of NVSwitch boards, those of a partition. */
async function dueTogether(tx: Transaction, host: string, model: string): Promise<string[][]> {
  const { rows } = await sql<{ due: string[]; partitions: string[][] }>`
    select array_agg(g.address order by g.address) as due, (
      select coalesce(jsonb_agg(p.addresses order by p.size desc, p.id), '[]') from gpu_partitions p where p.host = ${host}
    ) as partitions
    from gpus g where g.host = ${host} and g.model = ${model} and ${isDue}`.execute(tx);
  const { due = [], partitions = [] } = rows[0] ?? {};
  const left = new Set(due);
  const sets: string[][] = [];
  for (const addresses of partitions) {
    if (!addresses.every((address) => left.has(address))) continue;
    sets.push(addresses);
    for (const address of addresses) left.delete(address);
  }
  const alone = [...left].filter((address) => !partitions.some((addresses) => addresses.includes(address)));
  return alone.length === 0 ? sets : [...sets, alone];
}

/** None if the host has no room for it now, or no policy names an image any more. */
async function begin(
  tx: Transaction,
  host: string,
  model: string,
  addresses: readonly string[],
  seconds: number,
): Promise<Validation[]> {
  const { rows } = await sql<Validation>`
    with due as (
      select array_agg(address order by address) as addresses,
        array_agg(distinct last_nonce) filter (where last_nonce is not null) as previous
      from gpus g where g.host = ${host} and g.address = any(${addresses}::text[]) and ${isDue}
    ), made as (
      insert into gpu_validations (host, model, addresses, image, vcpus, memory_gib, storage_gb, nonce, previous,
        deadline_seconds, attempts, quarantines_warnings, leased_until)
      select h.name, ${model}, due.addresses, p.image, p.vcpus, p.memory_gib, p.storage_gb,
        ${randomBytes(16).toString("hex")}, coalesce(due.previous, '{}'), p.deadline_seconds, p.attempts,
        p.warning = 'quarantine', now() + ${interval(seconds)}
      from due, hosts h, gpu_policy_of(${host}, ${model}) p
      where h.name = ${host} and p.image is not null and cardinality(due.addresses) > 0 and h.free_vcpus >= p.vcpus
        and h.free_memory_gib >= p.memory_gib and h.free_storage_gb >= p.storage_gb
      returning *
    ), taken as (
      update gpus g set validation_id = made.id, attempts = g.attempts + 1
      from made where g.host = made.host and g.address = any(made.addresses)
    )
    select ${columns} from made`.execute(tx);
  return rows;
}

/** Keeps the claim for `seconds` more. False: another process has it, or it is over. */
export async function renewValidation(db: Database, { id, claims }: Validation, seconds: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update gpu_validations set leased_until = now() + ${interval(seconds)}
    where id = ${id} and claims = ${claims}`.execute(db);
  return numAffectedRows === 1n;
}

/** Gives the claim up: it is claimed again in `seconds`. `failed`: its machine could not be removed. */
export async function leaveValidation(
  db: Database,
  { id, claims }: Validation,
  seconds: number,
  failed: boolean,
): Promise<void> {
  await sql`
    update gpu_validations set leased_until = now() + ${interval(seconds)}, failures = failures + ${failed ? 1 : 0}
    where id = ${id} and claims = ${claims}`.execute(db);
}

/** What a validation came to, before its machine is removed. The first one stays. False: the claim is lost. */
export async function decideValidation(
  db: Database,
  { id, claims }: Validation,
  verdict: Verdict | "aborted",
  evidence: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update gpu_validations set verdict = coalesce(verdict, ${verdict}), evidence = coalesce(evidence, ${evidence})
    where id = ${id} and claims = ${claims}`.execute(db);
  return numAffectedRows === 1n;
}

/** Of a row `g` of gpus. */
export const isDue: RawBuilder<boolean> = sql<boolean>`(g.state = 'validating' and g.validation_id is null
  and g.next_try_at <= now())`;

function interval(seconds: number): RawBuilder<unknown> {
  return sql`make_interval(secs => ${seconds}::float8)`;
}
