// The client package against a real control interface.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Control, startControl } from "../../test/support/control.ts";
import { given, LessorError, type LessorOptions, lessorClient, type Shape } from "./client.ts";

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control.close());

const operator = (more: Partial<LessorOptions> = {}) =>
  lessorClient({ baseUrl: control.url, token: control.operator.token, ...more });

/** A server that answers everything so; its address. */
async function serverThat(status: number, text: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(text));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a call", () => {
  it("gives the body of the answer, with paths, queries and bodies in their places", async () => {
    const lessor = operator();
    const path = { name: "a region".replace(" ", ".") };
    const put = await given(lessor.PUT("/regions/{name}", { params: { path }, body: { description: "Ä" } }));
    const region: Shape<"Region"> = put.data;
    expect(region).toEqual({ name: "a.region", description: "Ä" });
    const page = await given(lessor.GET("/regions", { params: { query: { limit: 1 } } }));
    expect(page.data).toEqual([region]);
    expect(await given(lessor.DELETE("/regions/{name}", { params: { path } }))).toEqual({ data: {} });
  });

  it("repeated with its Idempotency-Key has no second effect", async () => {
    const make = () =>
      operator().POST("/accounts", { params: { header: { "Idempotency-Key": "one" } }, body: { name: "acme" } });
    const [first, second] = [await make(), await make()];
    expect(second.data).toEqual(first.data);
    expect(second.response.headers.get("idempotency-replayed")).toBe("true");
  });

  it("goes through the fetch that it is given", async () => {
    const seen: string[] = [];
    const lessor = operator({
      fetch: (request) => {
        seen.push(`${request.method} ${request.headers.get("authorization")}`);
        return fetch(request);
      },
    });
    await given(lessor.GET("/account"));
    expect(seen).toEqual([`GET Bearer ${control.operator.token}`]);
  });
});

describe("a refusal", () => {
  it("is thrown with everything that the service says", async () => {
    const refused = given(
      operator().PUT("/regions/{name}", { params: { path: { name: "x" } }, body: { description: "x".repeat(501) } }),
    );
    await expect(refused).rejects.toBeInstanceOf(LessorError);
    await expect(refused).rejects.toMatchObject({
      name: "LessorError",
      message: "description: Must have at most 500 characters.",
      status: 400,
      code: "global/invalid-parameters",
      suggestion: "Correct description and send the request again.",
      requestId: expect.stringMatching(/./),
      fields: { description: { code: "global/invalid-parameters", message: "Must have at most 500 characters." } },
    });
  });

  it("of something that is not this service is one all the same", async () => {
    const lessor = operator({ baseUrl: await serverThat(502, "<html>") });
    await expect(given(lessor.GET("/account"))).rejects.toMatchObject({ name: "LessorError", status: 502, code: "" });
  });

  it("is none where nobody answers: that is fetch's own error", async () => {
    const nobody = operator({ baseUrl: "http://127.0.0.1:1" });
    await expect(given(nobody.GET("/account"))).rejects.toBeInstanceOf(TypeError);
  });
});
