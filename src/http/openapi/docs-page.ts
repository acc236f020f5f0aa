// `/openapi.json` and `/docs` of an interface: its document, and the page for it (../help/). Both are created on
// request.

import type { FastifyInstance, RouteOptions } from "fastify";
import type { Mount } from "../../config/interfaces.ts";
import { etagOf, isFresh } from "../api/conditional.ts";
import type { HttpContext } from "../api/context.ts";
import type { Variant } from "../api/variant.ts";
import { hostNameOf } from "../edge/virtual-host.ts";
import { documentPage } from "../help/documents.ts";
import { assetRoutes } from "../help/help-routes.ts";
import { CachedPage, htmlPage } from "../help/kept-page.ts";
import { knownHostNames, siteOf } from "../help/site.ts";
import { documentOf } from "./document.ts";
import { nameResponses } from "./named-responses.ts";
import { nameSchemas } from "./named-schemas.ts";

/** For the interface's operations, which must be `declared` already. */
export function docsPage(
  scope: FastifyInstance,
  variant: Variant,
  mount: Mount,
  declared: readonly RouteOptions[],
  { config, documents }: Pick<HttpContext, "config" | "documents">,
): void {
  const listener = config.listeners.find(({ mounts }) => mounts.includes(mount));
  if (listener === undefined) throw new Error(`BUG: ${variant.name} is mounted on no listener`);
  const siteAt = (hostName: string | undefined) => siteOf(listener, documents, hostName);
  const operations = [...declared];
  let document: Promise<{ text: string; etag: string }> | undefined;
  const make = async () => {
    const whole = await documentOf(variant, scope.prefix, operations);
    const text = JSON.stringify(nameResponses(nameSchemas(whole, variant.schemaSuffix ?? "", config.limits)));
    return { text, etag: etagOf(text) };
  };
  const made = () => {
    document ??= make();
    return document;
  };
  scope.get("/openapi.json", { schema: { hide: true } }, async (request, reply) => {
    const { text, etag } = await made();
    reply.header("etag", etag).header("cache-control", "public, no-cache");
    if (isFresh(request.headers["if-none-match"], etag)) return reply.code(304).send();
    return reply.type("application/json; charset=utf-8").send(text);
  });

  const own = { mount, listener, description: variant.description, text: async () => (await made()).text };
  if (!documents.has(variant.name)) documents.set(variant.name, own);
  const known = knownHostNames(listener);
  const pages = new Map<string | undefined, CachedPage>();
  scope.get("/docs", { schema: { hide: true } }, (request, reply) => {
    const asked = hostNameOf(request.headers.host);
    const hostName = known.has(asked) ? asked : mount.hostName;
    const page = pages.get(hostName) ?? new CachedPage(async () => htmlPage(await makePage(hostName)));
    pages.set(hostName, page);
    return page.send(request, reply);
  });
  assetRoutes(scope, "/docs");

  async function makePage(hostName: string | undefined) {
    const site = siteAt(hostName);
    const link = site.documents.find(({ name }) => name === variant.name);
    if (link === undefined) throw new Error(`BUG: ${variant.name} has no document`);
    const here = { ...link, address: `${mount.prefix}/docs/`, here: mount, published: own };
    return documentPage(site, here, `${scope.prefix}/docs`);
  }
}
