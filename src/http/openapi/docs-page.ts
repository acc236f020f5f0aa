// `/openapi.json` and `/docs` of an interface. The page is Scalar, served from here with everything it needs: its
// configuration switches off what would talk to the outside, and the Content-Security-Policy makes sure of it.

import scalar from "@scalar/fastify-api-reference";
import type { FastifyInstance } from "fastify";
import { etagOf, isFresh } from "../conditional.ts";
import { nameResponses } from "./named-responses.ts";
import { nameSchemas } from "./named-schemas.ts";

/** 'unsafe-inline' and 'unsafe-eval': Scalar starts with an inline script, makes its styles at run time, and compiles. */
const policy =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Call it after the operations are declared. */
export async function docsPage(scope: FastifyInstance, title: string, schemaSuffix: string): Promise<void> {
  let document: { text: string; etag: string } | undefined;
  scope.get("/openapi.json", { schema: { hide: true } }, async (request, reply) => {
    if (document === undefined) {
      const text = JSON.stringify(nameResponses(nameSchemas(scope.swagger(), schemaSuffix)));
      document = { text, etag: etagOf(text) };
    }
    reply.header("etag", document.etag).header("cache-control", "public, no-cache");
    if (isFresh(request.headers["if-none-match"], document.etag)) return reply.code(304).send();
    return reply.type("application/json; charset=utf-8").send(document.text);
  });

  await scope.register(async (page) => {
    page.addHook("onRequest", async (request, reply) => {
      reply.header("content-security-policy", policy).header("x-content-type-options", "nosniff");
      // Scalar makes a URL of this header.
      const { headers } = request.raw;
      if (headers.host === undefined || !URL.canParse(`http://${headers.host}`)) headers.host = "localhost";
    });
    await page.register(scalar, {
      routePrefix: "/docs",
      configuration: {
        url: "../openapi.json",
        pageTitle: title,
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: "never",
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
}
