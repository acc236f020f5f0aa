import { describe, expect, it } from "vitest";
import { RequestBytes } from "./request-bytes.ts";

describe("a request's bytes", () => {
  it("are a whole HTTP/1.1 request", () => {
    const bytes = new RequestBytes({ method: "GET", path: "/a?b=1", headers: { authorization: "Bearer t" } });
    expect(bytes.numbered(1).toString()).toBe(
      "GET /a?b=1 HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer t\r\n\r\n",
    );
  });

  it("carry a new number wherever it is asked for, and a length that counts it", () => {
    const request = {
      method: "POST",
      path: "/é/{#}",
      headers: { "idempotency-key": "k-{#}" },
      body: '{"a":"{#}"}',
    } as const;
    const bytes = new RequestBytes(request);
    expect(bytes.numbered(255).toString()).toBe(
      'POST /é/0000000000ff HTTP/1.1\r\nhost: 127.0.0.1\r\nidempotency-key: k-0000000000ff\r\ncontent-length: 20\r\n\r\n{"a":"0000000000ff"}',
    );
    expect(bytes.numbered(16).toString()).toContain("k-000000000010");
  });

  it("of one request are not changed by the next", () => {
    const bytes = new RequestBytes({ method: "GET", path: "/{#}", headers: {} });
    const first = bytes.numbered(1);
    bytes.numbered(2);
    expect(first.toString()).toContain("/000000000001 ");
  });

  it("count the length of a body in bytes", () => {
    const bytes = new RequestBytes({ method: "POST", path: "/", headers: {}, body: "é" });
    expect(bytes.numbered(0).toString()).toContain("content-length: 2\r\n");
  });
});
