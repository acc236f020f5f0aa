import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { lines, serverInfo } from "../../../../test/support/check-stand.ts";
import { certificatePath, fingerprint, keyPath } from "../../../../test/support/fake-incus/certificates.ts";
import type { FakeIncus } from "../../../../test/support/fake-incus/fake-incus.ts";
import { beginFake, settingsFor } from "../../../../test/support/fake-incus/stand.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import type { IncusEndpoint } from "../settings/connection.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { checkEndpoints } from "./endpoints.ts";

const check = (endpoints: readonly IncusEndpoint[], tls?: IncusSettings["tls"]) =>
  lines(checkEndpoints(settingsFor({ endpoints, tls }), AbortSignal.timeout(10_000)));

async function fitFake(): Promise<FakeIncus> {
  const fake = await beginFake();
  fake.world.addMember("m1");
  return fake;
}

/** A server that answers this, on a socket of its own. */
async function socketThatSays(text: string): Promise<IncusEndpoint> {
  const path = join(await temporaryDirectory(), "socket");
  const server = createServer((_, response) => response.end(text));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return { kind: "unix", path };
}

const trusting = (trust: NonNullable<IncusSettings["tls"]>["trust"]) => ({
  certificate: certificatePath("client"),
  key: keyPath("client"),
  trust,
});

describe("an endpoint that answers", () => {
  it("is told with its member and its software", async () => {
    const fake = await fitFake();
    const path = await fake.listenUnix(join(await temporaryDirectory(), "socket"));
    expect(await check([{ kind: "unix", path }])).toEqual([`ok endpoint: unix://${path} is m1 (lxd 5.0.2), trusted`]);
  });

  it("may show the certificate that is pinned, or one that the CA issued", async () => {
    const fake = await fitFake();
    const [pinned, signed] = [await fake.listenHttps("server"), await fake.listenHttps("signed")];
    const sha256 = fingerprint("server");
    expect(await check([{ kind: "https", url: pinned }], trusting({ kind: "fingerprint", sha256 }))).toEqual([
      `ok endpoint: ${pinned} is m1 (lxd 5.0.2), trusted`,
    ]);
    const ca = trusting({ kind: "ca", path: certificatePath("ca") });
    expect(await check([{ kind: "https", url: signed }], ca)).toEqual([
      `ok endpoint: ${signed} is m1 (lxd 5.0.2), trusted`,
    ]);
  });

  it("and does not trust us tells how our certificate is added", async () => {
    const endpoint = await socketThatSays(JSON.stringify({ type: "sync", metadata: { auth: "untrusted" } }));
    const tls = trusting({ kind: "ca", path: "unused" });
    expect(await check([endpoint], tls)).toEqual([
      expect.stringMatching(
        /^problem endpoint: .* responds but does not trust Lessor's certificate -> .*incus config trust add-certificate .*client.*lxc config trust add .*client/,
      ),
    ]);
  });

  it.each(["<html>", '{"type":"sync","metadata":[]}', "", '{"type":"error","error":"no"}'])(
    "but not as the API does is told apart: %j",
    async (text) => {
      expect(await check([await socketThatSays(text)])).toEqual([
        expect.stringContaining("the server is not the API of Incus or LXD (HTTP 200) -> correct urls"),
      ]);
    },
  );

  it("with a clock far from ours is warned of", async () => {
    const path = join(await temporaryDirectory(), "socket");
    const answer = JSON.stringify({ type: "sync", metadata: serverInfo() });
    const server = createServer((_, response) => {
      response.setHeader("date", new Date(Date.now() + 3600_000).toUTCString());
      response.end(answer);
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(path, resolve));
    expect((await check([{ kind: "unix", path }]))[1]).toMatch(
      /^warning clock: the clock of m1 is (3599|3600) s ahead of this machine's -> /,
    );
  });
});

describe("an endpoint that cannot be used", () => {
  it("because it shows another certificate than the pinned one says which it shows", async () => {
    const url = await (await fitFake()).listenHttps("other");
    const tls = trusting({ kind: "fingerprint", sha256: fingerprint("server") });
    expect(await check([{ kind: "https", url }], tls)).toEqual([
      expect.stringMatching(
        `problem endpoint: ${url}: its certificate is not the one in tls.fingerprint, but has ${fingerprint("other")} -> `,
      ),
    ]);
  });

  it("because its certificate is not of the CA says so", async () => {
    const url = await (await fitFake()).listenHttps("server");
    const tls = trusting({ kind: "ca", path: certificatePath("ca") });
    expect(await check([{ kind: "https", url }], tls)).toEqual([
      expect.stringContaining("its certificate was not issued by the CA in tls.ca"),
    ]);
  });

  it("because our own files are missing is told and not thrown", async () => {
    const url = await (await fitFake()).listenHttps("server");
    const trust = { kind: "ca", path: certificatePath("ca") } as const;
    const tls = { certificate: "/nowhere.crt", key: "/nowhere.key", trust };
    expect(await check([{ kind: "https", url }], tls)).toEqual([
      expect.stringMatching(/^problem endpoint: https:.*->/),
    ]);
  });

  it("is only warned of where another one can", async () => {
    const fake = await fitFake();
    const path = await fake.listenUnix(join(await temporaryDirectory(), "socket"));
    const gone = { kind: "unix", path: `${path}-gone` } as const;
    expect(await check([gone, { kind: "unix", path }])).toEqual([
      `warning endpoint: unix://${path}-gone: the socket does not exist -> start the daemon, or correct urls`,
      expect.stringMatching(/^ok endpoint/),
    ]);
    expect(await check([gone])).toEqual([expect.stringMatching(/^problem endpoint/)]);
  });
});
