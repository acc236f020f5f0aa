// The documentation of a port: the documents, their search, the list of all API documents, and documents of interfaces
// on another port. The documents of its own interfaces are beside them (../openapi/docs-page.ts), in the same frame.
// Everything is public, created at the first request and cached, for each host name of the port's interfaces.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Listener } from "../../config/interfaces.ts";
import { type Html, html } from "../../rules/html.ts";
import { hostNameOf } from "../edge/virtual-host.ts";
import { documentPage, elsewhere } from "./documents.ts";
import { framed } from "./frame.ts";
import { type Guide, readGuides, readPictures, startAddress } from "./guides.ts";
import { CachedPage, htmlPage } from "./kept-page.ts";
import { inline } from "./markdown.ts";
import { moved } from "./moved.ts";
import { searchOver } from "./search.ts";
import { knownHostNames, type PublishedDocuments, type Site, siteOf } from "./site.ts";

const hidden = { schema: { hide: true } };

/** The assets of these pages; /docs itself may have those of an interface at the root. */
const assetFolder = "/docs/assets";

/** The assets of pages, by name. */
const assetTypes: Readonly<Record<string, string>> = {
  "pages.css": "text/css; charset=utf-8",
  "pages.js": "text/javascript; charset=utf-8",
  "scheme.js": "text/javascript; charset=utf-8",
  "mark.svg": "image/svg+xml",
};
const assets = Object.entries(assetTypes).map(([name, type]) => {
  const read = async () => ({ type, body: await readFile(join(import.meta.dirname, "assets", name)) });
  return { name, page: new CachedPage(read) };
});

/** Serves the assets in this folder. */
export function assetRoutes(scope: FastifyInstance, folder: string): void {
  for (const { name, page } of assets)
    scope.get(`${folder}/${name}`, hidden, (request, reply) => page.send(request, reply));
}

/** Serves /docs/ on a port. Call it after mounting all interfaces. */
export function helpRoutes(server: FastifyInstance, listener: Listener, documents: PublishedDocuments): void {
  const keep = pagesByHost(listener, documents);
  const guides = readOnce(readGuides);
  const search = readOnce(async () => searchOver(await guides()));
  assetRoutes(server, assetFolder);
  pictureRoutes(server);

  const start = (site: Site) => guides().then((all) => startPage(site, all));
  // If an interface is at the root of the port, /docs is the page of its document.
  if (!listener.mounts.some(({ prefix }) => prefix === ""))
    server.get("/docs", hidden, (request, reply) => keep(request, reply, "start", start));
  server.get(startAddress, hidden, (request, reply) => keep(request, reply, "start", start));
  server.get("/docs/api", hidden, (request, reply) =>
    keep(request, reply, "api", async (site) => documentsPage(site, await guides())),
  );
  server.get("/docs/search", hidden, async (request, reply) => {
    const [query, ...others] = new URLSearchParams(request.url.split("?")[1]).getAll("q");
    const results = query === undefined || others.length > 0 ? [] : (await search())(query);
    return reply.header("cache-control", "no-store").send({ results });
  });

  server.get("/docs/api/:name", hidden, async (request, reply) => {
    const { name } = request.params as { name: string }; // declared in the route
    const link = siteOf(listener, documents, hostNameOf(request.headers.host)).documents.find(
      (one) => one.name === name,
    );
    if (link === undefined) return keep(request, reply, "missing", missing, 404);
    if (link.here !== undefined) return reply.redirect(link.address);
    return keep(request, reply, `api/${link.name}`, (site) => documentPage(site, link, assetFolder));
  });
  server.get("/docs/api/:name/openapi.json", hidden, async (request, reply) => {
    const { name } = request.params as { name: string }; // declared in the route
    const found = [...documents].find(([one]) => one === name)?.[1];
    if (found === undefined) return keep(request, reply, "missing", missing, 404);
    return reply
      .header("cache-control", "public, no-cache")
      .type("application/json; charset=utf-8")
      .send(await found.text());
  });

  server.get("/docs/*", hidden, async (request, reply) => {
    const path = pathOf(request);
    const guide = (await guides()).find(({ address }) => address === path);
    if (guide === undefined) return keep(request, reply, "missing", missing, 404);
    return keep(request, reply, guide.address, async (site) => guidePage(site, guide, await guides()));
  });

  // Former addresses.
  const redirect = (request: FastifyRequest, reply: FastifyReply) => {
    const name = pathOf(request).replace(/^\/help\/?/, "");
    return reply.redirect(Object.hasOwn(moved, name) ? (moved[name] ?? startAddress) : `/docs/${name}`, 301);
  };
  server.get("/help", hidden, redirect);
  server.get("/help/*", hidden, redirect);

  async function missing(site: Site): Promise<Html> {
    const content = html`<p>Check the address, or search the <a href="${startAddress}">documentation</a>.</p>`;
    return framed({ ...frameOf(site, "Page not found", "help", ""), side: guideList(await guides(), ""), content });
  }
}

