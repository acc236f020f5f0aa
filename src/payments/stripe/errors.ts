// Errors of Stripe's library as those of the contract.

import Stripe from "stripe";
import { ProviderError } from "../provider.ts";

/** Whatever is no error of the library is returned as it is. */
export function asProviderError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { statusCode, code, requestId, type } = error;
  const details = {
    code,
    type: statusCode === undefined ? undefined : `${type} ${statusCode}`,
    request: requestId,
    isFinal: statusCode !== undefined && statusCode >= 500,
  };
  if (statusCode === 401 || statusCode === 403) return new ProviderError("unauthorized", details);
  // Another request with this key is in progress, or there were too many: it did nothing, and will.
  if (statusCode === undefined || statusCode === 409 || statusCode === 429 || statusCode >= 500)
    return new ProviderError("unanswered", details);
  return new ProviderError("refused", details);
}
