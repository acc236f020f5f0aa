import { connect } from "node:net";
import { expect, it } from "vitest";
import type { Asked } from "./asking.ts";
import { askFake, passwordOf } from "./asking.ts";
import { beginStand, type Stand, type StandOptions } from "./stand.ts";

type Rows = Record<string, Record<string, unknown>>;
const body = (answer: Asked) => answer.body as Rows;
const servers = "/v2.1/servers";

/** A stand, its admin, and a flavor with one GPU. */
async function begin(options: StandOptions = {}) {
  const stand = await beginStand(options);
  const ask = await askFake(stand);
  const specs: Record<string, string> =
    options.form === "pci" ? { "pci_passthrough:alias": "h200:1" } : { "resources:CUSTOM_GPU_H200": "1" };
  const flavor = stand.world.addFlavor("one", { vcpus: 16, ram: 131_072, disk: 200 }, specs);
  const base = { name: "s", imageRef: stand.image.id, flavorRef: flavor.id, networks: "none" };
  const create = async (part: object = {}) => {
    const { status, body: made } = await ask("compute", "POST", servers, { server: { ...base, ...part } });
    expect({ status, made }).toMatchObject({ status: 202 });
    return (made as { server: { id: string } }).server.id;
  };
  const server = async (id: string) => body(await ask("compute", "GET", `${servers}/${id}`)).server;
  const becomes = (id: string, part: object) => expect.poll(() => server(id)).toMatchObject(part);
  return { ...stand, ask, flavor, create, server, becomes };
}

async function makePort({ network }: Stand, ask: Awaited<ReturnType<typeof askFake>>): Promise<string> {
  const made = await ask("network", "POST", "/v2.0/ports", { port: { network_id: network.id, name: "lessor-1" } });
  return String(body(made).port?.id);
}

/** What is said at the guest's SSH port. */
function greeting(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.on("data", (bytes) => {
      socket.destroy();
      resolve(bytes.toString());
    });
    socket.on("close", () => resolve(""));
    socket.on("error", () => resolve(""));
  });
}

it("a server becomes active at its host with its port and address, and takes room there", async () => {
  const { ask, create, becomes, world, ...stand } = await begin();
  const port = await makePort({ ...stand, world }, ask);
  const id = await create({ host: "gpu2", networks: [{ port }] });
  await becomes(id, {
    ...{ status: "ACTIVE", "OS-EXT-SRV-ATTR:host": "gpu2" },
    addresses: { rent: [{ addr: expect.stringMatching(/^127\.88\./) }] },
  });
  expect(body(await ask("network", "GET", `/v2.0/ports/${port}`)).port).toMatchObject({ device_id: id });
  const provider = world.hosts.hosts.get("gpu2")?.id;
  const usages = await ask("placement", "GET", `/resource_providers/${provider}/usages`);
  expect(body(usages).usages).toMatchObject({ VCPU: 16, CUSTOM_GPU_H200: 1 });
});

it("with PCI devices each has a provider, and a server's allocation names those that it got", async () => {
  const { ask, create, becomes, world } = await begin({ form: "pci" });
  const ids = [await create({ host: "gpu1" }), await create({ host: "gpu1" })];
  for (const id of ids) await becomes(id, { status: "ACTIVE" });
  const found = await ask("placement", "GET", "/allocation_candidates?resources=VCPU:1");
  const summaries = Object.values(body(found).provider_summaries ?? {}) as unknown as {
    resources: Record<string, { used: number } | undefined>;
  }[];
  const cards = summaries.flatMap(({ resources }) => resources.CUSTOM_PCI_10DE_2335 ?? []);
  expect(cards).toHaveLength(16);
  expect(cards.filter(({ used }) => used === 1)).toHaveLength(2);
  expect(world.hosts.providers.map(({ name }) => name)).toContain("gpu1_0000:17:00.0");
  const allocated = Object.keys(body(await ask("placement", "GET", `/allocations/${ids[0]}`)).allocations ?? {});
  expect(allocated).toHaveLength(2);
});

