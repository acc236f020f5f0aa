// Variant D: inventory, images and instances. Specification, "Endpoints, variant D"; paths: decisions, section 8.

import { listImages } from "../../rental/catalog/image-store.ts";
import { offers as catalogOffers } from "../../rental/catalog/offers.ts";
import type { Instance } from "../../rental/instances/instance.ts";
import { list } from "../../rental/instances/instance-store.ts";
import { loginPassword } from "../../rental/instances/login.ts";
import { seesSecrets } from "../../rental/people/permits.ts";
import type { Principal, Service } from "../../rental/service.ts";
import { readInstance } from "../api/instance-reads.ts";
import type { Api } from "../api/operations.ts";
import { byLaunch } from "../api/paging.ts";
import { instanceListQuery, statesShownAs } from "../api/status-labels.ts";
import * as example from "./examples.ts";
import * as schema from "./schema.ts";
import { statusWords } from "./status-labels.ts";
import * as vendor from "./vendor.ts";
import * as view from "./view.ts";

export function instanceRoutes(api: Api): void {
  api.get(
    "/gpu-inventory",
    {
      id: "listGpuInventory",
      tag: "Inventory",
      summary: "List instance types",
      description: "Every instance type with its price per hour and the regions that have capacity now.",
      answer: schema.Inventory,
      cached: "catalog",
      example: { answer: example.inventory },
    },
    async ({ db, service }) => {
      const offers = await catalogOffers(db, service);
      return { gpu_inventory: Object.fromEntries(offers.map((offer) => [offer.product.name, view.offer(offer)])) };
    },
  );

  api.get(
    "/images",
    {
      id: "listImages",
      tag: "Inventory",
      summary: "List images",
      description: "Boot images of instances: `vm_image_id` is the `imageId` of a launch.",
      answer: schema.Images,
      cached: "catalog",
      example: { answer: { images: [example.image] } },
    },
    async ({ db }) => ({ images: (await listImages(db)).map(view.image) }),
  );

  api.get(
    "/instance",
    {
      id: "listInstances",
      tag: "Instances",
      summary: "List running instances",
      description: "Your live instances, oldest first.",
      query: instanceListQuery(statusWords),
      cached: "account",
      answer: schema.InstanceList,
      pinned: vendor.instances,
      example: { answer: { runningInstances: [example.listed] } },
      errors: ["unknown-name"],
    },
    async (call) => {
      const { db, service, principal, query, page, validUntil } = call;
      const states = statesShownAs(statusWords, query.status);
      const found = await page(byLaunch, (window) =>
        list(db, service, principal, { ...window, states, region: query.region, live: true }),
      );
      // The region of an empty list may be deleted.
      if (found.length === 0 && query.region !== undefined) validUntil(0);
      return { runningInstances: found.map((instance) => view.listed(instance, passwordFor(call, instance))) };
    },
  );

  api.get(
    "/instance/:uuid",
    {
      id: "getInstance",
      tag: "Instances",
      summary: "Read an instance",
      description:
        "One instance; `runningInstances` has the same one. A terminated one is found for 30 days (configurable).",
      params: schema.InstanceId,
      cached: "account",
      answer: schema.InstanceRead,
      pinned: vendor.instance,
      example: { answer: { runningInstance: example.read, runningInstances: [example.read] } },
      errors: ["unknown-object"],
    },
    async (call) => {
      const instance = await readInstance(call, call.params.uuid);
      const shown = view.read(instance, passwordFor(call, instance));
      return { runningInstance: shown, runningInstances: [shown] };
    },
  );
}

/**
 * A number, as in the specification; 0 if password login is off, the instance has ended, or the token may not write: a
 * password gives full access.
 */
function passwordFor(call: { principal: Principal; service: Service }, instance: Instance): number {
  if (!seesSecrets(call.principal)) return 0;
  return Number(loginPassword(instance, call.service.keyRing) ?? 0);
}
