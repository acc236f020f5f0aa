// The lambda edition: errors of operations for which the public document of its API has `global/invalid-parameters`
// only. Errors with one code in every operation are in the error table (`lambdaCode`).

import { invalid, RentalError, type RentalErrorKind } from "../../rental/errors.ts";

/** The result of `work`. A taken name or an exceeded limit becomes an invalid value of `field`. */
export function takenAsInvalid<T>(work: () => Promise<T>, field: string): Promise<T> {
  return work().catch((error: unknown) => {
    if (isOf(error, "duplicate")) {
      const { field, message } = error.details;
      // The message alone, which clients match.
      throw new RentalError("invalid-parameters", {
        message,
        fields: { [field]: { code: "global/invalid-parameters", message } },
      });
    }
    if (!isOf(error, "quota-exceeded")) throw error;
    const { limit, used } = error.details;
    throw invalid(field, `Your account has ${used} of at most ${limit}. Delete one first.`);
  });
}

/** The result of `work`. An unknown name becomes an invalid value of its field. */
export function unknownAsInvalid<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    if (!isOf(error, "unknown-name")) throw error;
    const { what, fields } = error.details;
    const wrong = Object.entries(fields).map(([field, { message }]) => [
      field,
      { code: "global/invalid-parameters", message } as const,
    ]);
    throw new RentalError("invalid-parameters", { fields: Object.fromEntries(wrong), unknown: what });
  });
}

/** The constructor of RentalError pairs kind and details. */
function isOf<K extends RentalErrorKind>(error: unknown, kind: K): error is RentalError<K> {
  return error instanceof RentalError && error.kind === kind;
}
