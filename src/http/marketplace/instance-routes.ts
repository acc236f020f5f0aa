// Variant M: instance types and instances. Specification, "Endpoints, variant M".

import { Type } from "typebox";
import * as catalog from "../../rental/catalog/offers.ts";
import { listedInstances, readInstance } from "../api/instance-reads.ts";
import { jupyterFor } from "../api/jupyter.ts";
import type { Api } from "../api/operations.ts";
import { instanceListQuery, statesShownAs } from "../api/status-labels.ts";
import * as example from "./examples.ts";
import * as schema from "./schema.ts";
import { listWords } from "./status-labels.ts";
import * as view from "./view.ts";

export function instanceRoutes(api: Api): void {
  api.get(
    "/instance-types",
    {
      id: "listInstanceTypes",
      tag: "Instance types",
      summary: "List instance types",
      description: "Every instance type with its price per hour and the regions that have capacity now.",
      answer: schema.InstanceTypes,
      cached: "catalog",
      example: { answer: example.instanceTypes },
    },
    async ({ db, service }) => {
      const offers = await catalog.offers(db, service);
      return { data: Object.fromEntries(offers.map((offer) => [offer.product.name, view.offer(offer)])) };
    },
  );

  api.get(
    "/instances",
    {
      id: "listInstances",
      tag: "Instances",
      summary: "List instances",
      description: "Your instances, oldest first: live ones and recently terminated ones.",
      query: instanceListQuery(listWords),
      cached: "account",
      answer: Type.Object({ data: Type.Array(schema.ListedInstance) }),
      example: { answer: { data: [example.listed] } },
      errors: ["unknown-name"],
    },
    async (call) => {
      const { service, principal, query } = call;
      const states = statesShownAs(listWords, query.status);
      const found = await listedInstances(call, { states, region: query.region });
      const template = api.context.config.jupyterUrlTemplate;
      return {
        data: found.map((instance) =>
          view.listed(instance, jupyterFor(principal, instance, template, service.keyRing)),
        ),
      };
    },
  );

  api.get(
    "/instances/:uuid",
    {
      id: "getInstance",
      tag: "Instances",
      summary: "Read an instance",
      description: "One instance. A terminated one is found for 30 days (configurable).",
      params: schema.InstanceId,
      cached: "account",
      answer: Type.Object({ data: schema.ReadInstance }),
      example: { answer: { data: example.read } },
      errors: ["unknown-object"],
    },
    async (call) => ({ data: view.read(await readInstance(call, call.params.uuid)) }),
  );
}
