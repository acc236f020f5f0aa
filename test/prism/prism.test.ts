// That Prism really looks: services that answer what their document does not have are caught, and so are requests that are
// taken although the document does not allow them. Otherwise a suite that it finds nothing in would say nothing.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { callThrough, counted } from "./through.ts";

const key = { id: "0198c5a0-11aa-7bb2-9cc3-dd44ee55ff66", name: "laptop", public_key: "ssh-ed25519 AAAA" };

/** A service that answers everything with this; its base address. Gone after the test. */
async function serviceThat(status: number, body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((_, response) =>
    response
      .writeHead(status, { "content-type": "application/json; charset=utf-8", "x-request-id": "1", ...headers })
      .end(JSON.stringify(body)),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Prism as the suite has it, and a tally of this test's own. */
async function prismHere() {
  const prism = inject("prism");
  if (prism === undefined) throw new Error("run it with npm run test:prism");
  return { ...prism, tally: join(await temporaryDirectory(), "tally") };
}

const list = async (status: number, body: unknown) => {
  const upstream = await serviceThat(status, body);
  return callThrough("reference", upstream, "GET", "/ssh-keys", { token: "x" }, await prismHere());
};

describe("Prism in front of a service", () => {
  it("passes an answer on that its document has", async () => {
    expect((await list(200, { data: [key] })).body).toEqual({ data: [key] });
  });

  it.each([
    ["without a field", 200, { data: [{ ...key, name: undefined }] }],
    ["with a field of another type", 200, { data: [{ ...key, name: 7 }] }],
    ["in another envelope", 200, [key]],
    ["with a success that is not documented", 202, { data: [key] }],
    ["with an error of another shape", 401, { message: "no" }],
  ])("refuses one %s, and the test fails", async (_, status, body) => {
    await expect(list(status, body)).rejects.toThrow("Prism says of the answer");
  });

  it("refuses a request that its document does not have; taken by the service all the same, it fails the test", async () => {
    const prism = await prismHere();
    const add = (upstream: string, options: object) =>
      callThrough("reference", upstream, "POST", "/ssh-keys", { token: "x", ...options }, prism);
    const takes = await serviceThat(200, { data: [key] });
    expect(await add(await serviceThat(400, { error: {} }), { body: { name: 7 } })).toMatchObject({ status: 400 });
    await expect(add(takes, { body: { name: 7 } })).rejects.toThrow("the service takes it, and Prism says");
    const text = { headers: { "content-type": "text/plain" }, body: '{"name":"laptop"}' };
    expect(await add(takes, text)).toMatchObject({ status: 200 });
    expect(await add(takes, { headers: { authorization: "bEARER  x" }, body: { name: "x" } })).toMatchObject({
      status: 200,
    });
    expect(await callThrough("reference", takes, "GET", "/instances/%zz", {}, prism)).toMatchObject({ status: 200 });
    const fates = readFileSync(prism.tally, "utf8").trim().split("\n");
    const expected = ["refused", "request violation", "lenient", "lenient", "unreadable"];
    expect(fates).toEqual(expected.map((fate) => `reference\t${fate}`));
  });
});

it("the tally counts what became of each request", () => {
  const [reference, control, all] = counted("reference\tchecked\ncontrol\trefused\nreference\tresponse violation\n");
  expect(reference).toMatch(/^reference: 1 requests .* checked, 1 violations in answers, 0 .* 0 refused/);
  expect(control).toMatch(/^control: 0 requests .* 1 refused/);
  expect(all).toMatch(/^all: 1 requests .* 1 violations .* 1 refused/);
});
