// Images that instances boot. Identified by name (M, control), by number (D), and in the lambda edition by an id per
// region, or by family. Invariant: at most one is marked as the default; without one, the lowest number is the default.

import { type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { isUniqueViolation } from "../../database/constraints.ts";
import { type Question, question } from "../../database/round-trips.ts";
import type { ImagesTable } from "../../database/tables/catalog.ts";
import { RentalError } from "../errors.ts";
import { everything, type Page, pageOf } from "../paging.ts";
import { type Architecture, asArchitecture } from "./architecture.ts";

export interface Image {
  readonly name: string;
  readonly number: number;
  readonly description: string;
  readonly family: string;
  /** From the operator; "" if none. */
  readonly version: string;
  readonly architecture: Architecture;
  readonly loginUser: string;
  /** GPU models that this image cannot run on. */
  readonly unsupportedGpuModels: readonly string[];
  /** Whether an instance of it serves Jupyter, with the token that its launch creates. */
  readonly jupyter: boolean;
  /** Whether it has an agent that reports metrics (rules/guest-metrics.ts): only its instances are read. */
  readonly metrics: boolean;
  /** Of the fabric manager's driver that it needs, where a host has one, such as "570"; null: each. */
  readonly driverBranch: string | null;
  readonly isDefault: boolean;
  readonly createdAt: Date;
  /** When anything but the default mark last changed. */
  readonly updatedAt: Date;
}

/** An image as an operator defines it. */
export type NewImage = Omit<Image, "createdAt" | "updatedAt">;

export async function listImages(db: Database, page: Page = everything): Promise<Image[]> {
  const rows = await pageOf(db.selectFrom("images").selectAll(), "name", page).execute();
  return rows.map(fromRow);
}

export function allImages(db: Database): Question<Image[]> {
  return question(db.selectFrom("images").selectAll(), (rows) => rows.map(fromRow));
}

/** The driver branch that instances of an image need; undefined: each, or the image is not there any more. */
export async function driverBranchOf(tx: Transaction, name: string): Promise<string | undefined> {
  const query = tx.selectFrom("images").select("driver_branch").where("name", "=", name);
  return (await query.executeTakeFirst())?.driver_branch ?? undefined;
}

/** Creates or replaces; a new default replaces the previous one. Throws RentalError duplicate for its number. */
export async function putImage(tx: Transaction, image: NewImage): Promise<Image> {
  const values = {
    number: image.number,
    description: image.description,
    family: image.family,
    version: image.version,
    architecture: image.architecture,
    login_user: image.loginUser,
    unsupported_gpu_models: [...image.unsupportedGpuModels],
    jupyter: image.jupyter,
    metrics: image.metrics,
    driver_branch: image.driverBranch,
  };
  if (image.isDefault) {
    // Serialized: two concurrent new defaults would miss each other's row.
    await sql`select pg_advisory_xact_lock(hashtextextended('default image', 0))`.execute(tx);
    await tx.updateTable("images").set({ is_default: false }).where("is_default", "=", true).execute();
  }
  const columns = (table: string) => sql.join(Object.keys(values).map((column) => sql.ref(`${table}.${column}`)));
  // A catalog is applied repeatedly: an unchanged image is not updated.
  const updatedAt = sql<Date>`case when (${columns("images")}) is distinct from (${columns("excluded")})
    then now() else images.updated_at end`;
  try {
    const row = await tx
      .insertInto("images")
      .values({ name: image.name, ...values, is_default: image.isDefault })
      .onConflict((conflict) =>
        conflict.column("name").doUpdateSet({ ...values, is_default: image.isDefault, updated_at: updatedAt }),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    return fromRow(row);
  } catch (error) {
    if (!isUniqueViolation(error, "images_number_key")) throw error;
    throw new RentalError("duplicate", {
      what: "image",
      field: "number",
      message: `Another image has the number ${image.number}.`,
    });
  }
}

/** Stops launches of it; existing instances keep running. Throws RentalError unknown-object. */
export async function deleteImage(tx: Transaction, name: string): Promise<void> {
  const deleted = await tx.deleteFrom("images").where("name", "=", name).executeTakeFirst();
  if (deleted.numDeletedRows !== 1n) throw new RentalError("unknown-object", { what: "image", ids: [name] });
}

function fromRow(row: Selectable<ImagesTable>): Image {
  return {
    name: row.name,
    number: row.number,
    description: row.description,
    family: row.family,
    version: row.version,
    architecture: asArchitecture(row.architecture),
    loginUser: row.login_user,
    unsupportedGpuModels: row.unsupported_gpu_models,
    jupyter: row.jupyter,
    metrics: row.metrics,
    driverBranch: row.driver_branch,
    isDefault: row.is_default,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