it("where no host has room a server that was accepted ends in ERROR, and one where there is room does not", async () => {
  const { create, becomes, world, flavor, otherProject } = await begin();
  for (let index = 0; index < 15; index++) world.addServer("theirs", otherProject, flavor);
  const last = await create();
  await becomes(last, { status: "ACTIVE" });
  await becomes(await create(), { status: "ERROR", fault: { message: "No valid host was found. " } });
  world.life.removeNow(world.servers.get(last) ?? expect.unreachable());
  await becomes(await create(), { status: "ACTIVE" });
});

it("of two servers that want the same port at a time one is active, without an address, as with Nova", async () => {
  const { ask, create, server, ...stand } = await begin();
  const port = await makePort(stand, ask);
  const ids = await Promise.all([1, 2].map(() => create({ networks: [{ port }] })));
  const all = () => Promise.all(ids.map(server));
  await expect.poll(async () => (await all()).filter((one) => one?.status === "BUILD")).toEqual([]);
  const statuses = (await all()).map((one) => one?.status).sort();
  expect(statuses).toEqual(["ACTIVE", "ERROR"]);
  expect((await all()).find((one) => one?.status === "ACTIVE")).toMatchObject({ addresses: {} });
});

it("a guest answers at its address once it has read its secrets, while it runs", async () => {
  const { ask, create, becomes, door, world, ...stand } = await begin();
  const port = await makePort({ ...stand, door, world }, ask);
  const id = await create({ networks: [{ port }] });
  await becomes(id, { status: "ACTIVE" });
  const address = world.networks.ports.get(port)?.address ?? "";
  expect(await greeting(address, door.port)).toBe("");
  const metadata = { "lessor-secret-0": "c2VjcmV0", "lessor-told": "true" };
  await ask("compute", "POST", `${servers}/${id}/metadata`, { metadata });
  expect(await greeting(address, door.port)).toBe("SSH-2.0-fake\r\n");
  expect(world.servers.get(id)?.guestRead).toMatchObject(metadata);
  await ask("compute", "POST", `${servers}/${id}/action`, { "os-stop": null });
  await becomes(id, { status: "SHUTOFF" });
  expect(await greeting(address, door.port)).toBe("");
  expect(door.knocks).toEqual([address, address, address]);
});

it("a floating address leads to the guest too, and its port's end takes it away", async () => {
  const { ask, create, becomes, door, world, ...stand } = await begin();
  const port = await makePort({ ...stand, door, world }, ask);
  world.guestAnswers = () => true;
  await becomes(await create({ networks: [{ port }] }), { status: "ACTIVE" });
  const floatingip = { floating_network_id: stand.floatingNetwork.id, port_id: port };
  const made = body(await ask("network", "POST", "/v2.0/floatingips", { floatingip })).floatingip;
  const address = String(made?.floating_ip_address);
  expect(await greeting(address, door.port)).toBe("SSH-2.0-fake\r\n");
  await ask("network", "DELETE", `/v2.0/ports/${port}`);
  const left = body(await ask("network", "GET", `/v2.0/floatingips/${made?.id}`)).floatingip;
  expect(left).toMatchObject({ port_id: null });
});

it("the serial console shows what is typed, and ends by exit", async () => {
  const { ask, create, becomes, fake } = await begin();
  const id = await create();
  await becomes(id, { status: "ACTIVE" });
  const order = { remote_console: { protocol: "serial", type: "serial" } };
  const made = await ask("compute", "POST", `${servers}/${id}/remote-consoles`, order);
  const socket = new WebSocket(String(body(made).remote_console?.url), ["binary"]);
  socket.binaryType = "arraybuffer";
  const seen: string[] = [];
  socket.addEventListener("message", ({ data }) => seen.push(Buffer.from(data).toString()));
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  expect(socket.protocol).toBe("binary");
  const closed = new Promise((resolve) => socket.addEventListener("close", resolve));
  socket.send(Buffer.from("exit\r"));
  await closed;
  expect(seen.join("")).toBe("login: exit\r");
  await expect.poll(() => fake.consoles.all[0]?.closed).toBe(true);
});

