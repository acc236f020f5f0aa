// Who is trusted over HTTPS, with real TLS and certificates of the tests' own.

import { describe, expect, it, onTestFinished } from "vitest";
import { failure, signal } from "../../../../test/support/engine-calls.ts";
import { certificatePath, fingerprint, keyPath } from "../../../../test/support/fake-incus/certificates.ts";
import type { FakeIncus } from "../../../../test/support/fake-incus/fake-incus.ts";
import { beginFake, settingsFor } from "../../../../test/support/fake-incus/stand.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { NoAnswer } from "./api-error.ts";
import { Client } from "./client.ts";

type Trust = NonNullable<IncusSettings["tls"]>["trust"];

const pinned: Trust = { kind: "fingerprint", sha256: fingerprint("server") };
const byAuthority: Trust = { kind: "ca", path: certificatePath("ca") };
const secretBody = { method: "POST", body: { name: "x", type: "container", config: {}, devices: {} } } as const;

function clientOf(trust: Trust, ...urls: string[]): Client {
  const tls = { certificate: certificatePath("client"), key: keyPath("client"), trust };
  const client = new Client(settingsFor({ endpoints: urls.map((url) => ({ kind: "https", url })), tls }));
  onTestFinished(() => client.close());
  return client;
}

async function fakeWith(certificate: "server" | "other" | "signed"): Promise<{ fake: FakeIncus; url: string }> {
  const fake = await beginFake();
  return { fake, url: await fake.listenHttps(certificate) };
}

describe("a server whose certificate's fingerprint is the one that is trusted", () => {
  it("is talked to, and is shown the client's certificate", async () => {
    const { fake, url } = await fakeWith("server");
    const client = clientOf(pinned, url);
    await client.call("/1.0", {}, signal());
    await client.call("/1.0/instances", secretBody, signal());
    expect(fake.requests.map((one) => one.clientFingerprint)).toEqual(Array(2).fill(fingerprint("client")));
  });

  it("is talked to again on connections that resume a session", async () => {
    const { fake, url } = await fakeWith("server");
    const client = clientOf(pinned, url);
    await client.call("/1.0", {}, signal());
    // Several at once need connections of their own.
    await Promise.all([1, 2, 3].map(() => client.call("/1.0", {}, signal())));
    expect(fake.requests.length).toBe(4);
  });

  it("gives WebSockets too, although it prefers HTTP/2, which has none there", async () => {
    const { fake, url } = await fakeWith("server");
    const socket = clientOf(pinned, url).socket("/1.0/events", { type: "lifecycle" });
    const opened = Promise.withResolvers<void>();
    socket.addEventListener("open", () => opened.resolve());
    socket.addEventListener("error", () => opened.reject(new Error("it was not opened")));
    await opened.promise;
    expect(fake.requests[0]?.clientFingerprint).toBe(fingerprint("client"));
  });
});

describe("a server with another certificate", () => {
  it.each(["other", "signed"] as const)("(%s) never gets anything of a request", async (certificate) => {
    const { fake, url } = await fakeWith(certificate);
    const client = clientOf(pinned, url);
    const error = await failure(client.call("/1.0/instances", secretBody, signal()));
    expect(error).toBeInstanceOf(NoAnswer);
    expect(String(error)).toContain("another fingerprint");
    expect(String(error)).toContain(fingerprint(certificate));
    await failure(client.call("/1.0", {}, signal()));
    expect(fake.requests).toEqual([]);
  });

  it("never gets a WebSocket's request, which would hold the secret of a session", async () => {
    const { fake, url } = await fakeWith("other");
    const socket = clientOf(pinned, url).socket("/1.0/operations/x/websocket", { secret: "s" });
    const failed = Promise.withResolvers<void>();
    socket.addEventListener("error", () => failed.resolve());
    socket.addEventListener("open", () => failed.reject(new Error("it was opened")));
    await failed.promise;
    expect(fake.requests).toEqual([]);
  });

  it("is passed over, for changes too, where another endpoint has the right one", async () => {
    const wrong = await fakeWith("other");
    const right = await fakeWith("server");
    await clientOf(pinned, wrong.url, right.url).call("/1.0/instances", secretBody, signal());
    expect([wrong.fake.requests.length, right.fake.requests.length]).toEqual([0, 1]);
  });
});

describe("where a certificate authority is trusted", () => {
  it("a server with a certificate of it is talked to, and shown the client's", async () => {
    const { fake, url } = await fakeWith("signed");
    await clientOf(byAuthority, url).call("/1.0", {}, signal());
    expect(fake.requests[0]?.clientFingerprint).toBe(fingerprint("client"));
  });

  it("a server without one never gets anything of a request", async () => {
    const { fake, url } = await fakeWith("server");
    expect(await failure(clientOf(byAuthority, url).call("/1.0", {}, signal()))).toBeInstanceOf(NoAnswer);
    expect(fake.requests).toEqual([]);
  });

  it("a server with one for another name never gets anything of a request", async () => {
    const { fake, url } = await fakeWith("signed");
    const elsewhere = url.replace("127.0.0.1", "127.0.0.1.nip.invalid");
    expect(await failure(clientOf(byAuthority, elsewhere).call("/1.0", {}, signal()))).toBeInstanceOf(NoAnswer);
    expect(fake.requests).toEqual([]);
  });
});

it("a certificate file that is not there is found out at once", () => {
  const tls = { certificate: "/does/not/exist", key: keyPath("client"), trust: pinned };
  expect(() => new Client(settingsFor({ endpoints: [{ kind: "https", url: "https://127.0.0.1:1" }], tls }))).toThrow(
    "ENOENT",
  );
});
