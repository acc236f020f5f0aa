// File systems: persistent volumes of an account in one region, mounted at /mnt/<name>, outliving instances.
// Invariant: attached to at most one instance; the conditional UPDATE that attaches is the judge of a race.

import { type Selectable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import type { FileSystemsTable } from "../../database/schema.ts";
import { releaseQuota, takeQuota } from "../accounts/account-store.ts";
import { allNamed } from "../all-named.ts";
import { invalid, RentalError, unknownName } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { everything, type Page, pageOf } from "../paging.ts";
import type { Tenant } from "../service.ts";
import { asUuid } from "../uuid.ts";

export interface FileSystem {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly sizeGb: number;
  /** The instance it is attached to. */
  readonly attachedTo: string | null;
  readonly createdAt: Date;
}

/** A name is a directory under /mnt: no separator, no leading dot or dash. */
const nameRule = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

const maxSizeGb = 2_147_483_647;

/** The account's file systems, oldest first. */
export async function listFileSystems(db: Database, tenant: Tenant, page: Page = everything): Promise<FileSystem[]> {
  const query = db.selectFrom("file_systems").selectAll().where("account_id", "=", tenant.accountId);
  return (await pageOf(query, "id", page).execute()).map(fromRow);
}

/** Throws RentalError invalid-parameters, unknown-name, duplicate, quota-exceeded. */
export async function createFileSystem(
  tx: Transaction,
  tenant: Tenant,
  order: { name: string; region: string; sizeGb: number },
): Promise<FileSystem> {
  if (!nameRule.test(order.name)) {
    throw invalid("name", "Use 1 to 64 of letters, digits, '.', '_' and '-', not starting with '.' or '-'.");
  }
  if (!Number.isInteger(order.sizeGb) || order.sizeGb < 1 || order.sizeGb > maxSizeGb) {
    throw invalid("size_gb", "Give a whole number of gigabytes from 1.");
  }
  // Locked, so that the region is there until this transaction's end.
  const regions = tx.selectFrom("regions").select("name").where("name", "=", order.region);
  const region = await regions.forKeyShare().executeTakeFirst();
  if (region === undefined) throw unknownName("region", "region", order.region);
  const row = await tx
    .insertInto("file_systems")
    .values({
      id: uuidv7(),
      account_id: tenant.accountId,
      name: order.name,
      region: order.region,
      size_gb: order.sizeGb,
    })
    .onConflict((conflict) => conflict.columns(["account_id", "name"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw new RentalError("duplicate", {
      what: "file system",
      field: "name",
      message: `A file system named ${order.name} exists already.`,
    });
  }
  await recordEvents(tx, [
    {
      accountId: tenant.accountId,
      type: "file_system.created",
      subjectId: row.id,
      data: { file_system_id: row.id, name: row.name, region: row.region },
    },
  ]);
  await takeQuota(tx, tenant.accountId, { file_systems: 1 });
  return fromRow(row);
}

/** Throws RentalError unknown-object, or conflict while it is attached. */
export async function deleteFileSystem(tx: Transaction, tenant: Tenant, id: string): Promise<void> {
  const row = await tx
    .selectFrom("file_systems")
    .selectAll()
    .where("id", "=", asUuid(id))
    .where("account_id", "=", tenant.accountId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new RentalError("unknown-object", { what: "file system", ids: [id] });
  if (row.attached_to !== null) {
    throw new RentalError("conflict", {
      message: `File system ${row.name} is attached to instance ${row.attached_to}.`,
      suggestion: "Terminate that instance first.",
    });
  }
  await tx.deleteFrom("file_systems").where("id", "=", row.id).execute();
  await recordEvents(tx, [
    {
      accountId: tenant.accountId,
      type: "file_system.deleted",
      subjectId: row.id,
      data: { file_system_id: row.id, name: row.name, region: row.region },
    },
  ]);
  await releaseQuota(tx, tenant.accountId, { file_systems: 1 });
}

/** The account's file systems of these names. Throws RentalError unknown-name with `field`. */
export async function fileSystemsByName(
  db: Database,
  tenant: Tenant,
  names: readonly string[],
  field: string,
): Promise<FileSystem[]> {
  if (names.length === 0) return [];
  const rows = await db
    .selectFrom("file_systems")
    .selectAll()
    .where("account_id", "=", tenant.accountId)
    .where(sql<boolean>`name = any(${[...names]}::text[])`)
    .execute();
  return allNamed(rows.map(fromRow), names, { field, what: "file system" });
}

/** Attaches all of them to the instance, or throws RentalError conflict naming one that is attached elsewhere. */
export async function attach(tx: Transaction, fileSystems: readonly FileSystem[], instanceId: string): Promise<void> {
  if (fileSystems.length === 0) return;
  const { rows } = await sql<{ id: string }>`
    update file_systems set attached_to = ${instanceId}
    where id = any(${fileSystems.map((one) => one.id)}::uuid[]) and attached_to is null
    returning id`.execute(tx);
  const attached = new Set(rows.map((row) => row.id));
  const elsewhere = fileSystems.find((one) => !attached.has(one.id));
  if (elsewhere === undefined) return;
  throw new RentalError("conflict", {
    message: `File system ${elsewhere.name} is attached to another instance.`,
    suggestion: "Terminate that instance first, or leave this file system out.",
  });
}

function fromRow(row: Selectable<FileSystemsTable>): FileSystem {
  return {
    id: row.id,
    name: row.name,
    region: row.region,
    sizeGb: row.size_gb,
    attachedTo: row.attached_to,
    createdAt: row.created_at,
  };
}
