// Control interface: hosts, for operators. Source: decisions, The control API. PUT creates a host of the simulated
// engine in the simulator, in the same transaction as the rental's rows of it; a host of a real engine is discovered,
// and PUT sets overrides.

import { Type } from "typebox";
import { deregisterHost, registerHost } from "../../../rental/capacity/host-changes.ts";
import { listHosts, readHost } from "../../../rental/capacity/host-reading.ts";
import { changeHostMode } from "../../../rental/hosts/change-mode.ts";
import { describeHost } from "../../../rental/hosts/describe.ts";
import { parseTagFilter } from "../../../rental/instances/tags.ts";
import { healthSeverities } from "../../../rules/host-health.ts";
import type { HostDecision } from "../../../rules/host-lifecycle.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { byName, pageQuery } from "../../api/paging.ts";
import * as field from "../fields.ts";
import * as view from "./view.ts";

const tag = "Hosts";

export function hostRoutes(api: Api): void {
  const { hostRegistries } = api.context;

  api.get(
    "/hosts",
    {
      id: "listHosts",
      tag,
      summary: "List hosts",
      description: "All hosts by name, with free and reserved resources.",
      scope: "operator",
      query: Type.Object({
        ...pageQuery,
        selector: Type.Optional(
          Type.String({
            ...limit.tagFilter,
            description: "Only hosts with these labels: `key=value` or `key`, separated by commas.",
            examples: ["rack=r12"],
          }),
        ),
        health: Type.Optional(
          Type.Enum(healthSeverities, {
            title: "HealthSeverity",
            description: "Only hosts with a finding of this severity.",
          }),
        ),
      }),
      answer: field.many(view.ShownHost),
      example: { answer: { data: [view.examples.host] } },
    },
    async ({ db, page, query }) => {
      const selector = query.selector === undefined ? [] : parseTagFilter(query.selector, "selector");
      const filter = { selector, severity: query.health };
      return { data: (await page(byName, (window) => listHosts(db, window, filter))).map(view.host) };
    },
  );

  api.get(
    "/hosts/:name",
    {
      id: "getHost",
      tag,
      summary: "Read a host",
      description: "One host, with free and reserved resources.",
      scope: "operator",
      params: field.NameParam,
      answer: field.one(view.ShownHost),
      example: { answer: { data: view.examples.host } },
      errors: ["unknown-object"],
    },
    async ({ db, params }) => ({ data: view.host(await readHost(db, params.name)) }),
  );

  api.put(
    "/hosts/:name",
    {
      id: "putHost",
      tag,
      summary: "Create or replace a host",
      description:
        "A host of the simulated engine is created. A host of a real engine is discovered, and this overrides what it " +
        "counts as, now and after every later sync: it has no more than these sizes, so that the rest is " +
        "yours, and the listed GPUs have this model and memory (others stay as discovered; only the engine determines where a GPU " +
        "is and in which region the host is). Resources that instances use cannot be removed, neither " +
        "by a smaller size or other GPUs, nor by another region or engine; a host that is promised to reservations stays in its region. A cordon, note and labels " +
        "are not changed.",
      scope: "operator",
      params: field.NameParam,
      body: view.PutHost,
      answer: field.one(view.ShownHost),
      example: { request: view.examples.request, answer: { data: view.examples.host } },
      errors: ["unknown-name", "conflict"],
    },
    async ({ tx, params, body }) => ({
      data: view.host(await registerHost(tx, hostRegistries, view.declarationFrom(params.name, body))),
    }),
  );

  api.delete(
    "/hosts/:name",
    {
      id: "deleteHost",
      tag,
      summary: "Delete a host",
      description:
        "For a discovered host that a PUT has overridden, removes only the override. Otherwise deletes the host; " +
        "rejected while instances are on it: cordon it and wait until they are terminated. A discovered host that its engine " +
        "still has reappears with the next sync; one that was lost is lost again, until it is clean.",
      scope: "operator",
      params: field.NameParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, params }) => {
      await deregisterHost(tx, hostRegistries, params.name);
      return { data: {} };
    },
  );

  api.patch(
    "/hosts/:name",
    {
      id: "changeHost",
      tag,
      summary: "Change the note and labels of a host",
      description:
        "Omitted fields stay unchanged. Of `labels` the named ones are set, and those that are null are removed. " +
        "Nothing is decided by them: they are for people, and for the selectors of requests.",
      scope: "operator",
      params: field.NameParam,
      body: view.HostDescription,
      answer: field.one(view.ShownHost),
      example: { request: { labels: { rack: "r12" } }, answer: { data: view.examples.host } },
      errors: ["unknown-object"],
    },
    async ({ tx, params, body }) => ({ data: view.host(await describeHost(tx, params.name, body)) }),
  );

  for (const { action, summary, description } of decisions) {
    api.post(
      `/hosts/:name/${action}`,
      {
        id: `${action}Host`,
        tag,
        summary,
        description: `${description} Safe to repeat; a new reason replaces the old one.`,
        scope: "operator",
        params: field.NameParam,
        body: view.decisionOf(action),
        bodyOptional: true,
        answer: field.one(view.ShownHost),
        example: { request: { reason: "PSU 2 is exchanged" }, answer: { data: view.examples.decided(action) } },
        errors: ["unknown-object", "conflict"],
        statesReason: true,
      },
      async ({ tx, principal, params, body: { reason, mode: drainMode } }) => {
        const change = { action, reason, drainMode, by: principal.accountId };
        return { data: view.host(await changeHostMode(tx, params.name, change)) };
      },
    );
  }
}

const decisions: readonly { readonly action: HostDecision; readonly summary: string; readonly description: string }[] =
  [
    {
      action: "cordon",
      summary: "Cordon a host",
      description: "Places no new instances on it. Existing instances keep running.",
    },
    { action: "uncordon", summary: "Uncordon a host", description: "Allows new instances on it again." },
    {
      action: "drain",
      summary: "Drain a host",
      description:
        "Cordons it to empty it. With `mode: wait`, existing instances keep running until their accounts terminate them. With " +
        "`mode: move`, stopped ones move to other hosts of the region as capacity allows, and running ones once they are " +
        "stopped; a move that fails is not repeated. `instances` of the host says how many are left.",
    },
  ];
