// File systems: persistent volumes of an account in one region, mounted in guests (mount-points.ts), outliving
// instances. Invariant: attached to at most one instance, unless the storage allows several and every launch that
// attaches it requests that (`shared`); the conditional UPDATE that attaches decides races. Invariant: one that was
// ever attached is in one place (`pin`), and only instances there can use it; when it is deleted, a row of
// removed_file_systems keeps it until its engine has removed it (reconciler/file-system-removal.ts).

import { type Selectable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import type { FileSystemsTable } from "../../database/tables/attachments.ts";
import { releaseQuota, takeQuota } from "../accounts/quotas.ts";
import { allNamed } from "../all-named.ts";
import { invalid, RentalError, unknownName } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { wakeReconciler } from "../instances/wake.ts";
import { everything, type Page, pageOf } from "../paging.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";

export interface FileSystem {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly sizeGb: number;
  /** The instances it is attached to. */
  readonly attachedTo: readonly string[];
  /** Whether its storage allows several at once. False until it was attached. */
  readonly multiAttach: boolean;
  /** On its storage, at the last measurement; undefined: not measured yet. */
  readonly bytesUsed: number | undefined;
  /** When its host was declared lost, and its data with it; undefined: it was not. */
  readonly lostAt: Date | undefined;
  /** A lost host may still run an instance that uses it. */
  readonly isBlocked: boolean;
  /** Its place since it was first attached; undefined: never attached. */
  readonly pin: Pin | undefined;
  readonly createdAt: Date;
}

/** The place of a file system's data. `host` undefined: on storage that all hosts of the engine share. */
export interface Pin {
  readonly engine: string;
  readonly host: string | undefined;
}

/** A name is a directory under /mnt: no separator, no leading dot or dash. */
export const fileSystemNameRule = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

export const maxSizeGb = 2_147_483_647;

/** The account's file systems, oldest first. */
export async function listFileSystems(
  db: Database,
  principal: Principal,
  page: Page = everything,
): Promise<FileSystem[]> {
  return (await pageOf(ofAccount(db, principal), "id", page).execute()).map(fromRow);
}

/** Throws RentalError invalid-parameters, unknown-name, duplicate, quota-exceeded. */
export async function createFileSystem(
  tx: Transaction,
  principal: Principal,
  order: { name: string; region: string; sizeGb: number },
): Promise<FileSystem> {
  if (!fileSystemNameRule.test(order.name)) {
    throw invalid("name", "Use 1 to 64 of letters, digits, '.', '_' and '-', not starting with '.' or '-'.");
  }
  if (!Number.isInteger(order.sizeGb) || order.sizeGb < 1 || order.sizeGb > maxSizeGb) {
    throw invalid("size_gb", "Give a whole number of gigabytes from 1.");
  }
  // Locked, so that the region exists until this transaction ends.
  const regions = tx.selectFrom("regions").select("name").where("name", "=", order.region);
  const region = await regions.forKeyShare().executeTakeFirst();
  if (region === undefined) throw unknownName("region", "region", order.region);
  const row = await tx
    .insertInto("file_systems")
    .values({
      id: uuidv7(),
      account_id: principal.accountId,
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
      accountId: principal.accountId,
      type: "file_system.created",
      subjectId: row.id,
      data: { file_system_id: row.id, name: row.name, region: row.region },
    },
  ]);
  await takeQuota(tx, principal.accountId, { file_systems: 1 });
  return fromRow({ ...row, multi_attach: false });
}

