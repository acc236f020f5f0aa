// Control interface: filters of usage within an account. Used by the reads of usage.

import { Type } from "typebox";
import * as limit from "../../api/documented-limits.ts";
import { uuidAsked } from "../accounts/whose.ts";

/** Properties for a query schema. */
export const usageOfQuery = {
  instance_id: Type.Optional(Type.String({ ...limit.uuid, description: "Only usage of the instance with this UUID." })),
  token_id: Type.Optional(
    Type.String({
      ...limit.uuid,
      description: "Only usage of instances launched by the token with this UUID, also after the token was revoked.",
    }),
  ),
};

/** Throws RentalError invalid-parameters. */
export function usageOf(asked: { readonly instance_id?: string; readonly token_id?: string }) {
  return {
    instanceId: uuidAsked("instance_id", "an instance", asked.instance_id),
    tokenId: uuidAsked("token_id", "a token", asked.token_id),
  };
}
