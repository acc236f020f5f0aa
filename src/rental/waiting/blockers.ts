// Which rejections of a launch can pass, so that it waits instead. Used by begin-wait.ts and not-placed.ts.

import type { Blocker } from "../../rules/waiting-launches.ts";
import type { RentalError } from "../errors.ts";
import { fieldOf, type LaunchOrder } from "../launching/order.ts";

/** A rejection in words: http/errors has them for responses, and so they are given from there. */
export type InWords = (error: RentalError) => string;

export interface Blocked {
  readonly by: Blocker;
  readonly message: string;
}

/** Undefined: the rejection is final. */
export function blockedBy(error: RentalError, order: LaunchOrder, inWords: InWords): Blocked | undefined {
  const by = blockerOf(error, order);
  return by === undefined ? undefined : { by, message: inWords(error) };
}

function blockerOf({ kind, details }: RentalError, order: LaunchOrder): Blocker | undefined {
  switch (kind) {
    case "invalid-parameters": {
      const fields = "fields" in details ? Object.keys(details.fields) : [];
      return fields.length === 1 && fields[0] === fieldOf(order, "maxPriceCentsPerHour") ? "price" : undefined;
    }
    case "insufficient-capacity":
      return "capacity";
    case "quota-exceeded":
      return "quota";
    case "spend-limit-exceeded":
    case "insufficient-balance":
      return "spend-limit";
    default:
      return undefined;
  }
}