/** Returns its normalized id. Throws RentalError unknown-object, or file-system-in-use. */
export async function deleteFileSystem(tx: Transaction, principal: Principal, id: string): Promise<string> {
  const row = await tx
    .selectFrom("file_systems")
    .selectAll()
    .where("id", "=", asUuid(id))
    .where("account_id", "=", principal.accountId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw new RentalError("unknown-object", { what: "file system", ids: [id] });
  const [attachedTo] = row.attached_to;
  if (attachedTo !== undefined) throw new RentalError("file-system-in-use", { name: row.name, attachedTo });
  await tx.deleteFrom("file_systems").where("id", "=", row.id).execute();
  // On a lost host that was deleted, nothing is left to remove it from.
  if (row.engine !== null && (row.lost_at === null || (await isHost(tx, row.host)))) {
    const { id: removed, engine, host } = row;
    await tx.insertInto("removed_file_systems").values({ id: removed, engine, host }).execute();
    await wakeReconciler(tx, "file systems");
  }
  await recordEvents(tx, [
    {
      accountId: principal.accountId,
      type: "file_system.deleted",
      subjectId: row.id,
      data: { file_system_id: row.id, name: row.name, region: row.region },
    },
  ]);
  await releaseQuota(tx, principal.accountId, { file_systems: 1 });
  return row.id;
}

async function isHost(tx: Transaction, name: string | null): Promise<boolean> {
  const { rows } = await sql`select from hosts where name = ${name}`.execute(tx);
  return rows.length > 0;
}

/** The account's file systems of these names. Throws RentalError unknown-name with `field`. */
export async function fileSystemsByName(
  db: Database,
  principal: Principal,
  names: readonly string[],
  field: string,
): Promise<FileSystem[]> {
  if (names.length === 0) return [];
  const rows = await ofAccount(db, principal)
    .where(sql<boolean>`name = any(${[...names]}::text[])`)
    .execute();
  return allNamed(rows.map(fromRow), names, { field, what: "file system" });
}

/** The account's file systems of these ids, as the client wrote them. Throws RentalError unknown-name with `field`. */
export async function fileSystemsById(
  db: Database,
  principal: Principal,
  ids: readonly string[],
  field: (id: string) => string,
): Promise<FileSystem[]> {
  if (ids.length === 0) return [];
  const rows = await ofAccount(db, principal)
    .where(sql<boolean>`id = any(${ids.map(asUuid)}::uuid[])`)
    .execute();
  const found = new Map(rows.map((row) => [row.id, fromRow(row)]));
  return ids.map((id) => {
    const one = found.get(asUuid(id));
    if (one === undefined) throw unknownName(field(id), "file system", id);
    return one;
  });
}

/** Those of these ids that are attached and whose storage allows one instance at a time. */
export async function exclusivelyAttached(
  db: Database,
  principal: Principal,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await ofAccount(db, principal)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
  return new Set(
    rows
      .map(fromRow)
      .filter(isTaken(true))
      .map(({ id }) => id),
  );
}

/** An instance that gets file systems, and its place. */
export interface AttachPlace {
  readonly instanceId: string;
  readonly engine: string;
  readonly host: string;
}

/**
 * Attaches all of them to the instance in this place, where they stay permanently: on its host, unless the storage
 * there is shared. `shared`: also those of other instances, if the storage allows it. Throws RentalError conflict
 * naming one that cannot be attached. The caller has locked the place's host.
 */
export async function attach(
  tx: Transaction,
  fileSystems: readonly FileSystem[],
  place: AttachPlace,
  shared: boolean,
): Promise<void> {
  if (fileSystems.length === 0) return;
  const { rows } = await sql<{ id: string }>`
    update file_systems f set attached_to = f.attached_to || ${place.instanceId}::uuid, engine = ${place.engine},
      host = case when f.engine is null and not h.shared_storage then h.name else f.host end, measured_at = null
    from hosts h
    where h.name = ${place.host} and f.id = any(${fileSystems.map((one) => one.id)}::uuid[])
      and f.lost_at is null and f.blocked_by is null and (f.attached_to = '{}' or (${shared} and h.multi_attach))
      and coalesce(f.engine, ${place.engine}) = ${place.engine} and coalesce(f.host, h.name) = h.name
    returning f.id`.execute(tx);
  const attached = new Set(rows.map((row) => row.id));
  const refused = fileSystems.find((one) => !attached.has(one.id));
  if (refused !== undefined) throw await cannotAttach(tx, refused, place, shared);
}

/**
 * Throws RentalError conflict for one that was lost, blocked, or attached to another instance, when it was read. `attach` decides
 * races.
 */
export function refuseUnusable(fileSystems: readonly FileSystem[], shared: boolean): void {
  const lost = fileSystems.find(({ lostAt }) => lostAt !== undefined);
  if (lost !== undefined) {
    throw new RentalError("conflict", {
      message: `File system ${lost.name} was lost with its host.`,
      suggestion: "Delete it, or remove it from the launch.",
    });
  }
  const blocked = fileSystems.find(({ isBlocked }) => isBlocked);
  if (blocked !== undefined) {
    throw new RentalError("conflict", {
      message: `File system ${blocked.name} may still be in use on the failed host of an instance that ended.`,
      suggestion: "Retry when the host is verified to be off, or remove this file system from the launch.",
    });
  }
  const taken = fileSystems.find(isTaken(shared));
  if (taken !== undefined) throw isAttached(taken.name, shared);
}

/** `shared`: storage that allows several instances counts. */
const isTaken =
  (shared: boolean) =>
  ({ attachedTo, multiAttach }: FileSystem): boolean =>
    attachedTo.length > 0 && !(shared && multiAttach);

function isAttached(name: string, shared: boolean): RentalError {
  return new RentalError("conflict", {
    message: shared
      ? `File system ${name} is attached to another instance, and its storage allows one instance at a time.`
      : `File system ${name} is attached to another instance.`,
    suggestion: "Terminate that instance first, or remove this file system.",
  });
}

/** It is attached, on another host than the instance, or was changed after this launch read it. */
async function cannotAttach(
  tx: Transaction,
  { id, name }: FileSystem,
  place: AttachPlace,
  shared: boolean,
): Promise<RentalError> {
  const query = tx.selectFrom("file_systems").select(["attached_to", "host"]).where("id", "=", id);
  const row = await query.executeTakeFirst();
  if (row !== undefined && row.attached_to.length > 0) {
    if (!shared || row.host === null || row.host === place.host) return isAttached(name, shared);
    return new RentalError("conflict", {
      message: `File system ${name} is on the storage of one host, where not all of the instances fit.`,
      suggestion: "Launch fewer instances at once, or remove this file system.",
    });
  }
  return new RentalError("conflict", {
    message: `File system ${name} was changed by a concurrent request.`,
    suggestion: "Retry the request.",
  });
}

function ofAccount(db: Database, principal: Principal) {
  return db
    .selectFrom("file_systems")
    .selectAll("file_systems")
    .select(
      sql<boolean>`exists (select from hosts h
        where h.engine = file_systems.engine and h.region = file_systems.region
          and h.name = coalesce(file_systems.host, h.name) and h.multi_attach)`.as("multi_attach"),
    )
    .where("account_id", "=", principal.accountId);
}

function fromRow(row: Selectable<FileSystemsTable> & { readonly multi_attach: boolean }): FileSystem {
  return {
    id: row.id,
    name: row.name,
    region: row.region,
    sizeGb: row.size_gb,
    attachedTo: row.attached_to,
    multiAttach: row.multi_attach,
    bytesUsed: row.bytes_used ?? undefined,
    lostAt: row.lost_at ?? undefined,
    isBlocked: row.blocked_by !== null,
    pin: row.engine === null ? undefined : { engine: row.engine, host: row.host ?? undefined },
    createdAt: row.created_at,
  };
}
