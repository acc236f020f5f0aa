// Control interface: an account's webhooks. Source: decisions, Events. Their deliveries: webhook-deliveries.ts.

import { Type } from "typebox";
import * as webhooks from "../../../rental/webhooks/index.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import * as field from "../fields.ts";
import * as view from "./webhook-view.ts";

const tag = "Webhooks";

export function webhookRoutes(api: Api): void {
  api.get(
    "/webhooks",
    {
      id: "listWebhooks",
      tag,
      summary: "List webhooks",
      description: "Oldest first. Secrets are not shown.",
      query: Type.Object(pageQuery),
      answer: field.many(view.Webhook),
      example: { answer: { data: [view.examples.listed] } },
    },
    async ({ db, principal, page }) => ({
      data: (await page(byId, (window) => webhooks.listWebhooks(db, principal, window))).map(view.webhook),
    }),
  );

  api.post(
    "/webhooks",
    {
      id: "createWebhook",
      tag,
      summary: "Create a webhook",
      description:
        "From now on events of these types are sent there: POST, JSON, signed as Standard Webhooks 1.0.0 has it. `secret` " +
        "is in this answer only.",
      body: view.CreateWebhook,
      answer: field.one(view.MadeWebhook),
      example: { request: view.examples.request, answer: { data: view.examples.made } },
      errors: ["quota-exceeded"],
    },
    async ({ tx, service, principal, body }) => {
      const { url, description = "", event_types: eventTypes = [], active = true } = body;
      const made = await webhooks.createWebhook(tx, service, principal, { url, description, eventTypes, active });
      return { data: view.madeWebhook(made) };
    },
  );

  api.get(
    "/webhooks/:id",
    {
      id: "getWebhook",
      tag,
      summary: "Read a webhook",
      description: "Without its secret.",
      params: field.IdParam,
      answer: field.one(view.Webhook),
      example: { answer: { data: view.examples.listed } },
      errors: ["unknown-object"],
    },
    async ({ db, principal, params }) => ({ data: view.webhook(await webhooks.readWebhook(db, principal, params.id)) }),
  );

  api.patch(
    "/webhooks/:id",
    {
      id: "changeWebhook",
      tag,
      summary: "Change a webhook",
      description:
        "What is left out stays as it is. While it is off nothing is sent; switched on again it goes on where it stood, so " +
        "nothing is missed. Deliveries that wait go to the new URL.",
      params: field.IdParam,
      body: view.ChangeWebhook,
      answer: field.one(view.Webhook),
      example: { request: { active: false }, answer: { data: view.examples.off } },
      errors: ["unknown-object"],
    },
    async ({ tx, service, principal, params, body }) => {
      const { url, description, event_types: eventTypes, active } = body;
      const change = { url, description, eventTypes, active };
      return { data: view.webhook(await webhooks.changeWebhook(tx, service, principal, params.id, change)) };
    },
  );

  api.delete(
    "/webhooks/:id",
    {
      id: "deleteWebhook",
      tag,
      summary: "Delete a webhook",
      description: "With its deliveries; what was not delivered is not delivered any more.",
      params: field.IdParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, principal, params }) => {
      await webhooks.deleteWebhook(tx, principal, params.id);
      return { data: {} };
    },
  );

  api.post(
    "/webhooks/:id/rotate-secret",
    {
      id: "rotateWebhookSecret",
      tag,
      summary: "Give a webhook a new secret",
      description:
        "`secret` is in this answer only. For a day (`overlap_seconds`) each delivery has two signatures, by the new secret " +
        "and by the one before, so that receivers can change over. Until then it is not given another one, but with " +
        "`overlap_seconds` 0, which ends all former secrets at once.",
      params: field.IdParam,
      body: view.RotateSecret,
      bodyOptional: true,
      answer: field.one(view.MadeWebhook),
      example: { request: { overlap_seconds: 86_400 }, answer: { data: view.examples.rotated } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, service, principal, params, body }) => {
      const rotated = await webhooks.rotateSecret(tx, service, principal, params.id, body.overlap_seconds);
      return { data: view.madeWebhook(rotated) };
    },
  );
}
