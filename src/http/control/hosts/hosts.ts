// Control interface: hosts, for operators. Source: decisions, The control API.
// A host of the simulated engine is made in its world by PUT, in the same transaction as the rental's rows of it; one of a
// real engine is discovered, and PUT sets overrides.

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
      description: "All hosts, by name, with what is free and what is held.",
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
      description: "One host, with what is free and what is held.",
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
        "A host of the simulated engine is made in its world. One of a real engine is discovered, and this says what it " +
        "counts as, now and after every later look at the engine: it has no more than these sizes, so that the rest is " +
        "yours, and the GPUs that are listed have this model and memory (those that are not stay as found; where a GPU " +
        "sits and in which region the host is only its engine says). What instances hold cannot be taken away: neither " +
        "by a smaller size or other GPUs, nor by another region or engine. Whether it is cordoned stays.",
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
        "Of a discovered host that a PUT has overridden, ends the override and nothing else. Otherwise removes the host; " +
        "refused while instances hold any of it: cordon it, and wait for them to go. A discovered host that its engine " +
        "still has comes back with the next look at the engine.",
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
    { word: "cordon", cordoned: true, what: "Keep new instances off a host", effect: "What is on it stays." },
    { word: "uncordon", cordoned: false, what: "Let new instances on a host again", effect: "Ends a cordon." },
  ] as const;
  for (const { word, cordoned, what, effect } of cordons) {
    api.post(
      `/hosts/:name/${word}`,
      {
        id: `${word}Host`,
        tag,
        summary: what,
        description: `${effect} May be repeated.`,
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
