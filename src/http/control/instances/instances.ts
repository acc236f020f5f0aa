// Control interface: instances, in full. Operators see those of all accounts; an account reads its own.
// The one path `/instances/{id}` serves both: what it finds and shows depends on the token's scope.
// Source: decisions, The control API.

import { Type } from "typebox";
import type { Instance } from "../../../rental/instances/instance.ts";
import { listAll, read, readAny } from "../../../rental/instances/instance-store.ts";
import { reconcileStatusOf, standingsOf } from "../../../rental/instances/reconcile-status.ts";
import { states } from "../../../rules/lifecycle.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api, Reading } from "../../api/operations.ts";
import { byLaunch, pageQuery } from "../../api/paging.ts";
import { accountFor, accountQuery } from "../accounts/whose.ts";
import * as field from "../fields.ts";
import * as view from "./view.ts";

const InstanceQuery = Type.Object({
  ...pageQuery,
  ...accountQuery("instances"),
  status: Type.Optional(Type.Enum(states, { title: "InstanceStatus", description: "Only instances in this state." })),
  troubled: Type.Optional(
    Type.Boolean({
      description:
        "True: only stalled instances, whose operation is being retried or is slow (see `trouble`, for operators). False: only the others.",
    }),
  ),
  region: Type.Optional(Type.String({ ...limit.name, description: "Only instances in the region of this name." })),
  order: Type.Optional(
    Type.Enum(["oldest-first", "newest-first"], {
      title: "InstanceOrder",
      description: "By the time of the launch. Default: `oldest-first`.",
    }),
  ),
});

const tag = "Instances";

export function instanceRoutes(api: Api): void {
  api.get(
    "/instances",
    {
      id: "listInstances",
      tag,
      summary: "List instances with all fields",
      description:
        "Your instances; with the operator scope those of all accounts, with their placement and reconciliation status. " +
        "Terminated ones are listed until they are deleted.",
      scope: ["read", "operator"],
      query: InstanceQuery,
      answer: field.many(view.ReadInstance),
      example: { answer: { data: [view.examples.forAccount] } },
      errors: ["unknown-name"],
    },
    async ({ db, principal, query, page }) => {
      const filter = {
        accountId: accountFor(principal, query.account_id),
        states: query.status === undefined ? undefined : [query.status],
        region: query.region,
        troubled: query.troubled,
        descending: query.order === "newest-first",
      };
      const found = await page(byLaunch, (window) => listAll(db, { ...window, ...filter }));
      const standings = await standingsOf(
        db,
        found.map(({ id }) => id),
      );
      return {
        data: found.flatMap((instance) => {
          // Missing only if the instance was removed for good between the two statements.
          const standing = standings.get(instance.id);
          return standing === undefined ? [] : [view.forPrincipal(principal, instance, standing)];
        }),
      };
    },
  );

  api.get(
    "/instances/:id",
    {
      id: "getInstance",
      tag,
      summary: "Read an instance with all fields",
      description:
        "Your instance; a terminated one is found for 30 days (configurable). With the operator scope any account's, with " +
        "its placement and reconciliation status. With `write`, its password and its command.",
      scope: ["read", "operator"],
      params: field.IdParam,
      answer: field.one(view.ReadInstance),
      example: { answer: { data: view.examples.forAccount } },
      errors: ["unknown-object"],
    },
    async (call) => {
      const instance = await instanceFor(call, call.params.id);
      return { data: view.forReader(call, instance, await reconcileStatusOf(call.db, instance.id)) };
    },
  );
}

/** The instance with this id, as the client wrote it; the operator scope reads all accounts'. Throws unknown-object. */
export function instanceFor(
  { db, service, principal }: Pick<Reading<never, never>, "db" | "service" | "principal">,
  id: string,
): Promise<Instance> {
  return principal.scopes.has("operator") ? readAny(db, id) : read(db, service, principal, id);
}
