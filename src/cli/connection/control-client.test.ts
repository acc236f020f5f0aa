// The command line's HTTP, against a real server that shows what arrived.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { CommandError } from "../command-error.ts";
import { controlBase } from "./connection.ts";
import { clientFromEnvironment, controlClient } from "./control-client.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on a free port; gives its URL. Gone after the test. */
async function serverThat(handle: Handler): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers with the request's own method, path, headers and body. */
const echo: Handler = async (request, response) => {
  const { method, url, headers } = request;
  const body = (await request.toArray()).join("");
  response.end(JSON.stringify({ data: { method, url, headers, body } }));
};

const answering =
  (status: number, body: unknown): Handler =>
  (_, response) =>
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));

describe("a call", () => {
  it("sends method, path, token and body, and gives the answer's data", async () => {
    const client = controlClient(`${await serverThat(echo)}/control/v1`, "a-token");
    expect(await client.call("PUT", "/regions/a", { description: "Ä" })).toMatchObject({
      method: "PUT",
      url: "/control/v1/regions/a",
      headers: { authorization: "Bearer a-token", "content-type": "application/json" },
      body: '{"description":"Ä"}',
    });
  });

  it("sends the host name that the interface answers for, and otherwise the address", async () => {
    const base = await serverThat(echo);
    const named = controlClient(base, "a-token", "c.example.com");
    expect(await named.call("GET", "/regions")).toMatchObject({ headers: { host: "c.example.com" } });
    const plain = controlClient(base, "a-token");
    expect(await plain.call("GET", "/regions")).toMatchObject({ headers: { host: new URL(base).host } });
  });

  it("says so where no service answers, where it answers too late, and where it is something else", async () => {
    await expect(controlClient("http://127.0.0.1:1", "t").call("GET", "/")).rejects.toThrow(
      "Can't connect to http://127.0.0.1:1.",
    );
    const silent = controlClient(await serverThat(() => {}), "t", undefined, 50);
    await expect(silent.call("GET", "/")).rejects.toThrow("did not respond within 0.05 seconds");
    const stuck = controlClient(await serverThat((_, response) => response.write("{")), "t", undefined, 50);
    await expect(stuck.call("GET", "/")).rejects.toThrow("did not respond within 0.05 seconds");
    const other = controlClient(await serverThat(answering(200, "<html>")), "t");
    await expect(other.call("GET", "/")).rejects.toThrow("The response (200) is not from a Lessor service.");
  });
});

describe("a refusal", () => {
  const refusedWith = async (body: unknown) => {
    const client = controlClient(await serverThat(answering(400, body)), "t");
    return client.call("GET", "/").catch((error: unknown) => error);
  };

  it("with one field is said once", async () => {
    const problem = 'There is no region named "x".';
    const refused = await refusedWith({
      error: { message: `region: ${problem}`, suggestion: "List what exists." },
      field_errors: { region: { message: problem } },
    });
    expect(refused).toBeInstanceOf(CommandError);
    expect(refused).toMatchObject({ message: `region: ${problem}`, suggestion: "List what exists." });
  });

  it("with several fields says what is wrong with each", async () => {
    const refused = await refusedWith({
      error: { message: "Some fields are not valid: gpus, vcpus." },
      field_errors: { gpus: { message: "Must be an array." }, vcpus: { message: "Must be an integer." } },
    });
    expect(refused).toMatchObject({
      message: "Some fields are not valid: gpus, vcpus. gpus: Must be an array. vcpus: Must be an integer.",
    });
  });
});

describe("LESSOR_URL", () => {
  it.each([
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080/control/v1"],
    ["http://127.0.0.1:8080/", "http://127.0.0.1:8080/control/v1"],
    ["https://lessor.example.com/admin", "https://lessor.example.com/admin"],
    ["https://lessor.example.com/admin/", "https://lessor.example.com/admin"],
  ])("%s means the control interface at %s", (address, base) => {
    expect(controlBase(address)).toBe(base);
  });

  it.each(["127.0.0.1:8080", "localhost:8080", "ftp://x", "http://"])("%s is refused", (address) => {
    expect(() => clientFromEnvironment({ LESSOR_TOKEN: "t", LESSOR_URL: address })).toThrow("LESSOR_URL is not");
  });
});
