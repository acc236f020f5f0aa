// What a webhook's target does not give: an address, or a connection. It fails that delivery, and nothing else.

import { request } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTransport } from "./transport.ts";

type Resolve = Parameters<typeof createTransport>[1];

function failureOf(url: string, allowPrivateTargets: boolean, resolve?: Resolve): Promise<unknown> {
  const dispatcher = createTransport({ allowPrivateTargets }, resolve).connection(url, new AbortController().signal);
  onTestFinished(() => dispatcher.destroy());
  return request(url, { method: "POST", dispatcher }).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("a delivery", () => {
  it("to a name that does not exist fails", async () => {
    const notFound = Object.assign(new Error("not found"), { code: "ENOTFOUND" });
    expect(await failureOf("https://hooks.invalid/", false, () => Promise.reject(notFound))).toBe(notFound);
  });

  it("to a name without addresses fails", async () => {
    expect(await failureOf("https://hooks.invalid/", false, async () => [])).toMatchObject({ code: "ENOTFOUND" });
  });

  it("to a port where nobody listens fails", async () => {
    expect(await failureOf("http://127.0.0.1:1/", true)).toMatchObject({ code: "ECONNREFUSED" });
  });
});
