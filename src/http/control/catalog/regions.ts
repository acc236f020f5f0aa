// Control interface: regions, for operators. Source: decisions, The control API.

import { Type } from "typebox";
import * as catalog from "../../../rental/catalog/region-store.ts";
import type { Api } from "../../api/operations.ts";
import { byName, pageQuery } from "../../api/paging.ts";
import { Region, sample } from "../../api/schema.ts";
import * as field from "../fields.ts";

const PutRegion = Type.Object({
  description: field.words("Shown to customers. Default: the name.", "Virginia, USA"),
});

const tag = "Regions";
const example = view(sample.region);

export function regionRoutes(api: Api): void {
  api.get(
    "/regions",
    {
      id: "listRegions",
      tag,
      summary: "List regions",
      description: "All regions, by name.",
      scope: "operator",
      query: Type.Object(pageQuery),
      answer: field.many(Region),
      example: { answer: { data: [example] } },
    },
    async ({ db, page }) => ({ data: (await page(byName, (window) => catalog.listRegions(db, window))).map(view) }),
  );

  api.put(
    "/regions/:name",
    {
      id: "putRegion",
      tag,
      summary: "Create or replace a region",
      description: "The name `any` is rejected: it means the best region.",
      scope: "operator",
      params: field.NameParam,
      body: PutRegion,
      answer: field.one(Region),
      example: { request: { description: example.description }, answer: { data: example } },
    },
    async ({ tx, params: { name }, body }) => ({
      data: view(await catalog.putRegion(tx, { name, description: body.description ?? name })),
    }),
  );

  api.delete(
    "/regions/:name",
    {
      id: "deleteRegion",
      tag,
      summary: "Delete a region",
      description:
        "Rejected while hosts, file systems or firewall rulesets are in it, or a reservation that is not over.",
      scope: "operator",
      params: field.NameParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, params }) => {
      await catalog.deleteRegion(tx, params.name);
      return { data: {} };
    },
  );
}

function view({ name, description }: catalog.Region) {
  return { name, description };
}
