// What a guest runs to take its secrets from the cloud's metadata service (src/engines/guest/secrets-fetcher.py), with the
// Python that the lab has. The service here is a small one; what stands in it is what the engine writes (secrets.ts).

import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { secretsEnd, secretsFor } from "../../src/engines/guest/secrets.ts";
import { secretKey } from "../../src/engines/openstack/labels.ts";
import { guestSpec } from "../support/machine-spec.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterTest } from "../support/when-over.ts";

const script = resolve(import.meta.dirname, "../../src/engines/guest/secrets-fetcher.py");
const secrets = secretsFor(guestSpec({ password: "123456789012345", envVars: { LONG: "x".repeat(5000), A: "it's" } }));

/** In pieces as short as the engine makes them. */
function piecesOf(text: string): Record<string, string> {
  const pieces =
    gzipSync(text)
      .toString("base64")
      .match(/.{1,255}/g) ?? [];
  return Object.fromEntries(pieces.map((piece, index) => [secretKey(index), piece]));
}

/** A metadata service with one answer after another; the last one stays. Undefined: it fails. */
async function serve(answers: readonly (Readonly<Record<string, string>> | undefined)[]) {
  let asked = 0;
  const server = createServer((_request, response) => {
    const meta = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    response.writeHead(meta === undefined ? 500 : 200).end(JSON.stringify({ uuid: "one", meta }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  afterTest(() => void server.close());
  // `listen` has resolved, so it is an address and not a path.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/meta_data.json`, asked: () => asked };
}

async function fetchInto(path: string, url: string, seconds = 30): Promise<void> {
  await promisify(execFile)("python3", [script, url, path, secretsEnd, `${seconds}`]);
}

it("waits until the secrets are there, and writes them whole, for root alone", async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, "secrets");
  const { url } = await serve([undefined, { other: "metadata" }, piecesOf(secrets.slice(0, 20)), piecesOf(secrets)]);
  await fetchInto(path, url);
  expect(readFileSync(path, "utf8")).toBe(secrets);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(["secrets"]);
});

it("asks nothing where the secrets are kept already, as at every later boot", async () => {
  const path = join(await temporaryDirectory(), "secrets");
  writeFileSync(path, secrets);
  const { url, asked } = await serve([piecesOf("other")]);
  await fetchInto(path, url);
  expect([readFileSync(path, "utf8"), asked()]).toEqual([secrets, 0]);
});

it("gives up when its time is over, and leaves nothing behind", async () => {
  const directory = await temporaryDirectory();
  const { url } = await serve([{}]);
  await fetchInto(join(directory, "secrets"), url, 1);
  expect(readdirSync(directory)).toEqual([]);
});
