import { expect, it } from "vitest";
import { askFake } from "./asking.ts";
import { beginStand } from "./stand.ts";

const servers = "/v2.1/servers";

async function begin() {
  const stand = await beginStand();
  const { world, image } = stand;
  const ask = await askFake(stand);
  const flavor = world.addFlavor("small", { vcpus: 2, ram: 4096, disk: 20 });
  const order = { server: { name: "s", imageRef: image.id, flavorRef: flavor.id, networks: "none", tags: ["mine"] } };
  const create = async () => {
    const { body } = await ask("compute", "POST", servers, order);
    return world.servers.get((body as { server: { id: string } }).server.id) ?? expect.unreachable();
  };
  return { ...stand, ask, order, create };
}

it("a response can be lost after the order was carried out, or before it", async () => {
  const { fake, world, ask, order } = await begin();
  fake.faults.add("compute", "POST", /\/servers$/, { drop: "after" });
  await expect(ask("compute", "POST", servers, order)).rejects.toThrow();
  expect(world.tagged("mine")).toHaveLength(1);
  fake.faults.add("compute", "POST", /\/servers$/, { drop: "before" });
  await expect(ask("compute", "POST", servers, order)).rejects.toThrow();
  expect(world.tagged("mine")).toHaveLength(1);
});

it("refuses as told, in the service's own words for the status, with Retry-After, as often as told", async () => {
  const { fake, ask } = await begin();
  fake.faults.add("compute", "GET", /\/limits$/, { fail: { status: 413, message: "wait", retryAfter: 3 } }, 2);
  fake.faults.add("network", "GET", /\/ports$/, { fail: { status: 429, retryAfter: 1 } });
  for (let index = 0; index < 2; index++) {
    const { status, headers, body } = await ask("compute", "GET", "/v2.1/limits");
    expect([status, headers.get("retry-after"), body]).toEqual([
      413,
      "3",
      { overLimit: { code: 413, message: "wait" } },
    ]);
  }
  expect((await ask("compute", "GET", "/v2.1/limits")).status).toBe(200);
  expect(await ask("network", "GET", "/v2.0/ports")).toMatchObject({ status: 429, body: { NeutronError: {} } });
});

it("quotas refuse servers with 403, and ports with 409", async () => {
  const { world, ask, order, network } = await begin();
  Object.assign(world.quotas, { cores: 3, port: 0 });
  expect((await ask("compute", "POST", servers, order)).status).toBe(202);
  expect(await ask("compute", "POST", servers, order)).toMatchObject({
    status: 403,
    body: { forbidden: { message: "Quota exceeded for cores: Requested 2, but already used 2 of 3 cores" } },
  });
  const refused = await ask("network", "POST", "/v2.0/ports", { port: { network_id: network.id } });
  expect(refused).toMatchObject({ status: 409, body: { NeutronError: { type: "OverQuota" } } });
});

it("no service accepts a token that is revoked, or that expired by the services' clock", async () => {
  const { fake, ask, ...stand } = await begin();
  fake.identity.revokeTokens();
  const paths = {
    compute: servers,
    network: "/v2.0/ports",
    image: "/v2/images",
    placement: "/resource_providers",
  } as const;
  for (const [service, path] of Object.entries(paths))
    expect((await ask(service as keyof typeof paths, "GET", path)).status).toBe(401);
  fake.identity.tokenSeconds = 60;
  fake.identity.clockAheadMs = 3_600_000;
  const again = await askFake({ ...stand, fake });
  const { status, headers } = await again("compute", "GET", servers);
  expect(status).toBe(200);
  expect(Date.parse(headers.get("date") ?? "")).toBeGreaterThan(Date.now() + 3_500_000);
  fake.identity.clockAheadMs += 61_000;
  expect((await again("compute", "GET", servers)).status).toBe(401);
});

it("a service that is stopped refuses connections, and is where it was when it begins again", async () => {
  const { fake, ask } = await begin();
  await fake.stop("identity");
  await expect(fetch(fake.authUrl)).rejects.toThrow();
  await fake.stop("compute");
  await expect(ask("compute", "GET", servers)).rejects.toThrow();
  await fake.begin("compute");
  expect((await ask("compute", "GET", servers)).status).toBe(200);
  await fake.begin("identity");
  expect((await fetch(fake.authUrl)).status).toBe(200);
});

