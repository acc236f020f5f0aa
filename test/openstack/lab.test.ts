// The lab itself: what every other test on OpenStack builds upon.

import { readFileSync } from "node:fs";
import { afterEach, expect, inject, it } from "vitest";
import { parse } from "yaml";
import type { ApiResponse } from "./lab/api.ts";
import { type Caller, labOf } from "./lab/lab.ts";

const lab = labOf(inject("openStackLab"));

const soon = { timeout: 60_000, interval: 200 };

afterEach(() => lab.wipe());

/** As small as there is; `part` of the request's server. */
async function createServer(part: object = {}, caller: Caller = "tenant"): Promise<string> {
  const server = {
    name: "lab-test",
    flavorRef: lab.names.cpuFlavor,
    imageRef: lab.ids.imageId,
    networks: [{ uuid: lab.ids.networkId }],
    ...part,
  };
  const { status, body } = await lab.request("compute", "/servers", post({ server }), caller);
  expect({ status, body }).toMatchObject({ status: 202 });
  return body.server.id;
}

async function server(id: string): Promise<ApiResponse["body"]> {
  return (await lab.request("compute", `/servers/${id}`)).body.server;
}

function post(body: object) {
  return { method: "POST", body } as const;
}

async function becomes(id: string, status: string): Promise<void> {
  await expect.poll(async () => (await server(id)).status, soon).toBe(status);
}

async function usages(host: string): Promise<Record<string, number>> {
  const { body } = await lab.request("placement", "/resource_providers");
  const provider = body.resource_providers.find(({ name }: { name: string }) => name === host);
  return (await lab.request("placement", `/resource_providers/${provider.uuid}/usages`)).body.usages;
}

it("has two hosts with eight GPUs each as a resource class, and one with eight as PCI devices", async () => {
  const { body } = await lab.request("placement", "/resource_providers");
  const providers: { name: string; uuid: string }[] = body.resource_providers;
  const gpusOf = async (name: string) => {
    const uuid = providers.find((one) => one.name === name)?.uuid;
    const { inventories } = (await lab.request("placement", `/resource_providers/${uuid}/inventories`)).body;
    return { class: inventories.CUSTOM_GPU_H200?.total, pci: inventories.CUSTOM_PCI_10DE_2335?.total };
  };
  for (const name of ["gpu1", "gpu2"]) expect(await gpusOf(name)).toEqual({ class: 8, pci: undefined });
  const cards = providers.filter(({ name }) => name.startsWith("pci1_"));
  expect(cards.map(({ name }) => name).sort()).toEqual(
    [10, 11, 12, 13, 14, 15, 16, 17].map((bus) => `pci1_0000:${bus}:00.0`),
  );
  for (const { name } of cards) expect(await gpusOf(name)).toEqual({ class: undefined, pci: 1 });
  expect(providers).toHaveLength(lab.hosts.length + 8);
});

it("makes a server of a project's member active with an address, and says so by its tag", async () => {
  const id = await createServer({ tags: ["lab-tag"] });
  await becomes(id, "ACTIVE");
  const { addresses } = await server(id);
  expect(addresses[lab.names.network]).toEqual([
    expect.objectContaining({ addr: expect.stringMatching(/^10\.20\./), "OS-EXT-IPS:type": "fixed" }),
  ]);
  const found = await lab.request("compute", "/servers?tags=lab-tag", {}, "tenant");
  expect(found.body.servers.map((one: { id: string }) => one.id)).toEqual([id]);
});

it("counts GPUs in Placement, and has no valid host for the third server that takes a whole one", async () => {
  const wish = { flavorRef: "gpu.h200.8", availability_zone: "gpu-az" };
  const both = [await createServer(wish), await createServer(wish)];
  for (const id of both) await becomes(id, "ACTIVE");
  expect((await usages("gpu1")).CUSTOM_GPU_H200).toBe(8);
  expect((await usages("gpu2")).CUSTOM_GPU_H200).toBe(8);
  const third = await createServer(wish);
  await becomes(third, "ERROR");
  expect((await server(third)).fault.message).toMatch(/No valid host was found/);
});

it("gives a server one PCI card, and names it in Placement", async () => {
  const id = await createServer({ flavorRef: "pci.h200.1" });
  await becomes(id, "ACTIVE");
  const { allocations } = (await lab.request("placement", `/allocations/${id}`)).body;
  const cards = Object.values<{ resources: object }>(allocations).filter(
    ({ resources }) => "CUSTOM_PCI_10DE_2335" in resources,
  );
  expect(cards).toHaveLength(1);
});

