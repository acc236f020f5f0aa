// Reads the audit log, newest first, and deletes expired entries. Used by the control interface and by a maintenance
// job. An account sees the requests of its own tokens, and what an operator changed of it, the latter without the
// address. Invariant: every page is cheap. It reads a limited number of entries along an index; if it has not found
// enough by then, it returns where to continue.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import type { AuditEntry, AuditResult } from "./entry.ts";

export interface StoredAuditEntry extends AuditEntry {
  /** UUID v7: newer ones are greater. */
  readonly id: string;
  readonly at: Date;
  /** Whose token it is; null: the team's own, or one of another account than the reader's. */
  readonly person: { readonly id: string; readonly name: string } | null;
}

/** Absent fields do not filter. */
export interface AuditFilter {
  /** What this account can see; undefined: everything. */
  readonly accountId?: string | undefined;
  readonly tokenId?: string | undefined;
  /** operationIds: one of these. */
  readonly operations?: readonly string[] | undefined;
  /** An id or a name, as in the entry. */
  readonly object?: string | undefined;
  readonly result?: AuditResult | undefined;
  /** From this time on, and before that one. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Older than the entry with this id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface AuditPage {
  readonly entries: StoredAuditEntry[];
  /** `before` of the next page; undefined: the last page. Other pages can be short or empty. */
  readonly goOnBefore: string | undefined;
}

/** How many entries are read for one page of a filtered list. */
const walkLength = 5_000;
/** Ids use the replicas' clocks and times the database's: they differ by less than this. */
const clocksDifferMs = 3_600_000;

/**
 * A page of entries, newest first. An account's are read along two indexes; other filters apply to what is read.
 * `walk`: for tests.
 */
export async function auditEntries(db: Database, filter: AuditFilter, walk = walkLength): Promise<AuditPage> {
  const { accountId, limit } = filter;
  // Without other filters every entry matches.
  const walkAtMost = isNarrowed(filter) ? Math.max(walk, limit + 1) : limit + 1;
  const walking = sql`id < ${beginning(filter)} order by id desc limit ${walkAtMost}`;
  const source =
    accountId === undefined
      ? sql`select * from audit_log where ${walking}`
      : sql`select * from (
          (select * from audit_log where account_id = ${accountId} and ${walking})
          union all
          (select * from audit_log where changed_account_id = ${accountId} and ${walking})
        ) both_indexes order by id desc limit ${walkAtMost}`;
  const { rows } = await sql<AuditRow | EmptyWalk>`
    with walked as materialized (${source}),
    found as (select * from walked where ${conditions(filter)} order by id desc limit ${limit + 1}),
    walk_end as (select id as end_id, at as end_at, (select count(*) from walked) as walked
      from walked order by id limit 1)
    select found.id, found.at, found.account_id, found.token_id, found.changed_account_id, host(found.address) as address,
      found.interface, found.operation, found.method, found.objects, found.made, found.result, found.status,
      found.error_code, found.reason, found.request_id, p.id as person_id, p.name as person_name, end_id, end_at, walked
    from walk_end left join found on true
      left join tokens t on t.id = found.token_id left join people p on p.id = t.person_id
    order by found.id desc`.execute(db);
  const found = rows.filter((row): row is AuditRow => row.id !== null).map((row) => fromRow(row, accountId));
  const entries = found.slice(0, limit);
  const [end] = rows;
  if (found.length > limit) return { entries, goOnBefore: entries.at(-1)?.id };
  const isOver = end === undefined || end.walked < walkAtMost || isBefore(end.end_at, filter.from);
  return { entries, goOnBefore: isOver ? undefined : end.end_id };
}

function isNarrowed({ tokenId, operations, object, result, from, to }: AuditFilter): boolean {
  return [tokenId, operations, object, result, from, to].some((one) => one !== undefined);
}

/** Start reading before this id: with `to`, much newer entries are skipped. */
function beginning({ before = newestId, to }: AuditFilter): string {
  if (to === undefined) return before;
  const hex = Math.max(0, to.getTime() + clocksDifferMs)
    .toString(16)
    .padStart(12, "0");
  const firstId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
  return hex.length > 12 || before < firstId ? before : firstId;
}

/** Entries older than this cannot be after `from`. */
function isBefore(at: Date, from: Date | undefined): boolean {
  return from !== undefined && at.getTime() < from.getTime() - clocksDifferMs;
}

/** Deletes entries older than this many days, in batches that limit locking. Returns how many. */
export async function deleteOldAuditEntries(db: Database, days: number, batch = 5_000): Promise<number> {
  for (let deleted = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from audit_log where ctid = any(array(
        select ctid from audit_log where at < now() - make_interval(days => ${days}) limit ${batch}))`.execute(db);
    deleted += Number(numAffectedRows);
    if (Number(numAffectedRows) < batch) return deleted;
  }
}

interface WalkEnd {
  end_id: string;
  end_at: Date;
  walked: number;
}

interface EmptyWalk extends WalkEnd {
  id: null;
}

interface AuditRow extends WalkEnd {
  id: string;
  at: Date;
  account_id: string;
  token_id: string;
  changed_account_id: string | null;
  address: string | null;
  interface: string;
  operation: string;
  method: string;
  objects: string[];
  made: number;
  result: AuditResult;
  status: number;
  error_code: string | null;
  reason: string | null;
  request_id: string;
  person_id: string | null;
  person_name: string | null;
}

/** Greater than every UUID v7. */
const newestId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** The same text for all filters, so that it is prepared once: an absent filter is null and always true. */
function conditions(filter: AuditFilter) {
  const { tokenId = null, operations = null, object = null, result = null } = filter;
  const { from = null, to = null } = filter;
  return sql`
    (${tokenId}::uuid is null or token_id = ${tokenId})
    and (${operations}::text[] is null or operation = any(${operations}))
    and (${object}::text is null or ${object} = any(objects))
    and (${result}::text is null or result = ${result})
    and (${from}::timestamptz is null or at >= ${from})
    and (${to}::timestamptz is null or at < ${to})`;
}

/** Operations on an account's objects whose reasons are for other operators, and may name hosts. */
const reasonsForOperators: ReadonlySet<string> = new Set(["moveInstance"]);

function fromRow(row: AuditRow, reader: string | undefined): StoredAuditEntry {
  const ownRequest = reader === undefined || row.account_id === reader;
  return {
    id: row.id,
    at: row.at,
    accountId: row.account_id,
    tokenId: row.token_id,
    changedAccountId: row.changed_account_id,
    // Accounts do not see operators' addresses.
    address: ownRequest ? row.address : null,
    interface: row.interface,
    operation: row.operation,
    method: row.method,
    objects: row.objects,
    made: row.made,
    result: row.result,
    status: row.status,
    errorCode: row.error_code,
    reason: ownRequest || !reasonsForOperators.has(row.operation) ? row.reason : null,
    requestId: row.request_id,
    person: ownRequest && row.person_id !== null ? { id: row.person_id, name: row.person_name ?? "" } : null,
  };
}
