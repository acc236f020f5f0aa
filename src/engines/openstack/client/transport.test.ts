// Who is trusted over HTTPS, with real TLS and certificates of the tests' own.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../../test/support/engine-calls.ts";
import { certificatePath, keyPath } from "../../../../test/support/fake-incus/certificates.ts";
import { beginCloud } from "../../../../test/support/small-cloud.ts";
import { NoAnswer } from "./api-error.ts";
import { Client } from "./client.ts";

const ours = { cert: certificatePath("client"), key: keyPath("client") };
const begin = (name: "signed" | "server", more: object = {}) =>
  beginCloud({ cert: readFileSync(certificatePath(name)), key: readFileSync(keyPath(name)), ...more });

describe("where cacert names a certificate authority", () => {
  it("a server with a certificate of it is talked to, and it is known when that expires", async () => {
    const cloud = await begin("signed");
    const client = cloud.client({ ca: certificatePath("ca") });
    expect(client.certificates).toEqual([]);
    expect((await client.project(signal())).id).toBe("p1");
    expect(client.certificates).toEqual([{ which: "The certificate of the server", expires: expect.any(Date) }]);
  });

  it("a server without one never gets anything of a request", async () => {
    const cloud = await begin("server");
    const error = await failure(cloud.client({ ca: certificatePath("ca") }).project(signal()));
    expect(error).toBeInstanceOf(NoAnswer);
    expect(cloud.requests).toEqual([]);
  });

  it("a server with one for another name never gets anything of a request", async () => {
    const cloud = await begin("signed");
    const authUrl = `${cloud.url.replace("127.0.0.1", "localhost.localdomain.invalid")}/v3`;
    expect(await failure(cloud.client({ ca: certificatePath("ca"), authUrl }).project(signal()))).toBeInstanceOf(
      NoAnswer,
    );
    expect(cloud.requests).toEqual([]);
  });
});

it("without cacert, only the operating system's authorities are trusted", async () => {
  const cloud = await begin("signed");
  expect(await failure(cloud.client().project(signal()))).toBeInstanceOf(NoAnswer);
  expect(cloud.requests).toEqual([]);
});

it("a server that asks for it is shown our certificate", async () => {
  const cloud = await begin("signed", { requestCert: true, rejectUnauthorized: false });
  const client = cloud.client({ ca: certificatePath("ca"), certificate: ours });
  await client.project(signal());
  expect(client.certificates.map(({ which }) => which)).toEqual([
    "The certificate of the server",
    "The certificate of Lessor",
  ]);
});

it("a certificate file that is not there is found out at once", async () => {
  const cloud = await beginCloud();
  expect(() => new Client(cloud.access({ ca: "/does/not/exist" }))).toThrow("ENOENT");
});
