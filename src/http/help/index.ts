// Help of a port: the guides, the list of all API documents, and documents of interfaces that are on another port. The
// documents of its own interfaces are beside them (../openapi/docs-page.ts), in the same frame. Everything is public, made
// for the first who asks and kept, for each host name that the port's interfaces answer for.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Listener } from "../../config.ts";
import { hostNameOf } from "../edge/virtual-host.ts";
import { documentPage, elsewhere } from "./documents.ts";
import { framed } from "./frame.ts";
import { type Guide, readGuides } from "./guides.ts";
import { type Html, html } from "./html.ts";
import { CachedPage, htmlPage } from "./kept-page.ts";
import { inline } from "./markdown.ts";
import { knownHostNames, type PublishedDocuments, type Site, siteOf } from "./site.ts";

export { documentPage } from "./documents.ts";
export { CachedPage, htmlPage } from "./kept-page.ts";
export { knownHostNames, type PublishedDocuments, siteOf } from "./site.ts";

const hidden = { schema: { hide: true } };

/** What pages load, by name. */
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

/** Serves what the pages load in this folder. */
export function assetRoutes(scope: FastifyInstance, folder: string): void {
  for (const { name, page } of assets)
    scope.get(`${folder}/${name}`, hidden, (request, reply) => page.send(request, reply));
}

/** Serves /help/ on a port. Call it when all interfaces are mounted. */
export function helpRoutes(server: FastifyInstance, listener: Listener, documents: PublishedDocuments): void {
  const keep = pagesByHost(listener, documents);
  const guides = readOnce(readGuides);
  assetRoutes(server, "/help");

  const pages: readonly (readonly [string, (site: Site) => Promise<Html>])[] = [
    ["", async (site) => overview(site, await guides())],
    ["api", async (site) => documentsPage(site, await guides())],
  ];
  for (const [name, make] of pages)
    server.get(`/help${name === "" ? "" : `/${name}`}`, hidden, (request, reply) => keep(request, reply, name, make));

  server.get("/help/api/:name", hidden, async (request, reply) => {
    const { name } = request.params as { name: string }; // the route has it
    const link = siteOf(listener, documents, hostNameOf(request.headers.host)).documents.find(
      (one) => one.name === name,
    );
    if (link === undefined) return keep(request, reply, "missing", missing, 404);
    if (link.here !== undefined) return reply.redirect(link.address);
    return keep(request, reply, `api/${link.name}`, (site) => documentPage(site, link, "/help"));
  });
  server.get("/help/api/:name/openapi.json", hidden, async (request, reply) => {
    const { name } = request.params as { name: string }; // the route has it
    const found = [...documents].find(([one]) => one === name)?.[1];
    if (found === undefined) return keep(request, reply, "missing", missing, 404);
    return reply
      .header("cache-control", "public, no-cache")
      .type("application/json; charset=utf-8")
      .send(await found.text());
  });

  server.get("/help/*", hidden, async (request, reply) => {
    const path = (request.url.split("?", 1)[0] ?? "").replace(/\/$/, "");
    const guide = (await guides()).find(({ address }) => address === path);
    if (guide === undefined) return keep(request, reply, "missing", missing, 404);
    return keep(request, reply, guide.address, async (site) => guidePage(site, guide, await guides()));
  });

  async function missing(site: Site): Promise<Html> {
    const content = html`<p>Check the address, or search <a href="/help/">Help</a>.</p>`;
    return framed({ ...frameOf(site, "Page not found", "help", ""), side: guideList(await guides(), ""), content });
  }
}

/** Sends pages that are kept by what they link to, which the host name decides. */
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
  return { site, title, section, address, assets: "/help" } as const;
}

function guidePage(site: Site, guide: Guide, guides: readonly Guide[]): Html {
  const { title, address, body } = guide;
  const section = address === "/help/cli" ? "cli" : "help";
  return framed({
    ...frameOf(site, title, section, address),
    search: "Search guides",
    side: guideList(guides, address),
    content: html`<div class="guide">${body}</div>`,
  });
}

/** Every guide, with its headings to be found by; those of the open one are shown. */
function guideList(guides: readonly Guide[], open: string): Html {
  return html`${[...Map.groupBy(guides, ({ group }) => group)].map(
    ([group, inGroup]) =>
      html`<section data-group><h2>${group}</h2><ul>${inGroup.map(({ address, title, headings }) => {
        const inPage = headings.filter(({ level }) => level <= 3);
        return html`<li data-search="${title.toLowerCase()}"><a href="${address}"${address === open && html` aria-current="page"`}>${inline(title)}</a></li>
${inPage.map((one) => html`<li class="within" data-search="${`${title} ${one.title}`.toLowerCase()}"${address !== open && html` data-rest hidden`}><a href="${address}#${one.id}">${one.title}</a></li>`)}`;
      })}</ul></section>`,
  )}`;
}

function overview(site: Site, guides: readonly Guide[]): Html {
  const content = html`<p>Guides for customers, operators and contributors. Each API document lists every operation and can send requests.</p>
<h2>API documentation</h2>${documentCards(site)}
${[...Map.groupBy(guides, ({ group }) => group)].map(
  ([group, inGroup]) =>
    html`<h2>${group}</h2><ul class="cards">${inGroup.map(({ address, title }) => html`<li><a href="${address}">${inline(title)}</a></li>`)}</ul>`,
)}`;
  return framed({
    ...frameOf(site, "Help", "help", "/help/"),
    search: "Search guides",
    side: guideList(guides, ""),
    content,
  });
}

function documentsPage(site: Site, guides: readonly Guide[]): Html {
  const content = html`<p>Every interface rents the same inventory. Choose the one that your tools speak; the Control API also manages accounts, tokens and hosts.</p>${documentCards(site)}
<p>The guide <a href="/help/reference/api/conventions">API conventions</a> describes what they have in common.</p>`;
  return framed({ ...frameOf(site, "API documentation", "api", "/help/api"), side: guideList(guides, ""), content });
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

/** Again by the next who asks, where it failed. */
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
