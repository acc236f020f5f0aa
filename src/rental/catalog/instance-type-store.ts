// Instance types: what can be launched and at which price. A change affects new launches only, because an instance
// keeps the type it was launched with.

import { type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { type Question, question } from "../../database/round-trips.ts";
import type { InstanceTypesTable } from "../../database/tables/catalog.ts";
import { invalid, RentalError, unknownName } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";
import { everything, type Page, pageOf } from "../paging.ts";
import { asArchitecture } from "./architecture.ts";

/** All instance types by name. */
export async function listInstanceTypes(db: Database, page: Page = everything): Promise<InstanceType[]> {
  const rows = await pageOf(db.selectFrom("instance_types").selectAll(), "name", page).execute();
  return rows.map(instanceTypeOf);
}

export async function findInstanceType(db: Database, name: string): Promise<InstanceType | undefined> {
  const row = await db.selectFrom("instance_types").selectAll().where("name", "=", name).executeTakeFirst();
  return row === undefined ? undefined : instanceTypeOf(row);
}

/** The instance type of this name among `found`. Throws RentalError unknown-name with `field`. */
export function productNamed(found: ReadonlyMap<string, InstanceType>, name: string, field: string): InstanceType {
  const product = found.get(name);
  if (product === undefined) throw unknownName(field, "instance type", name);
  return product;
}

/** Those of the names that are instance types, by name. */
export function instanceTypesNamed(db: Database, names: readonly string[]): Question<Map<string, InstanceType>> {
  const query = db.selectFrom("instance_types").selectAll();
  const named = query.where(sql<boolean>`name = any(${[...new Set(names)]}::text[])`);
  return question(named, (rows) => new Map(rows.map((row) => [row.name, instanceTypeOf(row)])));
}

/** Throws RentalError unknown-name with `field` for the first of `names` that is not an instance type. */
export async function refuseUnknownProducts(db: Database, names: readonly string[], field: string): Promise<void> {
  if (names.length === 0) return;
  const query = db.selectFrom("instance_types").select("name");
  const rows = await query.where(sql<boolean>`name = any(${[...names]}::text[])`).execute();
  const unknown = names.find((name) => !rows.some((row) => row.name === name));
  if (unknown !== undefined) throw unknownName(field, "instance type", unknown);
}

/**
 * Creates or replaces. Throws RentalError invalid-parameters if GPUs and GPU model contradict each other, or its spot price
 * is above its price.
 */
export async function putInstanceType(tx: Transaction, product: InstanceType): Promise<InstanceType> {
  if (product.gpus > 0 && product.gpuModel === null) {
    throw invalid("gpu_model", "An instance type with GPUs needs a gpu_model.");
  }
  if (product.gpus === 0 && product.gpuModel !== null) {
    throw invalid("gpu_model", "An instance type without GPUs has no gpu_model: omit it or set it to null.");
  }
  if (product.spotPriceCentsPerHour !== null && product.spotPriceCentsPerHour > product.priceCentsPerHour) {
    throw invalid("spot_price_cents_per_hour", "Give a spot price that is not above the price, or null for no spot.");
  }
  const { name, ...values } = rowOf(product);
  await tx
    .insertInto("instance_types")
    .values({ name, ...values })
    .onConflict((conflict) => conflict.column("name").doUpdateSet(values))
    .execute();
  return product;
}

/** Stops launches of it; existing instances keep running. Throws RentalError unknown-object. */
export async function deleteInstanceType(tx: Transaction, name: string): Promise<void> {
  const deleted = await tx.deleteFrom("instance_types").where("name", "=", name).executeTakeFirst();
  if (deleted.numDeletedRows !== 1n) throw new RentalError("unknown-object", { what: "instance type", ids: [name] });
}

/** For its row. */
export function rowOf(product: InstanceType): Selectable<InstanceTypesTable> {
  return {
    name: product.name,
    description: product.description,
    gpu_model: product.gpuModel,
    gpu_description: product.gpuDescription,
    gpus: product.gpus,
    vcpus: product.vcpus,
    memory_gib: product.memoryGib,
    storage_gb: product.storageGb,
    price_cents_per_hour: product.priceCentsPerHour,
    spot_price_cents_per_hour: product.spotPriceCentsPerHour,
    architecture: product.architecture,
  };
}

/** Of its row. */
export function instanceTypeOf(row: Selectable<InstanceTypesTable>): InstanceType {
  return {
    name: row.name,
    description: row.description,
    gpuModel: row.gpu_model,
    gpuDescription: row.gpu_description,
    gpus: row.gpus,
    vcpus: row.vcpus,
    memoryGib: row.memory_gib,
    storageGb: row.storage_gb,
    priceCentsPerHour: row.price_cents_per_hour,
    spotPriceCentsPerHour: row.spot_price_cents_per_hour,
    architecture: asArchitecture(row.architecture),
  };
}