it("what is held goes on when it is released", async () => {
  const { fake, world, create } = await begin();
  fake.faults.add("compute", "POST", /\/servers$/, { hold: true });
  const server = await create();
  expect(server).toMatchObject({ status: "BUILD", task: "spawning", host: "gpu1" });
  world.timers.release(server.id);
  expect(server).toMatchObject({ status: "ACTIVE", task: null });
});

it("a spawn fails as told", async () => {
  const { fake, create } = await begin();
  const spawns = ["no-host", "exhausted", { message: "the disk is gone" }] as const;
  const words = [/^No valid host was found/, /Exhausted all hosts/, /^the disk is gone$/];
  for (const [index, spawn] of spawns.entries()) {
    fake.faults.add("compute", "POST", /\/servers$/, { spawn });
    const server = await create();
    await expect.poll(() => server.status).toBe("ERROR");
    expect(server.fault?.message).toMatch(words[index] ?? "");
    expect(server.host).toBeUndefined();
  }
});

it("a host that is down carries orders out when it is up again, and gives up its servers that are deleted", async () => {
  const { world, ask, create } = await begin();
  const server = await create();
  await expect.poll(() => server.status).toBe("ACTIVE");
  const host = world.hosts.hosts.get(server.host ?? "") ?? expect.unreachable();
  host.down = true;
  const action = `${servers}/${server.id}/action`;
  expect((await ask("compute", "POST", action, { "os-stop": null })).status).toBe(202);
  expect((await ask("compute", "POST", action, { "os-stop": null })).status).toBe(409);
  const { body } = await ask("compute", "GET", `${servers}/${server.id}`);
  expect(body).toMatchObject({
    server: { status: "ACTIVE", "OS-EXT-STS:task_state": "powering-off", host_status: "DOWN" },
  });
  host.down = false;
  await expect.poll(() => server.status).toBe("SHUTOFF");
  host.down = true;
  await ask("compute", "DELETE", `${servers}/${server.id}`);
  expect((await ask("compute", "GET", `${servers}/${server.id}`)).status).toBe(404);
});

it("servers that others delete are gone, and told of as changes without metadata and tags", async () => {
  const { world, ask, create, fake } = await begin();
  const server = await create();
  await expect.poll(() => server.status).toBe("ACTIVE");
  const since = new Date(fake.identity.now().getTime() - 5000).toISOString();
  world.life.removeNow(server);
  const { body } = await ask("compute", "GET", `${servers}/detail?changes-since=${since}`);
  expect(body).toMatchObject({ servers: [{ id: server.id, name: "s", status: "DELETED", metadata: {}, tags: [] }] });
  expect((await ask("compute", "GET", `${servers}/${server.id}`)).status).toBe(404);
});

it("an operator moves a server, with what it takes, to a host that has room", async () => {
  const { world, create } = await begin();
  const server = await create();
  await expect.poll(() => server.status).toBe("ACTIVE");
  const to = server.host === "gpu1" ? "gpu2" : "gpu1";
  expect(world.life.move(server, to)).toBe(true);
  const used = ["gpu1", "gpu2"].map((name) => {
    const host = world.hosts.hosts.get(name);
    return host === undefined ? -1 : world.hosts.used(host, "VCPU");
  });
  expect([server.host, used]).toEqual([to, to === "gpu1" ? [2, 0] : [0, 2]]);
});

it("a slow answer comes after those to later requests, and what it was asked is done then", async () => {
  const { fake, world, ask, order } = await begin();
  fake.faults.add("compute", "POST", /\/servers$/, { slowMs: 100 });
  const answered: string[] = [];
  const slow = ask("compute", "POST", servers, order).then(() => answered.push("slow"));
  await expect.poll(() => fake.seen("compute", "POST", /\/servers$/)).toHaveLength(1);
  await ask("compute", "GET", servers);
  answered.push("fast");
  expect(world.tagged("mine")).toEqual([]);
  await slow;
  expect(answered).toEqual(["fast", "slow"]);
  expect(world.tagged("mine")).toHaveLength(1);
});

it("a service that never answers is given up by its client, and does nothing", async () => {
  const { fake, world } = await begin();
  fake.faults.add("identity", "POST", /\/auth\/tokens$/, { silence: true });
  const giveUp = new AbortController();
  const asked = fetch(`${fake.authUrl}/auth/tokens`, { method: "POST", body: "{}", signal: giveUp.signal });
  await expect.poll(() => fake.seen("identity", "POST", /\/auth\/tokens$/)).toHaveLength(2);
  giveUp.abort();
  await expect(asked).rejects.toThrow();
  expect(world.servers.size).toBe(0);
});
