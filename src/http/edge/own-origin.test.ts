import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { createOwnOrigin, isOwn } from "./own-origin.ts";

/** The own origin of a request over a connection from `peer` with these headers. */
function ownOf(trusted: readonly string[], peer: string, headers: IncomingHttpHeaders) {
  const socket = { remoteAddress: peer } as IncomingMessage["socket"]; // all that is read of it
  return createOwnOrigin(trusted)({ headers, socket });
}

describe("what a request was asked as", () => {
  const host = "console.example:8080";
  const forged = { "x-forwarded-proto": "https", "x-forwarded-host": "evil.example", "x-forwarded-for": "203.0.113.9" };

  it("is its Host header by http, where no proxy is trusted, whatever else it says", () => {
    expect(ownOf([], "192.0.2.1", { host, ...forged })).toEqual({ host, secure: false });
    expect(ownOf(["10.0.0.0/8"], "192.0.2.1", { host, ...forged })).toEqual({ host, secure: false });
  });

  it("is what a trusted proxy says", () => {
    const headers = { host: "backend:8080", "x-forwarded-proto": "https", "x-forwarded-host": "Console.example" };
    expect(ownOf(["10.0.0.0/8"], "10.1.2.3", headers)).toEqual({ host: "console.example", secure: true });
    expect(ownOf(["10.0.0.0/8"], "10.1.2.3", { host, "x-forwarded-proto": "HTTPS" })).toEqual({ host, secure: true });
    expect(ownOf(["10.0.0.0/8"], "10.1.2.3", { host })).toEqual({ host, secure: false });
  });

  it("is what the outermost of several trusted proxies says, and not what stands before that", () => {
    const headers = {
      host,
      "x-forwarded-for": "192.0.2.66, 203.0.113.9, 10.0.0.2",
      "x-forwarded-proto": "http, https, http",
    };
    expect(ownOf(["10.0.0.0/8"], "10.0.0.1", headers)).toEqual({ host, secure: true });
    expect(ownOf(["10.0.0.1"], "10.0.0.1", headers)).toEqual({ host, secure: false });
  });

  it("has no port that its protocol has anyway", () => {
    expect(ownOf(["10.0.0.1"], "10.0.0.1", { host: "a.example:443", "x-forwarded-proto": "https" }).host).toBe(
      "a.example",
    );
    expect(ownOf([], "10.0.0.1", { host: "a.example:80" }).host).toBe("a.example");
    expect(ownOf([], "10.0.0.1", { host: "[::1]:8080" }).host).toBe("[::1]:8080");
  });

  it.each([undefined, "", "a b", "user@host", "a/b", "a?b"])(
    "is unknown where the Host header is no host: %j",
    (wrong) => {
      expect(ownOf([], "10.0.0.1", wrong === undefined ? {} : { host: wrong }).host).toBeUndefined();
    },
  );
});

describe("an Origin header", () => {
  const byHttp = { host: "a.example:8080", secure: false };
  const byHttps = { host: "a.example", secure: true };

  it("is the request's own where protocol, name and port are", () => {
    expect(isOwn("http://a.example:8080", byHttp)).toBe(true);
    expect(isOwn("https://a.example", byHttps)).toBe(true);
  });

  it("may be https where https ended at a proxy that nobody told us of", () => {
    expect(isOwn("https://a.example", { host: "a.example", secure: false })).toBe(true);
    expect(isOwn("https://a.example", { host: "a.example:443", secure: false })).toBe(true);
  });

  it.each([
    ["null", byHttp],
    ["", byHttp],
    ["http://a.example", byHttp],
    ["http://a.example:8081", byHttp],
    ["http://b.example:8080", byHttp],
    ["http://x.a.example:8080", byHttp],
    ["http://a.example:8080.evil.example", byHttp],
    ["http://a.example:8080/", byHttp],
    ["http://evil.example@a.example:8080", byHttp],
    ["file://a.example:8080", byHttp],
    ["http://a.example", byHttps],
    ["https://b.example", byHttps],
    ["http://a.example", { host: undefined, secure: false }],
  ])("%j is another one", (origin, own) => {
    expect(isOwn(origin, own)).toBe(false);
  });
});
