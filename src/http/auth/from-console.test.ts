import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { type CookieUse, isFromConsole } from "./from-console.ts";

const own = { host: "a.example", secure: true };
const ownPage = { origin: "https://a.example", "sec-fetch-site": "same-origin" } as const;
const marked = { "x-lessor-console": "1" };
const stream = { accept: "text/event-stream" };

describe("a cookie counts", () => {
  it.each<[string, CookieUse, IncomingHttpHeaders]>([
    ["with the header, also where a browser says no more", "request", marked],
    ["with the header, from a page of its own", "request", { ...marked, ...ownPage }],
    ["for an event source, which says what it accepts", "stream", { ...stream, "sec-fetch-site": "same-origin" }],
    ["for an event source of a browser by http, which says no more", "stream", stream],
    ["for a stream that is read by a script", "stream", marked],
    ["for a web socket, which says where it is from", "socket", { origin: "https://a.example" }],
    ["for a web socket of a browser that says more", "socket", ownPage],
  ])("%s", (_name, use, headers) => {
    expect(isFromConsole(headers, use, own)).toBe(true);
  });
});

describe("a cookie is nothing", () => {
  it.each<[string, CookieUse, IncomingHttpHeaders]>([
    ["without the header: a form, a link, an image", "request", ownPage],
    ["with another value of it", "request", { ...ownPage, "x-lessor-console": "true" }],
    ["for an event source where a request is asked for", "request", stream],
    ["for an image of a stream", "stream", { accept: "image/*" }],
    ["for a web socket that does not say where it is from", "socket", { ...marked, ...stream }],
    ["for a web socket of another page", "socket", { ...marked, origin: "https://b.example" }],
  ])("%s", (_name, use, headers) => {
    expect(isFromConsole(headers, use, own)).toBe(false);
  });

  it.each(["request", "stream", "socket"] as const)("from another page, whatever it says besides: %s", (use) => {
    const all = { ...marked, ...stream, ...ownPage };
    expect(isFromConsole(all, use, own)).toBe(true);
    for (const origin of ["null", "http://a.example", "https://b.example", "https://x.a.example"])
      expect(isFromConsole({ ...all, origin }, use, own), origin).toBe(false);
    for (const site of ["cross-site", "same-site", "none"])
      expect(isFromConsole({ ...all, "sec-fetch-site": site }, use, own), site).toBe(false);
  });
});
