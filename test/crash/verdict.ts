// What is wrong after a proof, when everything has come to rest: lost or doubled instances and machines, capacity, spans
// that are no lifetimes, events that were not written exactly once. All of it computed from the tables, whatever the
// servers believe.
//
// Invariant: holds for histories of launches and terminations (no stop, no restart, no accident); then each instance
// enters each state once.

import { sql } from "kysely";
import type { Database } from "../../src/database/connect.ts";
import { booksDisagree } from "../support/books.ts";

/** What the clients were told. */
export interface Acknowledged {
  readonly launched: readonly string[];
  /** Of those, whose termination was acknowledged. */
  readonly terminated: readonly string[];
}

/** One line for each thing that is wrong, at most some of each kind; empty: all is well. */
export async function whatIsWrong(db: Database, told: Acknowledged): Promise<string[]> {
  const parts = await Promise.all([
    differences(db, told),
    machines(db),
    spans(db),
    events(db),
    makings(db),
    booksDisagree(db),
  ]);
  return parts.flat();
}

/** Comes back when no instance is on its way anywhere. Throws after `seconds`. */
export async function atRest(db: Database, seconds: number): Promise<void> {
  for (const begun = performance.now(); ; ) {
    const { rows } = await sql<{ id: string; state: string; progress: string | null }>`
      select id, state, progress from instances
      where state not in ('active', 'stopped', 'terminated') or lease_owner is not null or next_look_at is not null`.execute(
      db,
    );
    if (rows.length === 0) return;
    if (performance.now() - begun > seconds * 1000) {
      throw new Error(`not at rest after ${seconds} s: ${rows.length}, such as ${JSON.stringify(rows.slice(0, 3))}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** From now on the database counts what is done to simulated machines, whichever server does it. */
export async function countMakings(db: Database): Promise<void> {
  await sql`create schema proof`.execute(db);
  await sql`create table proof.makings (machine_id uuid not null, what text not null)`.execute(db);
  await sql`
    create function proof.note() returns trigger language plpgsql as $$
    begin
      insert into proof.makings values (coalesce(new.id, old.id), case
        when tg_op = 'INSERT' then 'made' when tg_op = 'DELETE' then 'removed'
        when new.power = old.power then 'touched' when new.power = 'on' then 'started' else 'stopped' end);
      return null;
    end $$`.execute(db);
  await sql`
    create trigger proof_note after insert or update or delete on simulated.machines
    for each row execute function proof.note()`.execute(db);
}

async function differences(db: Database, { launched, terminated }: Acknowledged): Promise<string[]> {
  const { rows } = await sql<{ id: string; state: string; failure_code: string | null }>`
    select id, state, failure_code from instances`.execute(db);
  const there = new Map(rows.map((row) => [row.id, row]));
  const wished = new Set(launched);
  const gone = new Set(terminated);
  const doubled = launched.length - wished.size;
  return [
    ...(doubled > 0 ? [`${doubled} launches were answered with an instance of another launch`] : []),
    ...launched.filter((id) => !there.has(id)).map((id) => `lost: ${id} was acknowledged and is not there`),
    ...rows.filter(({ id }) => !wished.has(id)).map(({ id }) => `doubled: nobody was told of ${id}`),
    ...rows
      .filter(({ id, state }) => state !== (gone.has(id) ? "terminated" : "active"))
      .map(({ id, state, failure_code }) => `${id} is ${state}, failure ${failure_code}`),
  ].slice(0, 20);
}

async function machines(db: Database): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select format('machine %s has no live instance', m.id) as line from simulated.machines m
    where not exists (select from instances i where i.id = m.id and i.state <> 'terminated')
    union all
    select format('instance %s is %s and has no machine', i.id, i.state) from instances i
    where i.state = 'active' and not exists (select from simulated.machines m where m.id = i.id and m.host = i.host)
    limit 20`.execute(db);
  return rows.map(({ line }) => line);
}

/**
 * One span for each instance that was ever active, from then to the wish to terminate; open while there is none. Where
 * nothing is stopped, nothing else begins a bill.
 */
async function spans(db: Database): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select format('instance %s lives from %s to %s, its %s spans are %s to %s', i.id, i.active_at, i.terminating_at,
      count(s.id), min(s.started_at), max(s.ended_at)) as line
    from instances i left join billing_spans s on s.instance_id = i.id
    group by i.id
    having count(s.id) <> case when i.active_at is null then 0 else 1 end
      or min(s.started_at) is distinct from i.active_at
      or max(s.ended_at) is distinct from
        case when i.active_at is null then null else greatest(i.terminating_at, i.active_at) end
        and i.terminating_at is not null
      or (i.terminating_at is null and max(s.ended_at) is not null)
    limit 20`.execute(db);
  return rows.map(({ line }) => line);
}

async function events(db: Database): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    with expected as (
      select id, 'booting' as word from instances
      union all select id, 'active' from instances where active_at is not null
      union all select id, 'terminating' from instances where terminating_at is not null
      union all select id, 'terminated' from instances where terminated_at is not null
    ), told as (
      select subject_id as id, substr(type, 10) as word, count(*) as times from events
      where type like 'instance.%' and substr(type, 10) not in ('progress', 'unreachable', 'reachable')
      group by 1, 2
    )
    select format('instance %s: %s was told %s times', coalesce(e.id, t.id), coalesce(e.word, t.word),
      coalesce(t.times, 0)) as line
    from expected e full join told t on t.id = e.id and t.word = e.word
    where e.id is null or t.times is distinct from 1
    limit 20`.execute(db);
  return rows.map(({ line }) => line);
}

/** Where they are counted: each machine was made once, started once and removed once. */
async function makings(db: Database): Promise<string[]> {
  const { rows: found } = await sql<{ counted: boolean }>`
    select to_regclass('proof.makings') is not null as counted`.execute(db);
  if (found[0]?.counted !== true) return [];
  const { rows } = await sql<{ line: string }>`
    select format('machine %s was %s %s times', machine_id, what, count(*)) as line from proof.makings
    where what <> 'touched' group by machine_id, what having count(*) > 1
    limit 20`.execute(db);
  return rows.map(({ line }) => line);
}
