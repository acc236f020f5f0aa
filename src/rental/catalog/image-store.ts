// Images: what a machine boots. Known by name (M, control), by number (D), and by the lambda edition by an id for each
// region, or by family.
// Invariant: at most one is the operator's default; where none is marked, the one with the lowest number is.

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
  /** In the operator's words; "" where it has none. */
  readonly version: string;
  readonly architecture: Architecture;
  readonly loginUser: string;
  /** GPU models of products that this image cannot run on. */
  readonly unsupportedGpuModels: readonly string[];
  /** Whether a machine that boots it serves Jupyter, with the token that its launch makes. */
  readonly jupyter: boolean;
  readonly isDefault: boolean;
  readonly createdAt: Date;
  /** When anything but whether it is the default last became another. */
  readonly updatedAt: Date;
}

/** An image as an operator gives it; the rest is the store's. */
export type NewImage = Omit<Image, "createdAt" | "updatedAt">;

export async function listImages(db: Database, page: Page = everything): Promise<Image[]> {
  const rows = await pageOf(db.selectFrom("images").selectAll(), "name", page).execute();
  return rows.map(fromRow);
}

/** All of them. */
export function allImages(db: Database): Question<Image[]> {
  return question(db.selectFrom("images").selectAll(), (rows) => rows.map(fromRow));
}

/** Creates or replaces; one put as default takes that from the others. Throws RentalError duplicate for its number. */
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
  };
  if (image.isDefault) {
    // Two that become the default at once would each miss the other's row, so they come one after the other.
    await sql`select pg_advisory_xact_lock(hashtextextended('default image', 0))`.execute(tx);
    await tx.updateTable("images").set({ is_default: false }).where("is_default", "=", true).execute();
  }
  const columns = (table: string) => sql.join(Object.keys(values).map((column) => sql.ref(`${table}.${column}`)));
  // A catalogue is applied again and again: what comes as it was is not updated.
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

/** It can no longer be launched; existing instances keep running. Throws RentalError unknown-object. */
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
    isDefault: row.is_default,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
