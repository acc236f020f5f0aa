// Regions, by name; "any" is reserved for "the best one".

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { isForeignKeyViolation } from "../../database/constraints.ts";
import { type Question, question } from "../../database/round-trips.ts";
import { invalid, RentalError, unknownName } from "../errors.ts";
import { everything, type Page, pageOf } from "../paging.ts";
import { reservationsWith } from "../reservations/open-reservations.ts";

export interface Region {
  readonly name: string;
  readonly description: string;
}

/** Leaves the choice of region to the service. */
export const anyRegion = "any";

export async function listRegions(db: Database, page: Page = everything): Promise<Region[]> {
  return pageOf(db.selectFrom("regions").select(["name", "description"]), "name", page).execute();
}

export function allRegions(db: Database): Question<Map<string, Region>> {
  const query = db.selectFrom("regions").select(["name", "description"]);
  return question(query, (rows) => new Map(rows.map((region) => [region.name, region])));
}

/**
 * The name of the requested region, which is one of `found`; undefined: the best. Throws RentalError unknown-name with
 * `field`.
 */
export function regionAsked(found: ReadonlyMap<string, Region>, name: string, field: string): string | undefined {
  if (name === anyRegion) return undefined;
  if (!found.has(name)) throw unknownName(field, "region", name);
  return name;
}

export async function isRegion(db: Database, name: string): Promise<boolean> {
  const row = await db.selectFrom("regions").select("name").where("name", "=", name).executeTakeFirst();
  return row !== undefined;
}

/** Creates or replaces. Throws RentalError invalid-parameters for the name "any". */
export async function putRegion(tx: Transaction, region: Region): Promise<Region> {
  if (region.name === anyRegion) throw invalid("name", 'A region cannot be named "any": that means the best region.');
  await tx
    .insertInto("regions")
    .values({ name: region.name, description: region.description })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ description: region.description }))
    .execute();
  return region;
}

/**
 * Throws RentalError unknown-object, or conflict while hosts, file systems or firewall rulesets are in it, or a reservation
 * that is not over.
 */
export async function deleteRegion(tx: Transaction, name: string): Promise<void> {
  // No other is made meanwhile: its hosts would be in the region, and those keep it.
  const reserved = await reservationsWith(tx, sql`r.region = ${name}`);
  if (reserved !== undefined) {
    throw new RentalError("conflict", {
      message: `Region ${name} still has ${reserved}.`,
      suggestion: "Cancel what has not begun, and delete the region when the others have ended.",
    });
  }
  try {
    const deleted = await tx.deleteFrom("regions").where("name", "=", name).executeTakeFirst();
    if (deleted.numDeletedRows !== 1n) throw new RentalError("unknown-object", { what: "region", ids: [name] });
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw new RentalError("conflict", {
      message: `Region ${name} still has hosts, file systems or firewall rulesets.`,
      suggestion: "Remove them first.",
    });
  }
}
