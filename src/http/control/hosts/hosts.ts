// Control interface: hosts, for operators. Source: decisions, The control API. PUT creates a host of the simulated
// engine in the simulator, in the same transaction as the rental's rows of it; a host of a real engine is discovered,
// and PUT sets overrides.

import { Type } from "typebox";
import { deregisterHost, registerHost, setCordoned } from "../../../rental/capacity/host-changes.ts";
import { listHosts, readHost } from "../../../rental/capacity/host-reading.ts";
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
      query: Type.Object(pageQuery),
      answer: field.many(view.ShownHost),
      example: { answer: { data: [view.examples.host] } },
    },
    async ({ db, page }) => ({ data: (await page(byName, (window) => listHosts(db, window))).map(view.host) }),
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
        "by a smaller size or other GPUs, nor by another region or engine. A cordon is not changed.",
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
        "still has reappears with the next sync.",
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

  const cordons = [
    {
      word: "cordon",
      cordoned: true,
      what: "Cordon a host",
      effect: "Places no new instances on it. Existing instances keep running.",
    },
    { word: "uncordon", cordoned: false, what: "Uncordon a host", effect: "Allows new instances on it again." },
  ] as const;
  for (const { word, cordoned, what, effect } of cordons) {
    api.post(
      `/hosts/:name/${word}`,
      {
        id: `${word}Host`,
        tag,
        summary: what,
        description: `${effect} Safe to repeat.`,
        scope: "operator",
        params: field.NameParam,
        answer: field.one(view.ShownHost),
        example: { answer: { data: { ...view.examples.host, cordoned } } },
        errors: ["unknown-object"],
      },
      async ({ tx, params }) => ({ data: view.host(await setCordoned(tx, params.name, cordoned)) }),
    );
  }
}