/** The request's path, without query and trailing slash. */
const pathOf = (request: FastifyRequest) => (request.url.split("?", 1)[0] ?? "").replace(/\/$/, "");

/** Serves the pictures of the documents. */
function pictureRoutes(server: FastifyInstance): void {
  const files = readOnce(readPictures);
  const kept = new Map<string, CachedPage>();
  server.get("/docs/pictures/*", hidden, async (request, reply) => {
    const address = pathOf(request);
    const file = (await files()).get(address);
    if (file === undefined) return reply.callNotFound();
    const type = file.endsWith(".svg") ? "image/svg+xml" : "image/webp";
    const page = kept.get(address) ?? new CachedPage(async () => ({ type, body: await readFile(file) }));
    kept.set(address, page);
    return page.send(request, reply);
  });
}

/** Sends pages, cached by host name, which determines their links. */
function pagesByHost(listener: Listener, documents: PublishedDocuments) {
  const known = knownHostNames(listener);
  const kept = new Map<string, CachedPage>();
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    make: (site: Site) => Promise<Html>,
    status = 200,
  ) => {
    const asked = hostNameOf(request.headers.host);
    const hostName = known.has(asked) ? asked : undefined;
    const key = `${hostName ?? ""} ${name}`;
    const page =
      kept.get(key) ?? new CachedPage(async () => htmlPage(await make(siteOf(listener, documents, hostName))));
    kept.set(key, page);
    return page.send(request, reply, status);
  };
}

function frameOf(site: Site, title: string, section: "help" | "api" | "cli", address: string) {
  return {
    site,
    title,
    section,
    address,
    assets: assetFolder,
    search: "Search documentation",
    searchesAll: true,
  } as const;
}

function guidePage(site: Site, guide: Guide, guides: readonly Guide[]): Html {
  const { title, address, body } = guide;
  const section = address === "/docs/reference/cli" ? "cli" : "help";
  return framed({
    ...frameOf(site, title, section, address),
    side: guideList(guides, address),
    content: html`<div class="guide">${body}</div>`,
  });
}

/** Every document by its group; the group of the open one is expanded, and its headings are shown. */
function guideList(guides: readonly Guide[], open: string): Html {
  const groups = [...Map.groupBy(guides, ({ group }) => group)].filter(
    ([, [first]]) => first?.address !== startAddress,
  );
  return html`${groups.map(([group, inGroup]) => {
    const isOpen = open === "" || inGroup.some(({ address }) => address === open);
    return html`<details class="group"${isOpen && html` open`}><summary>${group}</summary><ul>${inGroup.map(
      ({
        address,
        title,
        headings,
      }) => html`<li><a href="${address}"${address === open && html` aria-current="page"`}>${inline(title)}</a></li>
${address === open && headings.filter(({ level }) => level <= 3).map((one) => html`<li class="within"><a href="${address}#${one.id}">${one.title}</a></li>`)}`,
    )}</ul></details>`;
  })}`;
}

function startPage(site: Site, guides: readonly Guide[]): Html {
  const start = guides.find(({ address }) => address === startAddress);
  if (start === undefined) throw new Error("BUG: there is no docs/README.md");
  const content = html`<div class="guide">${start.body}</div>
<h2 id="api-documents">API documents</h2><p>Each lists every operation of an interface and can send requests.</p>${documentCards(site)}`;
  return framed({ ...frameOf(site, start.title, "help", startAddress), side: guideList(guides, ""), content });
}

function documentsPage(site: Site, guides: readonly Guide[]): Html {
  const content = html`<p>Every interface rents the same inventory. Choose the one that your tools speak; the Control API also manages accounts, tokens and hosts.</p>${documentCards(site)}
<p><a href="/docs/reference/api/conventions">API conventions</a> lists what they have in common.</p>`;
  return framed({ ...frameOf(site, "API documentation", "api", "/docs/api"), side: guideList(guides, ""), content });
}

function documentCards({ documents }: Site): Html {
  return html`<ul class="cards">${documents.map(({ title, address, published, here }) => {
    const { mount, listener, description } = published;
    const base =
      here === undefined
        ? elsewhere(mount.hostName, listener.port, mount.prefix)
        : html`<code>${here.prefix === "" ? "/" : here.prefix}</code>`;
    return html`<li><a href="${address}">${title}</a><p>${inline(description)}</p><p class="soft">Base URL: ${base}</p></li>`;
  })}</ul>`;
}

/** After a failure, the next call tries again. */
function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => {
    known ??= read();
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
}
