// Capacity notices: an account asks to be told when there is capacity for an instance type in a region (announce.ts).
// Used by the control interface.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { together } from "../../database/round-trips.ts";
import { noticesPerAccount } from "../../rules/capacity-notices.ts";
import { instanceTypesNamed, productNamed } from "../catalog/instance-type-store.ts";
import { allRegions, anyRegion, regionAsked } from "../catalog/region-store.ts";
import { RentalError } from "../errors.ts";
import { everything, type Page, pageOf } from "../paging.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { beginAnnouncing, lockAnnouncements, someNotices } from "./announced-capacity.ts";
import type { SeenCapacity } from "./seen-capacity.ts";

export interface CapacityNotice {
  readonly id: string;
  /** Null: every one. */
  readonly instanceType: string | null;
  /** Null: every one. */
  readonly region: string | null;
  readonly createdAt: Date;
  /** Where capacity is announced, of what it is about; by instance type and region. */
  readonly available: readonly AvailableNow[];
}

export interface AvailableNow {
  readonly instanceType: string;
  readonly region: string;
  /** When it was announced. */
  readonly since: Date;
}

/** What to be told of. Undefined: of every one, and so is the region "any". */
export interface NoticeOrder {
  readonly instanceType?: string | undefined;
  readonly region?: string | undefined;
}

/** The account's, oldest first. */
export async function listNotices(
  db: Database,
  { accountId }: Principal,
  page: Page = everything,
): Promise<CapacityNotice[]> {
  const query = db.selectFrom("capacity_notices").selectAll().select(available).where("account_id", "=", accountId);
  return (await pageOf(query, "id", page).execute()).map(fromRow);
}

/**
 * Gives the one that the account has if it asks for the same again. `seen`: what is free, read for this request. Throws
 * RentalError unknown-name (`instance_type`, `region`), quota-exceeded.
 */
export async function createNotice(
  tx: Transaction,
  { accountId }: Principal,
  order: NoticeOrder,
  seen: readonly SeenCapacity[],
): Promise<CapacityNotice> {
  const { instanceType, region } = await named(tx, order);
  await lockAnnouncements(tx);
  const same = sql<boolean>`account_id = ${accountId} and instance_type is not distinct from ${instanceType}
    and region is not distinct from ${region}`;
  const there = await tx.selectFrom("capacity_notices").selectAll().select(available).where(same).executeTakeFirst();
  if (there !== undefined) return fromRow(there);
  await refuseTooMany(tx, accountId);
  if (!(await someNotices(tx))) await beginAnnouncing(tx, seen);
  const row = { id: uuidv7(), account_id: accountId, instance_type: instanceType, region };
  await tx.insertInto("capacity_notices").values(row).execute();
  const made = tx.selectFrom("capacity_notices").selectAll().select(available).where("id", "=", row.id);
  return fromRow(await made.executeTakeFirstOrThrow());
}

/** Throws RentalError unknown-object. */
export async function deleteNotice(tx: Transaction, { accountId }: Principal, id: string): Promise<void> {
  const deleted = await tx
    .deleteFrom("capacity_notices")
    .where("id", "=", asUuid(id))
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  if (deleted.numDeletedRows !== 1n) throw new RentalError("unknown-object", { what: "capacity notice", ids: [id] });
}

async function named(tx: Transaction, { instanceType, region = anyRegion }: NoticeOrder) {
  const names = instanceType === undefined ? [] : [instanceType];
  const [products, regions] = await together(tx, [instanceTypesNamed(tx, names), allRegions(tx)]);
  return {
    instanceType: instanceType === undefined ? null : productNamed(products, instanceType, "instance_type").name,
    region: regionAsked(regions, region, "region") ?? null,
  };
}

/** Under the lock of the announcements. */
async function refuseTooMany(tx: Transaction, accountId: string): Promise<void> {
  const { rows } = await sql<{ used: number }>`
    select count(*)::integer as used from capacity_notices where account_id = ${accountId}`.execute(tx);
  const used = rows[0]?.used ?? 0;
  if (used < noticesPerAccount) return;
  throw new RentalError("quota-exceeded", { what: "capacity_notices", limit: noticesPerAccount, used, requested: 1 });
}

const available = sql<AvailableRow[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('instance_type', a.instance_type, 'region', a.region,
    'since_ms', floor(extract(epoch from a.since) * 1000)) order by a.instance_type, a.region), '[]')
  from announced_capacity a
  where a.is_available and (capacity_notices.instance_type is null or a.instance_type = capacity_notices.instance_type)
    and (capacity_notices.region is null or a.region = capacity_notices.region))`.as("available");

interface AvailableRow {
  instance_type: string;
  region: string;
  since_ms: number;
}

interface NoticeRow {
  id: string;
  instance_type: string | null;
  region: string | null;
  created_at: Date;
  available: AvailableRow[];
}

function fromRow(row: NoticeRow): CapacityNotice {
  return {
    id: row.id,
    instanceType: row.instance_type,
    region: row.region,
    createdAt: row.created_at,
    available: row.available.map((one) => ({
      instanceType: one.instance_type,
      region: one.region,
      since: new Date(one.since_ms),
    })),
  };
}
