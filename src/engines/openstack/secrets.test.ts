import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { expect, it, vi } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import {
  beginEngines,
  booted,
  type EngineStand,
  serverOf,
  serversOf,
} from "../../../test/support/fake-openstack/engines.ts";
import { guestSpec } from "../../../test/support/machine-spec.ts";
import type { MachineSpec } from "../engine.ts";
import { secretsFor } from "../guest/secrets.ts";

/** So much that it does not fit in one item, also compressed. */
const value = randomBytes(600).toString("base64");
const guest = guestSpec({
  envVars: { KEY: value, OTHER: "a secret value" },
  password: "123456789012345",
  jupyterToken: "token-1",
});

/** The secrets as the guest put them together. */
function readBy(stand: EngineStand, machine: MachineSpec): string {
  const { guestRead = {} } = serverOf(stand, machine);
  const pieces = Object.entries(guestRead).filter(([key]) => key.startsWith("lessor-secret-"));
  const number = (key: string) => Number(key.split("-").at(-1));
  const text = pieces.sort(([a], [b]) => number(a) - number(b)).map(([, piece]) => piece);
  expect(text.length).toBeGreaterThan(1);
  return gunzipSync(Buffer.from(text.join(""), "base64")).toString();
}

it("no order of a server contains a secret, in any form", async () => {
  const stand = await beginEngines();
  const spec = stand.spec({ guest });
  await booted(stand.engine, spec);
  const [order] = stand.fake.seen("compute", "POST", /servers$/);
  const said: { server: { user_data: string } } = JSON.parse(String(order?.body));
  const userData = gunzipSync(Buffer.from(said.server.user_data, "base64")).toString();
  const texts = [String(order?.body), userData];
  for (const secret of [value, "a secret value", "123456789012345", "token-1"])
    for (const form of [secret, Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("hex")])
      for (const text of texts) expect(text).not.toContain(form.replace(/=+$/, ""));
});

it("the guest gets them in pieces, in one request, and they are removed once it is usable", async () => {
  const stand = await beginEngines();
  const spec = stand.spec({ guest });
  await booted(stand.engine, spec);
  expect(stand.fake.seen("compute", "POST", /metadata$/)).toHaveLength(1);
  expect(readBy(stand, spec)).toBe(secretsFor(guest));
  await eventually(() => Object.keys(serverOf(stand, spec).metadata).sort()).toEqual([
    "lessor-account",
    "lessor-gpus",
    "lessor-host",
    "lessor-told",
  ]);
});

it.each(["inspect", "list"] as const)("that are not removed at the first time are at the next %s", async (next) => {
  const stand = await beginEngines();
  const spec = stand.spec({ guest });
  stand.fake.faults.add("compute", "PUT", /metadata$/, { fail: { status: 500 } }, Number.POSITIVE_INFINITY);
  const looks = vi.spyOn(stand.engine, "inspect");
  await booted(stand.engine, spec);
  const reports = await Promise.all(
    looks.mock.results.map(({ value }) => value as Promise<{ usable: boolean } | undefined>),
  );
  const tried = reports.filter((one) => one?.usable === true).map(() => 500);
  await eventually(() => stand.fake.seen("compute", "PUT", /metadata$/).map(({ status }) => status)).toEqual(tried);
  expect(Object.keys(serverOf(stand, spec).metadata)).toContain("lessor-secret-0");
  stand.fake.faults.clear();
  // What is listed as ready is not looked at singly.
  if (next === "list") await stand.engine.list(signal());
  else await stand.another().inspect(spec, signal());
  await eventually(() => Object.keys(serverOf(stand, spec).metadata)).not.toContain("lessor-secret-0");
});

it("a list leaves those to a guest that is not ready yet", async () => {
  const stand = await beginEngines();
  stand.world.guestAnswers = () => false;
  const spec = stand.spec({ guest });
  await stand.engine.create(spec, signal());
  await eventually(async () => {
    await stand.engine.start(spec, signal()).catch(() => {});
    return Object.keys(serverOf(stand, spec).metadata);
  }).toContain("lessor-told");
  await stand.engine.list(signal());
  expect(Object.keys(serverOf(stand, spec).metadata)).toContain("lessor-secret-0");
});

it("more than the cloud takes is refused", async () => {
  const stand = await beginEngines();
  const spec = stand.spec({ guest: guestSpec({ envVars: { KEY: randomBytes(30_000).toString("base64") } }) });
  expect(await failure(booted(stand.engine, spec))).toMatchObject({ kind: "refused", code: "secrets-too-large" });
  expect(serversOf(stand, spec)).toEqual([]);
});

it("user data that is larger than the cloud takes is refused, before anything is made", async () => {
  const stand = await beginEngines();
  const userData = `#!/bin/sh\n# ${randomBytes(60_000).toString("hex")}\n`;
  const spec = stand.spec({ guest: guestSpec({ userData }) });
  expect(await failure(stand.engine.create(spec, signal()))).toMatchObject({
    kind: "refused",
    code: "user-data-too-large",
  });
  expect(stand.world.networks.ports.size).toBe(0);
});
