// Exact money: no float is ever calculated with. Source: decisions, Money; specification, Instance.
//
// Terms. A micro-cent is a millionth of a cent. A basis point is a hundredth of a percent: 1000 of them are ten percent
// off. A cost is cumulative, from the first second, and rounded down once; the cost of a part of the time is the
// difference of two such costs, so parts always add up to the whole, wherever they are cut.
//
// Used by the rental, the interfaces and the console. rental/billing/cost-sql.ts computes the same in SQL from the same
// numbers; a property test compares them.

/**
 * Millionths of a cent. A bigint: 64 machines at 1000 dollars an hour pass Number.MAX_SAFE_INTEGER (9 × 10^15, or 90
 * million dollars) within two months, and sums over all accounts sooner.
 */
export type MicroCents = bigint;

/** The price frozen into an instance at launch. */
export interface Price {
  /** Whole cents, the list price. */
  readonly priceCentsPerHour: number;
  /** 0 (no coupon) to 10000 (free). */
  readonly discountBasisPoints: number;
}

export const microCentsPerCent = 1_000_000n;
export const secondsPerHour = 3600n;
export const basisPointsPerWhole = 10_000n;

/** The cost of the first `seconds`, rounded down to a whole micro-cent. Throws "BUG: …" unless they are whole. */
export function costMicroCents({ seconds, ...price }: Price & { readonly seconds: number }): MicroCents {
  const { cents, share } = exact(price);
  return (cents * microCentsPerCent * share * whole(seconds, "seconds")) / (basisPointsPerWhole * secondsPerHour);
}

/** The cost from one second to a later one, both counted from the start. The parts of a span add up to it. */
export function costBetween(price: Price, fromSeconds: number, toSeconds: number): MicroCents {
  if (fromSeconds > toSeconds) throw new Error("BUG: a span of time that ends before it begins");
  return costMicroCents({ ...price, seconds: toSeconds }) - costMicroCents({ ...price, seconds: fromSeconds });
}

/**
 * The hourly price after the discount, in dollars with six fractional digits: "1.161000". Exact, because a cent is
 * 10^-2 and a basis point 10^-4. With 0 basis points the list price. (`final_price_hr`, `price_hr`, `pricePerHour`.)
 */
export function dollars6(priceCentsPerHour: number, discountBasisPoints = 0): string {
  const { cents, share } = exact({ priceCentsPerHour, discountBasisPoints });
  const digits = (cents * share).toString().padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/**
 * The same as a number, for variant D's list: the double nearest to the exact price, which JSON writes as its shortest
 * decimal. For display, never for calculations.
 */
export function dollarsNumber(priceCentsPerHour: number, discountBasisPoints = 0): number {
  return Number(dollars6(priceCentsPerHour, discountBasisPoints));
}

/** The price as integers: cents per hour, and the ten-thousandths of it that are charged. */
function exact({ priceCentsPerHour, discountBasisPoints }: Price): { cents: bigint; share: bigint } {
  const share = basisPointsPerWhole - whole(discountBasisPoints, "discountBasisPoints");
  if (share < 0n) throw new Error("BUG: a discount of more than everything");
  return { cents: whole(priceCentsPerHour, "priceCentsPerHour"), share };
}

function whole(value: number, what: string): bigint {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`BUG: ${what} must be a whole number from 0`);
  return BigInt(value);
}
