// `/openapi.json` and `/docs` of an interface. The page is Scalar, served from here with everything it needs: its
// configuration switches off what would talk to the outside, and the Content-Security-Policy makes sure of it.
// Both are made for the first who asks: Scalar alone, 4 MB of script in a module, would take every start 0.25 s.

import type { FastifyInstance, RouteOptions } from "fastify";
import { etagOf, isFresh } from "../conditional.ts";
import type { Variant } from "../variant.ts";
import { documentOf } from "./document.ts";
import { nameResponses } from "./named-responses.ts";
import { nameSchemas } from "./named-schemas.ts";
import { unreachableServer } from "./unreachable-server.ts";

/** 'unsafe-inline' and 'unsafe-eval': Scalar starts with an inline script, makes its styles at run time, and compiles. */
const policy =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Of the interface's operations, which are `declared` by now. */
export function docsPage(scope: FastifyInstance, variant: Variant, declared: readonly RouteOptions[]): void {
  const operations = [...declared];
  let document: Promise<{ text: string; etag: string }> | undefined;
  const make = async () => {
    const whole = await documentOf(variant, scope.prefix, operations);
    const text = JSON.stringify(nameResponses(nameSchemas(whole, variant.schemaSuffix ?? "")));
    return { text, etag: etagOf(text) };
  };
  scope.get("/openapi.json", { schema: { hide: true } }, async (request, reply) => {
    document ??= make();
    const { text, etag } = await document;
    reply.header("etag", etag).header("cache-control", "public, no-cache");
    if (isFresh(request.headers["if-none-match"], etag)) return reply.code(304).send();
    return reply.type("application/json; charset=utf-8").send(text);
  });

  let scalar: Promise<FastifyInstance> | undefined;
  for (const path of ["/docs/", "/docs/js/scalar.js"]) {
    scope.get(path, { schema: { hide: true } }, async (request, reply) => {
      scalar ??= scalarAt(`/${`${scope.prefix}/docs`.slice(1)}`, variant.title);
      // Scalar makes a URL of the host, so it is none of a client's.
      const page = await (await scalar).inject({ url: request.url, headers: { host: "localhost" } });
      reply.header("content-security-policy", policy).header("x-content-type-options", "nosniff");
      const { "content-type": type = "text/html", location } = page.headers;
      if (typeof location === "string") return reply.redirect(location, page.statusCode);
      return reply.code(page.statusCode).type(String(type)).send(page.rawPayload);
    });
  }
}

/** Scalar's own plugin, on a server that only we ask. */
async function scalarAt(routePrefix: `/${string}`, pageTitle: string): Promise<FastifyInstance> {
  const { default: plugin } = await import("@scalar/fastify-api-reference");
  const server = unreachableServer();
  await server.register(plugin, {
    routePrefix,
    configuration: {
      url: "../openapi.json",
      pageTitle,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: "never",
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  return server;
}
