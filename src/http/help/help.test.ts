// The pages of the documentation over real HTTP: their headers, that they lead to each other, and that nothing of
// what they show is markup.

import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exchange } from "../../../test/support/console.ts";
import { call, type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import type { Listener } from "../../config/interfaces.ts";
import { html } from "../../rules/html.ts";
import { renderMarkdown } from "./markdown.ts";
import { moved } from "./moved.ts";
import { type OpenApiDocument, operationsOf } from "./reference/document.ts";
import { referencePage } from "./reference/page.ts";

let world: World;
let http: RunningHttp;
beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

/** Where each interface has its document's page; the lambda edition also where it is not. */
const documentPages = () => [
  `${http.marketplace}/docs/`,
  `${http.direct}/docs`,
  `${http.main}/reference/docs/`,
  `${http.reference}/docs/`,
  `${http.lambda}/docs/`,
  `${http.control}/docs/`,
];

/** Every page that can be reached by links from `start`, by its address. */
async function walk(start: string): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  const waiting = [start];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    const { status, text, headers } = await call("GET", next);
    if (status === 302) {
      waiting.push(new URL(headers.get("location") ?? "", next).href);
      continue;
    }
    expect([next, status]).toEqual([next, 200]);
    seen.set(next, headers.get("content-type")?.startsWith("text/html") ? text : "");
    if (!headers.get("content-type")?.startsWith("text/html")) continue;
    for (const target of attributes(text, "(?:href|src)")) {
      const url = new URL(target, next);
      url.hash = "";
      // The console is not built here.
      if (url.origin === new URL(next).origin && url.pathname !== "/") waiting.push(url.href);
    }
  }
  return seen;
}

function attributes(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value = ""]) =>
    value.replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"'),
  );
}

