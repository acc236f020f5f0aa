// Control interface: moves a stopped instance to another host, for operators. What it does: rental/moving/begin-move.ts.

import { Type } from "typebox";
import { reconcileStatusOf } from "../../../rental/instances/reconcile-status.ts";
import { beginMove } from "../../../rental/moving/begin-move.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import * as field from "../fields.ts";
import * as view from "./view.ts";

const Order = Type.Object(
  {
    host: Type.Optional(
      Type.String({
        ...limit.name,
        description: "The new host: of the same engine and region. Default: the best one with capacity.",
        examples: ["us-east-1-h100-02"],
      }),
    ),
    reason: Type.Optional(field.reason("Fans are exchanged")),
  },
  { title: "MoveOrder" },
);

export function moveRoutes(api: Api): void {
  api.post(
    "/instances/:id/move",
    {
      id: "moveInstance",
      tag: "Instances",
      summary: "Move a stopped instance to another host",
      description:
        "Copies the machine of a stopped instance, with its disk, to another host of its region; `move` says how far it is. " +
        "It can be restarted meanwhile, and starts when the copy is complete. The old copy is removed after the first start " +
        "on the new host; until then capacity is reserved on both. Rejected before anything is touched if no host has " +
        "capacity, if a file system of it is on its host's own storage, and if its engine cannot move machines. Safe to repeat.",
      scope: "operator",
      namesAccount: true,
      params: field.IdParam,
      body: Order,
      bodyOptional: true,
      answer: field.one(view.ReadInstance),
      example: { request: { reason: "Fans are exchanged" }, answer: { data: view.examples.moving } },
      errors: ["unknown-object", "unknown-name", "conflict", "insufficient-capacity"],
      statesReason: true,
      // Placement proposes hosts from what was free when the request arrived.
      before: () => api.context.service.capacity.refresh(),
    },
    async ({ tx, service, principal, params, body }) => {
      const order = { host: body.host, reason: body.reason, by: principal.accountId };
      const moving = await beginMove(tx, service, params.id, order);
      return { data: view.forOperators(moving, await reconcileStatusOf(tx, moving.id)) };
    },
  );
}
