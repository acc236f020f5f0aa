// The lambda edition: instance types, regions and instances. Decisions, The lambda edition.

import { type Static, Type } from "typebox";
import { offers as catalogOffers } from "../../rental/catalog/offers.ts";
import { listRegions } from "../../rental/catalog/region-store.ts";
import { changeLabels, type Labels } from "../../rental/instances/change-labels.ts";
import type { Instance } from "../../rental/instances/instance.ts";
import { parseTagFilter } from "../../rental/instances/tags.ts";
import type { Principal, Service } from "../../rental/service.ts";
import { listedInstances, readInstance } from "../api/instance-reads.ts";
import { jupyterFor } from "../api/jupyter.ts";
import type { Api } from "../api/operations.ts";
import { byName, pageQuery } from "../api/paging.ts";
import { sample } from "../api/schema.ts";
import { actionSettings } from "./actions.ts";
import * as example from "./examples.ts";
import * as schema from "./schema.ts";
import { standingsShownAs } from "./status-labels.ts";
import * as view from "./view.ts";
import { unknownAsInvalid } from "./within-list.ts";

type Caller = Readonly<{ service: Service; principal: Principal }>;

export function instanceRoutes(api: Api): void {
  const { config } = api.context;
  const listedHere =
    config.lambda.terminatedVisibleSeconds === 0
      ? "live ones only, not those that are being terminated"
      : `live ones, and others for ${config.lambda.terminatedVisibleSeconds} seconds after the request to terminate them`;
  const shown = (one: Instance, { service, principal }: Caller) =>
    view.instance(
      one,
      jupyterFor(principal, one, config.jupyterUrlTemplate, service.keyRing),
      actionSettings(service, config.lambda.restartReboots),
    );

  api.get(
    "/instance-types",
    {
      id: "listInstanceTypes",
      tag: "Instance types",
      summary: "List instance types",
      description: "Every instance type with its price per hour and the regions that have capacity now.",
      query: schema.knownOnly({}),
      answer: schema.InstanceTypes,
      pinned: schema.PinnedInstanceTypes,
      cached: "catalog",
      example: { answer: example.instanceTypes },
    },
    async ({ db, service }) => {
      const offers = await catalogOffers(db, service);
      return { data: Object.fromEntries(offers.map((offer) => [offer.product.name, view.offer(offer)])) };
    },
  );

  api.get(
    "/regions",
    {
      id: "listRegions",
      tag: "Instance types",
      summary: "List regions",
      description: "Every region, with or without capacity.",
      query: schema.knownOnly(pageQuery),
      cached: "catalog",
      answer: schema.Regions,
      example: { answer: { data: [sample.region] } },
    },
    async ({ db, page }) => ({
      data: (await page(byName, (window) => listRegions(db, window))).map(view.region),
    }),
  );

  api.get(
    "/instances",
    {
      id: "listInstances",
      tag: "Instances",
      summary: "List instances",
      description: `Your instances, oldest first: ${listedHere}. Reading a single instance still finds a terminated one.`,
      query: schema.instanceListQuery,
      cached: "account",
      answer: Type.Object({ data: Type.Array(schema.Instance) }),
      pinned: Type.Object({ data: Type.Array(schema.PinnedInstance) }),
      example: { answer: { data: [example.bootingInstance, example.instance] } },
    },
    async (call) => {
      const { query } = call;
      const { terminatedVisibleSeconds } = config.lambda;
      const filter = {
        live: terminatedVisibleSeconds === 0 ? true : { orEndedWithinSeconds: terminatedVisibleSeconds },
        standings: standingsShownAs(query.status),
        region: query.region,
        tags: query.tags === undefined ? undefined : parseTagFilter(query.tags, "tags"),
      };
      const found = await unknownAsInvalid(() => listedInstances(call, filter));
      return { data: found.map((one) => shown(one, call)) };
    },
  );

  api.get(
    "/instances/:id",
    {
      id: "getInstance",
      tag: "Instances",
      summary: "Read an instance",
      description: "One instance. A terminated one is found for 30 days (configurable).",
      params: schema.Id,
      cached: "account",
      answer: Type.Object({ data: schema.Instance }),
      pinned: Type.Object({ data: schema.PinnedInstance }),
      example: { answer: { data: example.instance } },
      errors: ["unknown-object"],
    },
    async (call) => ({ data: shown(await readInstance(call, call.params.id), call) }),
  );

  api.post(
    "/instances/:id",
    {
      id: "renameInstance",
      tag: "Instances",
      summary: "Change the name or the tags of an instance",
      description: "Changes the given fields only. The host name stays as it was at launch.",
      params: schema.Id,
      body: schema.Change,
      answer: Type.Object({ data: schema.Instance }),
      pinned: Type.Object({ data: schema.PinnedInstance }),
      example: { request: { name: "training", tags: example.instance.tags }, answer: { data: example.instance } },
      errors: ["unknown-object"],
    },
    async (call) => {
      const { tx, service, principal, params, body } = call;
      return { data: shown(await changeLabels(tx, service, principal, params.id, labelsFrom(body)), call) };
    },
  );
}

function labelsFrom({ name, tags }: Static<typeof schema.Change>): Labels {
  return { name: name ?? undefined, tags: tags ?? undefined, fields: { name: "name", tags: "tags" } };
}
