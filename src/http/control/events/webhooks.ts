// Control interface: an account's webhooks. Source: decisions, Events. Their deliveries: webhook-deliveries.ts.

import { Type } from "typebox";
import * as webhooks from "../../../rental/webhooks/webhook-store.ts";
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
      right: "tokens",
      description:
        "Sends events of these types from now on: POST, JSON, signed according to Standard Webhooks 1.0.0. Only this response " +
        "has `secret`.",
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
      right: "tokens",
      description:
        "Omitted fields stay unchanged. A disabled webhook sends nothing; when re-enabled, delivery resumes with the next " +
        "undelivered event. Pending deliveries go to the new URL.",
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
      right: "tokens",
      description: "Also deletes its deliveries; pending deliveries are discarded.",
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
      summary: "Rotate a webhook's secret",
      right: "tokens",
      description:
        "Only this response has `secret`. For a day (`overlap_seconds`) each delivery has two signatures, by the new secret " +
        "and by the previous one, so that receivers can switch. Until then the secret cannot be rotated again, except with " +
        "`overlap_seconds` 0, which invalidates all previous secrets immediately.",
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
