// Images: what a machine boots. Known by name (M, control) and by number (D).
// Invariant: at most one is the operator's default; where none is marked, the one with the lowest number is.

import { type Selectable, sql } from "kysely";
import { type Database, type Question, question, type Transaction } from "../../database/connect.ts";
import { isUniqueViolation } from "../../database/constraints.ts";
import type { ImagesTable } from "../../database/schema.ts";
import { RentalError } from "../errors.ts";
import { everything, type Page, pageOf } from "../paging.ts";

export interface Image {
  readonly name: string;
  readonly number: number;
  readonly description: string;
  readonly family: string;
  readonly loginUser: string;
  /** GPU models of products that this image cannot run on. */
  readonly unsupportedGpuModels: readonly string[];
  /** Whether a machine that boots it serves Jupyter, with the token that its launch makes. */
  readonly jupyter: boolean;
  readonly isDefault: boolean;
}

export async function listImages(db: Database, page: Page = everything): Promise<Image[]> {
  const rows = await pageOf(db.selectFrom("images").selectAll(), "name", page).execute();
  return rows.map(fromRow);
}

/** All of them. */
export function allImages(db: Database): Question<Image[]> {
  return question(db.selectFrom("images").selectAll(), (rows) => rows.map(fromRow));
}

/** How a launch says which image it wants; undefined: the default one. */
export type AskedImage = { readonly name: string } | { readonly number: number } | undefined;

/** The image that is asked for, of all there are; undefined where there is none. */
export function imageOf(images: readonly Image[], asked: AskedImage): Image | undefined {
  if (asked !== undefined && "name" in asked) return images.find(({ name }) => name === asked.name);
  if (asked !== undefined) return images.find(({ number }) => number === asked.number);
  return images.find(({ isDefault }) => isDefault) ?? images.toSorted((a, b) => a.number - b.number)[0];
}

/** Creates or replaces; one put as default takes that from the others. Throws RentalError duplicate for its number. */
export async function putImage(tx: Transaction, image: Image): Promise<Image> {
  const values = {
    number: image.number,
    description: image.description,
    family: image.family,
    login_user: image.loginUser,
    unsupported_gpu_models: [...image.unsupportedGpuModels],
    jupyter: image.jupyter,
    is_default: image.isDefault,
  };
  if (image.isDefault) {
    // Two that become the default at once would each miss the other's row, so they come one after the other.
    await sql`select pg_advisory_xact_lock(hashtextextended('default image', 0))`.execute(tx);
    await tx.updateTable("images").set({ is_default: false }).where("is_default", "=", true).execute();
  }
  try {
    await tx
      .insertInto("images")
      .values({ name: image.name, ...values })
      .onConflict((conflict) => conflict.column("name").doUpdateSet(values))
      .execute();
  } catch (error) {
    if (!isUniqueViolation(error, "images_number_key")) throw error;
    throw new RentalError("duplicate", {
      what: "image",
      field: "number",
      message: `Another image has the number ${image.number}.`,
    });
  }
  return image;
}

/** It can no longer be launched; its instances live on. Throws RentalError unknown-object. */
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
    loginUser: row.login_user,
    unsupportedGpuModels: row.unsupported_gpu_models,
    jupyter: row.jupyter,
    isDefault: row.is_default,
  };
}