it("lets only the administrator choose the host, and see hosts", async () => {
  const id = await createServer({ host: "gpu2" }, "admin");
  await becomes(id, "ACTIVE");
  expect((await server(id))["OS-EXT-SRV-ATTR:host"]).toBe("gpu2");
  const status = async (service: "compute" | "placement", path: string) =>
    (await lab.request(service, path, {}, "tenant")).status;
  expect(await status("compute", "/os-hypervisors")).toBe(403);
  expect(await status("compute", "/os-services")).toBe(403);
  expect(await status("placement", "/resource_providers")).toBe(403);
  expect(await status("compute", "/servers")).toBe(200);
});

it("writes a clouds.yaml whose application credential signs in as the project's member", async () => {
  const { clouds } = parse(readFileSync(lab.cloudsFile, "utf8"));
  expect(Object.keys(clouds)).toEqual(lab.clouds);
  const { auth } = clouds.tenant;
  expect(auth.auth_url).toBe(lab.authUrl);
  const { application_credential_id: id, application_credential_secret: secret } = auth;
  const response = await fetch(`${lab.authUrl}/auth/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      auth: { identity: { methods: ["application_credential"], application_credential: { id, secret } } },
    }),
  });
  const { token } = JSON.parse(await response.text());
  expect(token.project.id).toBe(lab.ids.tenant.projectId);
  expect(token.roles.map(({ name }: { name: string }) => name).sort()).toEqual(["member"]);
  expect(token.catalog.map(({ type }: { type: string }) => type)).toContain("compute");
});

it("gives a server a floating address", async () => {
  const id = await createServer();
  await becomes(id, "ACTIVE");
  const { body } = await lab.request("network", `/ports?device_id=${id}`, {}, "tenant");
  const floatingip = { floating_network_id: lab.ids.floatingNetworkId, port_id: body.ports[0].id };
  const made = await lab.request("network", "/floatingips", post({ floatingip }), "tenant");
  expect(made.status).toBe(201);
  await expect
    .poll(async () => (await server(id)).addresses[lab.names.network], soon)
    .toContainEqual(expect.objectContaining({ addr: made.body.floatingip.floating_ip_address }));
});

it("fails as a server's metadata asks for", async () => {
  const id = await createServer({ metadata: { "lab-fail": "spawn" } });
  await becomes(id, "ERROR");
});

it("leaves nothing of tests after a wipe", async () => {
  const id = await createServer();
  await becomes(id, "ACTIVE");
  const security_group = { name: "lab-group" };
  await lab.request("network", "/security-groups", post({ security_group }), "tenant");
  expect(await lab.orphans()).toHaveLength(3);
  await lab.wipe();
  expect(await lab.orphans()).toEqual([]);
});

it("makes a volume of a project's member, attaches it to a server, grows it and deletes it", async () => {
  const id = await createServer();
  const made = await lab.request("volume", "/volumes", post({ volume: { name: "lab-volume", size: 10 } }), "tenant");
  expect(made.status).toBe(202);
  const volume = async (): Promise<ApiResponse["body"]> =>
    (await lab.request("volume", `/volumes/${made.body.volume.id}`, {}, "tenant")).body.volume;
  const volumeBecomes = (status: string) => expect.poll(async () => (await volume()).status, soon).toBe(status);
  await Promise.all([becomes(id, "ACTIVE"), volumeBecomes("available")]);
  const attachments = `/servers/${id}/os-volume_attachments`;
  const wish = post({ volumeAttachment: { volumeId: made.body.volume.id } });
  expect((await lab.request("compute", attachments, wish, "tenant")).status).toBe(200);
  await volumeBecomes("in-use");
  expect((await volume()).attachments).toEqual([expect.objectContaining({ server_id: id })]);
  const path = `${attachments}/${made.body.volume.id}`;
  expect((await lab.request("compute", path, { method: "DELETE" }, "tenant")).status).toBe(202);
  await volumeBecomes("available");
  const grow = post({ "os-extend": { new_size: 20 } });
  const action = `/volumes/${made.body.volume.id}/action`;
  expect((await lab.request("volume", action, grow, "tenant")).status).toBe(202);
  await expect.poll(async () => (await volume()).size, soon).toBe(20);
  await lab.request("volume", `/volumes/${made.body.volume.id}`, { method: "DELETE" }, "tenant");
  await expect.poll(volume, soon).toBeUndefined();
});
