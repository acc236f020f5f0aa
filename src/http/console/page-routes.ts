// The console's page and its files. `/` is the page, and so is every address without a route when a browser opens it:
// only the console knows its addresses. Programs, which do not ask for HTML, get the errors of every interface.
//
// Headers limit the page: scripts, styles and pictures of this origin only, nothing inline except the attribute
// `style`, no frames, and no referrer. Used by console-routes.ts.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isFresh } from "../api/conditional.ts";
import { acceptedEncodings } from "../edge/content-encoding.ts";
import { HttpError } from "../errors/api-error.ts";
import { type BuiltFile, type BuiltFiles, indexName } from "./built-files.ts";

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Attributes position and size elements; the component library needs nothing else.
  "style-src-attr 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "manifest-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

const safety = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};
const pageSafety = { ...safety, "content-security-policy": contentSecurityPolicy, "x-frame-options": "DENY" };

/** The build names files in assets/ by their content, so a file never changes. */
const assets = "assets/";
const forGood = "public, max-age=31536000, immutable";
const askEachTime = "no-cache";

const route = { schema: { hide: true } };

/** `isOurs`: whether an address without a route may belong to the console. */
export function pageRoutes(
  scope: FastifyInstance,
  files: BuiltFiles,
  isOurs: (request: FastifyRequest) => boolean,
): void {
  scope.get("/", route, async (request, reply) => {
    const page = await found(request, indexName);
    return page === undefined ? sendNotBuilt(reply) : sendPage(request, reply, page);
  });

  scope.get(`/${assets}*`, route, async (request, reply) => {
    const { "*": rest } = request.params as { "*": string }; // declared in the route
    const file = await found(request, assets + rest);
    if (file === undefined) throw new HttpError("unknown-path", {});
    return sendFile(request, reply, file, forGood);
  });

  scope.pages.push(async (request, reply) => {
    if (!isOurs(request)) return false;
    const path = request.url.split("?", 1)[0] ?? "";
    // Beside the page, such as an icon.
    const file = await found(request, path.slice(1));
    if (file !== undefined && path !== `/${indexName}`) {
      sendFile(request, reply, file, askEachTime);
      return true;
    }
    if (!(request.headers.accept ?? "").includes("text/html")) return false;
    const page = await found(request, indexName);
    if (page !== undefined) sendPage(request, reply, page);
    return page !== undefined;
  });

  function found({ headers }: FastifyRequest, name: string): Promise<BuiltFile | undefined> {
    return files.find(name, acceptedEncodings(headers["accept-encoding"]));
  }
}

function sendPage(request: FastifyRequest, reply: FastifyReply, page: BuiltFile): FastifyReply {
  return send(request, reply.headers(pageSafety), page, askEachTime);
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: BuiltFile, caching: string): FastifyReply {
  return send(request, reply.headers(safety), file, caching);
}

function send(request: FastifyRequest, reply: FastifyReply, file: BuiltFile, caching: string): FastifyReply {
  const { type, encoding, etag, body } = file;
  reply.headers({ etag, "cache-control": caching, vary: "Accept-Encoding" });
  if (isFresh(request.headers["if-none-match"], etag)) return reply.code(304).send();
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply.code(200).type(type).send(body);
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Lessor</title>
<h1>The web console is not built</h1>
<p>Lessor is running, and all its interfaces work. To build the console, run this command in the Lessor checkout, then reload this page:</p>
<pre>npm ci
npm run build:console</pre>
<p><a href="/docs/start">Help</a> · <a href="/docs/api">API documentation</a> · <a href="/docs/reference/cli">CLI</a></p>
</html>
`;
  return reply
    .code(404)
    .headers({ ...pageSafety, "cache-control": "no-store" })
    .type("text/html; charset=utf-8")
    .send(html);
}
