// Control interface: the results of a webhook's deliveries, and deliveries on request. Source: decisions, Events. A
// delivery log grows without end, so it is paged even without a limit.

import { Type } from "typebox";
import * as webhooks from "../../../rental/webhooks/delivery.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery, readCursor, writeCursor } from "../../api/paging.ts";
import * as field from "../fields.ts";
import * as view from "./webhook-view.ts";

const tag = "Webhooks";
const defaultLimit = 100;

const DeliveryParams = Type.Object({
  id: Type.String({ ...limit.uuid, description: "The webhook's UUID." }),
  delivery_id: Type.String({ ...limit.uuid, description: "The delivery's UUID." }),
});

const DeliveryQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: `Maximum number of entries. Default: ${defaultLimit}.` }),
  ),
  cursor: pageQuery.cursor,
  status: Type.Optional(view.DeliveryStatus),
});

export function webhookDeliveryRoutes(api: Api): void {
  api.post(
    "/webhooks/:id/test",
    {
      id: "testWebhook",
      tag,
      summary: "Send a test to a webhook",
      right: "tokens",
      description:
        "Sends an event `webhook.test` now, to this webhook only, also while it is disabled. Its delivery has the " +
        `result. At most ${webhooks.mostAsked} tests and resends of a webhook can be in progress.`,
      params: field.IdParam,
      answer: field.one(view.Delivery),
      example: { answer: { data: { ...view.examples.waiting, event_type: "webhook.test" } } },
      errors: ["unknown-object", "quota-exceeded"],
    },
    async ({ tx, principal, params }) => ({
      data: view.deliveryView(await webhooks.testWebhook(tx, principal, params.id)),
    }),
  );

  api.get(
    "/webhooks/:id/deliveries",
    {
      id: "listWebhookDeliveries",
      tag,
      summary: "List the deliveries of a webhook",
      description:
        "Newest first, of the last 30 days. An event appears once the webhook has reached it. A page of one status can be " +
        "short, or empty and still have a next page: follow the `Link` header to the end.",
      params: field.IdParam,
      query: DeliveryQuery,
      answer: field.many(view.Delivery),
      example: { answer: { data: [view.examples.delivery] } },
      errors: ["unknown-object"],
    },
    async ({ db, principal, params, query, goOnAfter }) => {
      const { limit = defaultLimit, cursor, status } = query;
      const before = cursor === undefined ? undefined : readCursor(cursor, byId);
      const page = await webhooks.listDeliveries(db, principal, params.id, { status, before, limit });
      if (page.goOnBefore !== undefined) goOnAfter(writeCursor(page.goOnBefore));
      return { data: page.deliveries.map(view.deliveryView) };
    },
  );

  api.get(
    "/webhooks/:id/deliveries/:delivery_id",
    {
      id: "getWebhookDelivery",
      tag,
      summary: "Read a delivery",
      description: "With the request body and the result of each attempt.",
      params: DeliveryParams,
      answer: field.one(view.DeliveryInFull),
      example: { answer: { data: view.examples.inFull } },
      errors: ["unknown-object"],
    },
    async ({ db, principal, params }) => ({
      data: view.deliveryInFull(await webhooks.readDelivery(db, principal, params.id, params.delivery_id)),
    }),
  );

  api.post(
    "/webhooks/:id/deliveries/:delivery_id/resend",
    {
      id: "resendWebhookDelivery",
      tag,
      summary: "Send a delivery again",
      right: "tokens",
      description:
        "Sends it now. A delivered or failed delivery is sent once more, with the same webhook-id, without waiting for others. A " +
        "pending delivery, or the earlier one that it waits for, is retried immediately.",
      params: DeliveryParams,
      answer: field.one(view.Delivery),
      example: { answer: { data: view.examples.waiting } },
      errors: ["unknown-object", "quota-exceeded"],
    },
    async ({ tx, principal, params }) => ({
      data: view.deliveryView(await webhooks.resend(tx, principal, params.id, params.delivery_id)),
    }),
  );
}