it("volumes become available, and are attached to a running server", async () => {
  const { ask, create, becomes, project } = await begin();
  const path = `/v3/${project.id}/volumes`;
  const made = await ask("volume", "POST", path, { volume: { size: 10, name: "v" } });
  expect(made).toMatchObject({ status: 202, body: { volume: { status: "creating" } } });
  const volume = String(body(made).volume?.id);
  const status = async () => body(await ask("volume", "GET", `${path}/${volume}`)).volume?.status;
  await expect.poll(status).toBe("available");
  const id = await create();
  await becomes(id, { status: "ACTIVE" });
  const attach = { volumeAttachment: { volumeId: volume } };
  expect((await ask("compute", "POST", `${servers}/${id}/os-volume_attachments`, attach)).status).toBe(200);
  await expect.poll(status).toBe("in-use");
  expect((await ask("volume", "DELETE", `${path}/${volume}`)).status).toBe(400);
  await ask("compute", "DELETE", `${servers}/${id}/os-volume_attachments/${volume}`);
  await expect.poll(status).toBe("available");
  expect((await ask("volume", "DELETE", `${path}/${volume}`)).status).toBe(202);
  await expect.poll(async () => (await ask("volume", "GET", `${path}/${volume}`)).status).toBe(404);
});

it("a member sees its own servers without their hosts, and an admin those of all if it asks for them", async () => {
  const { create, ask, becomes, fake, ...stand } = await begin();
  await becomes(await create(), { status: "ACTIVE" });
  fake.identity.addUser("member", "secret", [[stand.project, ["member"]]]);
  const member = await askFake({ ...stand, fake }, passwordOf("member", "secret", "rent"));
  const [seen] = body(await member("compute", "GET", `${servers}/detail`)).servers as unknown as object[];
  expect(seen).not.toHaveProperty("OS-EXT-SRV-ATTR:host");
  expect(seen).not.toHaveProperty("host_status");
  stand.world.addServer("theirs", stand.otherProject, stand.flavor);
  const count = async (query: string) =>
    Object.values(body(await ask("compute", "GET", `${servers}${query}`)).servers ?? {}).length;
  expect([await count(""), await count("?all_tenants=1")]).toEqual([1, 2]);
});

it("lists page by page", async () => {
  const { ask, world, otherProject, flavor } = await begin();
  const all = Array.from({ length: 5 }, (_, index) => world.addServer(`s${index}`, otherProject, flavor).id);
  const found: unknown[] = [];
  let path: string | undefined = `${servers}?all_tenants=1&limit=2`;
  while (path !== undefined) {
    const answer = (await ask("compute", "GET", path)).body as {
      servers: { id: string }[];
      servers_links?: { href: string }[];
    };
    found.push(...answer.servers.map(({ id }) => id));
    const next = answer.servers_links?.[0]?.href;
    path = next === undefined ? undefined : next.slice(new URL(next).origin.length);
  }
  expect(found).toEqual(all.reverse());
});

it("each region has hosts and servers of its own, and one Keystone", async () => {
  const { fake, project } = await begin();
  const south = await fake.addRegion("South");
  south.hosts.add("south1");
  const auth = passwordOf("lessor", "secret-of-lessor", project.name);
  const answer = await fetch(`${fake.authUrl}/auth/tokens`, { method: "POST", body: JSON.stringify({ auth }) });
  const { token } = (await answer.json()) as {
    token: { catalog: { type: string; endpoints: { region: string }[] }[] };
  };
  const compute = token.catalog.find(({ type }) => type === "compute");
  expect(new Set(compute?.endpoints.map(({ region }) => region))).toEqual(new Set(["RegionOne", "South"]));
});