describe("every page", () => {
  it("has the strict policy, exactly, and loads nothing from elsewhere and nothing inlined", async () => {
    for (const page of [
      ...documentPages(),
      `${http.main}/docs/`,
      `${http.main}/docs/reference/cli`,
      `${http.main}/docs/api/lambda`,
      `${http.reference}/docs/start`,
    ]) {
      const { status, headers, text } = await call("GET", page);
      expect([page, status, headers.get("content-type")]).toEqual([page, 200, "text/html; charset=utf-8"]);
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(text).not.toMatch(/<style|<script(?! src="\/[^"]*(?:pages|scheme)\.js"><\/script>)| style="| on\w+="/);
      for (const source of attributes(text, "src")) expect(source).toMatch(/^\//);
    }
  });

  it("leads to every other: each link and each anchor is there, on both ports", async () => {
    for (const start of [`${http.main}/docs/`, `${http.reference}/docs/`]) {
      const pages = await walk(start);
      expect(pages.size).toBeGreaterThan(30);
      const missing: string[] = [];
      for (const [address, text] of pages) {
        for (const target of attributes(text, "href")) {
          const url = new URL(target, address);
          const id = decodeURIComponent(url.hash.slice(1));
          url.hash = "";
          const there = pages.get(url.href);
          if (id !== "" && there !== undefined && !there.includes(` id="${id}"`)) missing.push(`${address}: ${target}`);
        }
      }
      expect(missing).toEqual([]);
    }
  });

  it("has every id once", async () => {
    for (const page of documentPages()) {
      const ids = attributes((await call("GET", page)).text, "id");
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    }
  });

  it("links to help, the documents and the command line, and to the console where that is", async () => {
    for (const [page, console] of [
      [`${http.control}/docs/`, true],
      [`${http.main}/docs/reference/api/conventions`, true],
      [`${http.reference}/docs/`, false],
    ] as const) {
      const { text } = await call("GET", page);
      const bar = /<nav aria-label="Lessor">.*?<\/nav>/s.exec(text)?.[0] ?? "";
      expect(attributes(bar, "href")).toEqual([
        ...(console ? ["/"] : []),
        "/docs/start",
        "/docs/api",
        "/docs/reference/cli",
      ]);
    }
  });

  it("is sent compressed, and not again to who has it", async () => {
    const page = `${http.control}/docs/`;
    const first = await exchange("GET", page, { "accept-encoding": "br" }, undefined, "latin1");
    const bytes = Buffer.from(first.text, "latin1");
    expect(brotliDecompressSync(bytes).toString()).toContain("listInstances");
    expect(bytes.length).toBeLessThan(60_000);
    const etag = String(first.headers.etag);
    expect((await exchange("GET", page, { "accept-encoding": "br", "if-none-match": etag })).status).toBe(304);
  });

  it("is there for an address that is none, with 404", async () => {
    const { status, text } = await call("GET", `${http.main}/docs/nothing/here`);
    expect([status, text]).toEqual([404, expect.stringContaining("Page not found")]);
  });
});

describe("the page of a document", () => {
  it("has an anchor, the path and a form for every operation, on each port", async () => {
    for (const page of documentPages()) {
      const { text } = await call("GET", page);
      const source = attributes(text, "href").find((one) => one.endsWith("/openapi.json")) ?? "";
      const document = (await call("GET", new URL(source, page).href)).body as OpenApiDocument; // openapi.json is one
      const operations = operationsOf(document);
      expect(operations.length).toBeGreaterThan(8);
      const prefix = source.replace(/\/openapi\.json$/, "");
      for (const { operationId, method, path } of operations) {
        expect(text).toContain(`<article class="operation" id="${operationId}"`);
        const [, section = ""] = text.split(`<article class="operation" id="${operationId}">`);
        const [own = ""] = section.split("</article>");
        expect(own).toContain(`data-method="${method}">${method}</span> <code>${prefix}${path}</code></p>`);
        expect(own.match(/<form>/g)).toHaveLength(1);
        expect(text).toContain(`href="#${operationId}"`);
      }
    }
  });

  it("sends nothing where the interface is on another port, and says where that is", async () => {
    const { text } = await call("GET", `${http.main}/docs/api/lambda`);
    expect(text).toContain('id="launchInstance');
    expect(text).not.toContain("<form");
    const moved = await call("GET", `${http.main}/docs/api/control`);
    expect([moved.status, moved.headers.get("location")]).toEqual([302, "/control/v1/docs/"]);
    expect((await call("GET", `${http.main}/docs/api/nothing`)).status).toBe(404);
  });

  it("links to an interface where its host name answers", async () => {
    const main: Listener = {
      name: "main",
      port: 0,
      mounts: [
        { interface: "direct", prefix: "/api/v1", hostName: undefined },
        { interface: "control", prefix: "/control/v1", hostName: "operator.example.com" },
      ],
    };
    const named = await startHttp(world, { config: { listeners: [main] } });
    try {
      const linked = async (host: string) =>
        attributes((await exchange("GET", `${named.main}/docs/api`, { host })).text, "href").filter((one) =>
          /^\/(control\/v1\/docs\/|docs\/api\/control)/.test(one),
        );
      expect(new Set(await linked("operator.example.com"))).toEqual(new Set(["/control/v1/docs/"]));
      expect(new Set(await linked("example.com"))).toEqual(new Set(["/docs/api/control"]));
      const shown = await exchange("GET", `${named.main}/docs/api/control`, { host: "example.com" });
      expect([shown.status, shown.text]).toEqual([200, expect.stringContaining("host name operator.example.com")]);
    } finally {
      await named.close();
    }
  });

  it("escapes what the document says", () => {
    const evil = `<img src=x onerror="alert(1)">'&`;
    const document: OpenApiDocument = {
      info: { title: evil, version: evil, description: evil },
      tags: [{ name: evil, description: evil }],
      paths: {
        [`/x/{${evil}}`]: {
          post: {
            operationId: "one",
            summary: evil,
            description: evil,
            tags: [evil],
            parameters: [{ name: evil, in: "path", required: true, description: evil, schema: { enum: [evil] } }],
            requestBody: {
              content: {
                "application/json": { schema: { $ref: "#/components/schemas/Thing" }, example: { [evil]: evil } },
              },
            },
            responses: { 200: { description: evil, content: { "application/json": { schema: { const: evil } } } } },
          },
        },
      },
      components: { schemas: { Thing: { type: "object", properties: { [evil]: { pattern: evil, default: evil } } } } },
    };
    const { side, content } = referencePage({ document, prefix: "", canSend: true }, html``);
    for (const { text } of [side, content]) {
      expect(text).not.toContain("<img");
      expect(text).not.toMatch(/="[^"]*<[^"]*"/);
    }
    expect(content.text).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&amp;");
  });
});

describe("the address of before", () => {
  it.each(Object.keys(moved))("/help/%s leads to a page", async (name) => {
    const { status, headers } = await call("GET", `${http.main}/help/${name}`);
    expect(status).toBe(301);
    const page = new URL(headers.get("location") ?? "", http.main).href;
    expect((await call("GET", page)).status).toBe(200);
  });

  it("of an API document leads to it", async () => {
    const { status, headers } = await call("GET", `${http.main}/help/api/lambda`);
    expect([status, headers.get("location")]).toEqual([301, "/docs/api/lambda"]);
  });
});

describe("searching all documents", () => {
  const search = async (query: string) => {
    const { body } = await call("GET", `${http.main}/docs/search?${new URLSearchParams({ q: query })}`);
    return (body as { results: { title: string; address: string; excerpt: string }[] }).results;
  };

  it("finds the page about it first, by the beginning of a word too, and leads to its heading", async () => {
    expect((await search("rotate encryption"))[0]?.title).toMatch(/^Rotate encryption keys/);
    expect((await search("idempot retry")).map(({ title }) => title)).toContainEqual(
      expect.stringMatching(/^(API conventions|Launch safely)/),
    );
    const [first] = await search("spend limits");
    const { text } = await call("GET", new URL(first?.address ?? "", http.main).href);
    expect(text).toContain(` id="${first?.address.split("#")[1]}"`);
    expect(first?.excerpt.toLowerCase()).toContain("limit");
  });

  it("finds nothing for nothing, and takes whatever is sent", async () => {
    expect(await search("")).toEqual([]);
    expect(await search("qqqqzzzz")).toEqual([]);
    expect(await search("\u0000<script>'\"(*".repeat(100))).toEqual([]);
    expect((await call("GET", `${http.main}/docs/search?q=a&q=b`)).body).toEqual({ results: [] });
  });
});

describe("a picture of a document", () => {
  it("is served under a policy of its own, loads nothing and runs nothing", async () => {
    for (const name of ["lifecycle.svg", "isolation-libvirt.svg"]) {
      const { status, headers, text } = await call("GET", `${http.main}/docs/pictures/${name}`);
      expect([status, headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      );
      expect(text).not.toMatch(/<script|href=|url\(| on\w+=/);
    }
    expect((await call("GET", `${http.main}/docs/pictures/screens/launch-dark.webp`)).status).toBe(200);
    expect((await call("GET", `${http.main}/docs/pictures/..%2ftables.ts`)).status).toBe(404);
  });
});

describe("documents", () => {
  it("are rendered without a trace of their marks", async () => {
    const pages = await walk(`${http.main}/docs/`);
    const traces = [...pages].flatMap(([address, text]) => {
      const guide = /<div class="guide">(.*)<\/div>\s*<\/main>/s.exec(text)?.[1];
      if (guide === undefined) return [];
      const words = guide.replace(/<pre.*?<\/pre>|<code>.*?<\/code>/gs, "").replace(/<[^>]*>/g, " ");
      const found = words.match(/.{0,30}(\*\*|`|\]\(|^\s*#{1,6} |^\|).{0,30}/gm) ?? [];
      return found.map((trace) => `${address}: ${trace}`);
    });
    expect(traces).toEqual([]);
  });

  it("take HTML as text, and no link that runs something", () => {
    const { body } = renderMarkdown(
      "<script>alert(1)</script> [here](javascript:alert) **a `<b>`** \\*b\\*\n\n- x\n\n  y\n- z",
    );
    expect(body.text).toBe(
      "<p>&lt;script&gt;alert(1)&lt;/script&gt; [here](javascript:alert) <strong>a <code>&lt;b&gt;</code></strong> *b*</p>\n<ul>\n<li>\n<p>x</p>\n<p>y</p>\n</li>\n<li>\n<p>z</p>\n</li>\n</ul>\n",
    );
  });
});

it("has the colors of the console", () => {
  const colors = (file: string) =>
    new Set(
      readFileSync(new URL(file, import.meta.url), "utf8")
        .toLowerCase()
        .match(/#[0-9a-f]{6}\b/g),
    );
  const own = colors("./assets/pages.css");
  expect(own.size).toBeGreaterThan(20);
  expect([...own.difference(colors("../../../console/src/theme.ts"))]).toEqual([]);
  const mark = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8");
  expect(mark("./assets/mark.svg")).toBe(mark("../../../console/src/shell/mark.svg"));
});
