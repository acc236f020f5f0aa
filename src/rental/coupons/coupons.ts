// Coupons: discount codes, frozen into an instance at launch. Source: specification, Coupon (variant D); decisions,
// Money. A coupon is never silently ignored.

import { type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { CouponsTable } from "../../database/tables/catalog.ts";
import { listInstanceTypes } from "../catalog/instance-type-store.ts";
import { RentalError, unknownName } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";
import { type Page, pageOf } from "../paging.ts";

export interface Coupon {
  readonly code: string;
  /** 1000 is ten percent. */
  readonly discountBasisPoints: number;
  /** It is expired from this time on. */
  readonly deactivationDate: Date;
  /** The instance types it applies to; empty: all. */
  readonly instanceTypes: readonly string[];
  /** Set by an operator. */
  readonly active: boolean;
}

/** Also expired and inactive ones. Throws RentalError unknown-name with the field `coupon`. */
export async function couponByCode(db: Database, code: string): Promise<Coupon> {
  return fromRow(await rowByCode(db, code));
}

/**
 * The coupon and the instance types it applies to; without a code all instance types. Throws RentalError unknown-name,
 * coupon-refused.
 */
export async function validateCoupon(
  db: Database,
  code: string | undefined,
): Promise<{ coupon: Coupon | null; products: InstanceType[] }> {
  const products = await listInstanceTypes(db);
  if (code === undefined) return { coupon: null, products };
  const coupon = await usableCoupon(db, code);
  return { coupon, products: products.filter((product) => isFor(coupon, product.name)) };
}

/** The coupon, if it is valid for a launch of this instance type. Throws RentalError unknown-name, coupon-refused. */
export async function redeem(db: Database, code: string, product: string): Promise<Coupon> {
  const coupon = await usableCoupon(db, code);
  if (!isFor(coupon, product)) throw new RentalError("coupon-refused", { code, reason: "not-for-product", product });
  return coupon;
}

export async function listCoupons(db: Database, page: Page): Promise<Coupon[]> {
  const rows = await pageOf(db.selectFrom("coupons").selectAll(), "code", page).execute();
  return rows.map(fromRow);
}

/** Creates or replaces; existing instances keep their discount. */
export async function putCoupon(tx: Transaction, coupon: Coupon): Promise<Coupon> {
  const values = {
    discount_basis_points: coupon.discountBasisPoints,
    deactivation_date: coupon.deactivationDate,
    instance_types: [...coupon.instanceTypes],
    active: coupon.active,
  };
  await tx
    .insertInto("coupons")
    .values({ code: coupon.code, ...values })
    .onConflict((conflict) => conflict.column("code").doUpdateSet(values))
    .execute();
  return coupon;
}

/** Throws RentalError unknown-object. */
export async function deleteCoupon(tx: Transaction, code: string): Promise<void> {
  const deleted = await tx.deleteFrom("coupons").where("code", "=", code).executeTakeFirst();
  if (deleted.numDeletedRows !== 1n) throw new RentalError("unknown-object", { what: "coupon", ids: [code] });
}

async function usableCoupon(db: Database, code: string): Promise<Coupon> {
  const row = await rowByCode(db, code);
  if (!row.active) throw new RentalError("coupon-refused", { code, reason: "switched-off" });
  if (row.expired) throw new RentalError("coupon-refused", { code, reason: "expired" });
  return fromRow(row);
}

async function rowByCode(db: Database, code: string): Promise<Selectable<CouponsTable> & { expired: boolean }> {
  const row = await db
    .selectFrom("coupons")
    .selectAll()
    .select(sql<boolean>`deactivation_date <= now()`.as("expired"))
    .where("code", "=", code)
    .executeTakeFirst();
  if (row === undefined) throw unknownName("coupon", "coupon", code);
  return row;
}

function isFor(coupon: Coupon, product: string): boolean {
  return coupon.instanceTypes.length === 0 || coupon.instanceTypes.includes(product);
}

function fromRow(row: Selectable<CouponsTable>): Coupon {
  return {
    code: row.code,
    discountBasisPoints: row.discount_basis_points,
    deactivationDate: row.deactivation_date,
    instanceTypes: row.instance_types,
    active: row.active,
  };
}
