// Look-ups that nobody answers end with the transport, so that a stopped server ends.

import { createSocket } from "node:dgram";
import { Resolver } from "node:dns";
import { once } from "node:events";
import { request } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { createTransport } from "./transport.ts";

it("a transport that is closed gives up the look-ups under way", async () => {
  const mute = createSocket("udp4");
  mute.bind(0, "127.0.0.1");
  await once(mute, "listening");
  onTestFinished(() => void mute.close());
  // Patient beyond the time of this test.
  const nameServers = new Resolver({ timeout: 600_000, tries: 1 });
  nameServers.setServers([`127.0.0.1:${mute.address().port}`]);
  const transport = createTransport({ allowPrivateTargets: false }, undefined, nameServers);
  const url = "https://hooks.example/";
  const dispatcher = transport.connection(url, new AbortController().signal);
  const outcome = request(url, { dispatcher }).then(
    () => "answered",
    (error: NodeJS.ErrnoException) => error.code,
  );
  await once(mute, "message");
  transport.close();
  expect(await outcome).toBe("ECANCELLED");
});
