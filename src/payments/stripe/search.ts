// In which times Stripe is searched for an order whose response was lost. Used by open-stripe.ts, methods.ts and charges.ts.

/** How far from our order what it came to can have been created, by two clocks, in seconds. */
export const searchSeconds = 3600;

export function createdAround(time: Date): { readonly gte: number; readonly lte: number } {
  const at = Math.floor(time.getTime() / 1000);
  return { gte: at - searchSeconds, lte: at + searchSeconds };
}
