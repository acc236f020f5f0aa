// Control interface: whose records a request reads. An account reads its own; the scope `operator` reads all accounts',
// or those of a named one. Invariant: an impossible id is rejected, because an empty response would look like no usage
// or no events. Used by the reads of usage, statements, events and the audit log.

import { Type } from "typebox";
import { invalid } from "../../../rental/errors.ts";
import type { Principal } from "../../../rental/service.ts";
import { parseUuid } from "../../../rental/uuid.ts";
import * as limit from "../../api/documented-limits.ts";
import { HttpError } from "../../errors/api-error.ts";

/** Property for the query schema; `what` in prose: "usage". */
export const accountQuery = (what: string) => ({
  account_id: Type.Optional(
    Type.String({
      ...limit.uuid,
      description: `Only ${what} of the account with this UUID. Another account than yours requires the operator scope.`,
    }),
  ),
});

/** The account whose records to read; undefined: all. Throws HttpError forbidden, RentalError invalid-parameters. */
export function accountFor(principal: Principal, asked: string | undefined): string | undefined {
  const accountId = uuidAsked("account_id", "an account", asked);
  if (principal.scopes.has("operator")) return accountId;
  if (accountId !== undefined && accountId !== principal.accountId) {
    throw new HttpError("forbidden", { scope: "operator" });
  }
  return principal.accountId;
}

/**
 * The id of a filter, in its canonical form; undefined: no filter. `what` in prose: "an instance". Throws RentalError
 * invalid-parameters for the field.
 */
export function uuidAsked(field: string, what: string, asked: string | undefined): string | undefined {
  const id = asked === undefined ? undefined : parseUuid(asked);
  if (asked !== undefined && id === undefined) throw invalid(field, `Must be the UUID of ${what}, not its name.`);
  return id;
}
