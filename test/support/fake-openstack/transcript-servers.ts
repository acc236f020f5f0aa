// The requests of the transcript about servers, and the end of what the others made.

import type { Options, Transcript } from "./transcript.ts";
import { at } from "./transcript-steps.ts";

const servers = "/v2.1/servers";
const nothing = "6f1c7d0e-0000-4000-8000-000000000001";

export async function serverSteps(t: Transcript): Promise<void> {
  const port = String(at((await t.site.admin("network", "GET", "/v2.0/ports?name=lessor-t")).body, "ports", 0, "id"));
  const since = new Date(Date.parse((await t.site.admin("compute", "GET", servers)).headers.get("date") ?? "") - 2000);
  await refused(t, port);
  const id = await created(t, port);
  await changed(t, id);
  await halted(t, id);
  await crowded(t);
  await hostSteps(t, id);
  await floatingSteps(t, port);
  await removed(t, id, port, since);
  await memberServer(t);
  await cleanUp(t, port);
}

const reboots = [{ reboot: { type: "SOFT" } }, { reboot: { type: "HARD" } }];

async function create(t: Transcript, part: object, options?: Options): Promise<string> {
  const base = { name: "lessor-t", imageRef: t.site.image, flavorRef: "lessor-t-gpu", networks: "none" };
  const { body } = await t.ask("compute", "POST", servers, { server: { ...base, ...part } }, options);
  return String(at(body, "server", "id"));
}

async function refused(t: Transcript, port: string): Promise<void> {
  for (const part of [
    ...[{ flavorRef: "nothing" }, { imageRef: nothing }, { networks: [{ port: nothing }] }, { networks: undefined }],
    ...[{ networks: [{ uuid: nothing }] }, { host: "nothing" }, { availability_zone: "nothing" }, { tags: ["a,b"] }],
    ...[{ name: "" }, { metadata: { k: "v".repeat(256) } }, { host: "gpu1", availability_zone: "nova:gpu1" }],
  ]) {
    // What it repeats of the order is in an order of its own.
    await create(t, part, { look: (body) => at(body, "server", "status") });
  }
  const member = { as: "member" } as const;
  await create(t, { host: "gpu1" }, member);
  await create(t, { availability_zone: "gpu-az:gpu1" }, member);
  await create(t, { networks: [{ port }] }, member);
  await t.ask("compute", "GET", `${servers}/${nothing}`);
  await t.ask("compute", "DELETE", `${servers}/${nothing}`);
  await t.ask("compute", "POST", `${servers}/${nothing}/action`, { "os-stop": null });
  await t.ask("compute", "GET", `${servers}?tags=lessor-t`);
  for (const query of ["changes-since=nothing", "metadata=x", `marker=${nothing}&limit=1`, "nothing=1"])
    await t.ask("compute", "GET", `${servers}?${query}`);
}

async function created(t: Transcript, port: string): Promise<string> {
  const user_data = Buffer.from("#!/bin/sh\n").toString("base64");
  const order = { networks: [{ port }], tags: ["lessor-t", "lessor-g1"], metadata: { "lessor-account": "a" } };
  const id = await create(t, { ...order, user_data, config_drive: true, host: "gpu1" });
  t.name("SERVER", id);
  await t.until(id, "ACTIVE");
  await create(t, { networks: [{ port }] });
  await t.ask("network", "GET", `/v2.0/ports/${port}`);
  for (const query of [
    "tags=lessor-t",
    "tags=lessor-t,lessor-g1",
    "tags=lessor-t,nothing",
    "name=^lessor-t$",
    "tags=lessor-t&limit=1",
  ])
    await t.ask("compute", "GET", `${servers}/detail?${query}`);
  await t.ask("compute", "GET", `${servers}/${id}`, undefined, { headers: { "openstack-api-version": "compute 2.1" } });
  const host = String(
    at((await t.site.admin("placement", "GET", "/resource_providers?name=gpu1")).body, "resource_providers", 0, "uuid"),
  );
  await t.ask("placement", "GET", `/resource_providers/${host}/usages`);
  await t.ask("placement", "GET", `/allocations/${id}`);
  return id;
}

async function changed(t: Transcript, id: string): Promise<void> {
  const path = `${servers}/${id}/metadata`;
  await t.ask("compute", "POST", path, { metadata: { "lessor-secret-0": "v".repeat(255), "lessor-told": "true" } });
  await t.ask("compute", "POST", path, { metadata: { k: "v".repeat(256) } });
  const many = Object.fromEntries(Array.from({ length: 130 }, (_, index) => [`k${index}`, "v"]));
  await t.ask("compute", "POST", path, { metadata: many });
  await t.ask("compute", "PUT", path, { metadata: { "lessor-told": "true", a: "b" } });
  await t.ask("compute", "DELETE", `${path}/a`);
  await t.ask("compute", "DELETE", `${path}/a`);
  await t.ask("compute", "GET", path);
  await t.ask("compute", "POST", `${servers}/${nothing}/metadata`, { metadata: { a: "b" } });
  await t.ask("compute", "PUT", `${servers}/${id}`, { server: { name: "lessor-t" } });
}

async function halted(t: Transcript, id: string): Promise<void> {
  const act = (body: object, options?: Options) => t.ask("compute", "POST", `${servers}/${id}/action`, body, options);
  await act({ "os-getConsoleOutput": { length: 10 } }, { look: (body) => typeof at(body, "output") });
  await act({ "os-start": null });
  await act({ nothing: null });
  await act({ reboot: { type: "nothing" } });
  await act({ reboot: { type: "HARD" } });
  await t.until(id, "ACTIVE");
  await act({ "os-stop": null });
  await t.until(id, "SHUTOFF");
  await act({ "os-stop": null });
  await act({ reboot: { type: "SOFT" } });
  await act({ "os-start": null });
  await t.until(id, "ACTIVE");
  const console = { remote_console: { protocol: "serial", type: "nothing" } };
  await t.ask("compute", "POST", `${servers}/${id}/remote-consoles`, console, { look: () => undefined });
  await t.ask("compute", "GET", `${servers}/${id}/os-volume_attachments`);
}

/** More than a host has: accepted first. */
async function crowded(t: Transcript): Promise<void> {
  const size = { vcpus: 16, ram: 131_072, disk: 200 };
  const flavor = { id: "lessor-t-8", name: "lessor-t-8", ...size };
  await t.site.admin("compute", "POST", "/v2.1/flavors", { flavor });
  const specs = { "resources:CUSTOM_GPU_H200": "8" };
  await t.site.admin("compute", "POST", "/v2.1/flavors/lessor-t-8/os-extra_specs", { extra_specs: specs });
  const id = await create(t, { flavorRef: "lessor-t-8", host: "gpu1", tags: ["lessor-t2"] });
  t.name("SERVER2", id);
  await t.until(id, "ERROR");
  const path = `${servers}/${id}`;
  await t.ask("compute", "POST", `${path}/metadata`, { metadata: { a: "b" } });
  for (const action of [{ "os-start": null }, { "os-stop": null }, { "os-getConsoleOutput": {} }, ...reboots])
    await t.ask("compute", "POST", `${path}/action`, action);
  await t.ask("compute", "DELETE", path);
  await t.until(id, 404);
  await t.site.admin("compute", "DELETE", "/v2.1/flavors/lessor-t-8");
}

/** One that is disabled, and one that is down. */
async function hostSteps(t: Transcript, id: string): Promise<void> {
  const list = "/v2.1/os-services?binary=nova-compute&host=gpu1";
  await t.ask("compute", "GET", list);
  const service = String(at((await t.site.admin("compute", "GET", list)).body, "services", 0, "id"));
  t.name("SERVICE", service);
  const path = `/v2.1/os-services/${service}`;
  const ours = (body: unknown) => {
    const all = at(body, "hypervisors");
    return Array.isArray(all) ? all.filter((one) => one.hypervisor_hostname === "gpu1") : all;
  };
  const look = { look: ours };
  await t.ask("compute", "GET", "/v2.1/os-hypervisors/detail", undefined, look);
  await t.ask("compute", "PUT", path, { status: "disabled", disabled_reason: "transcript" });
  await t.ask("compute", "GET", "/v2.1/os-hypervisors/detail", undefined, look);
  await t.ask("compute", "GET", `${servers}/${id}`);
  const targeted = await create(t, { host: "gpu1", tags: ["lessor-t3"] });
  t.name("SERVER3", targeted);
  await t.until(targeted, "ERROR");
  await t.ask("compute", "DELETE", `${servers}/${targeted}`);
  await t.ask("compute", "PUT", path, { status: "enabled", forced_down: true });
  await t.ask("compute", "GET", list);
  await t.ask("compute", "GET", "/v2.1/os-hypervisors/detail", undefined, look);
  await t.ask("compute", "GET", `${servers}/${id}`);
  await t.ask("compute", "PUT", path, { forced_down: false });
  const gpus = (body: unknown) => {
    const all = at(body, "aggregates");
    return Array.isArray(all) ? all.filter((one) => one.name === "gpus") : all;
  };
  await t.ask("compute", "GET", "/v2.1/os-aggregates", undefined, { look: gpus });
}

async function floatingSteps(t: Transcript, port: string): Promise<void> {
  const path = "/v2.0/floatingips";
  const floatingip = { floating_network_id: t.site.floatingNetwork, port_id: port, description: "transcript" };
  const made = await t.ask("network", "POST", path, { floatingip });
  const id = at(made.body, "floatingip", "id");
  t.name("FLOATING", id);
  await t.ask("network", "POST", path, { floatingip: { ...floatingip, floating_network_id: t.site.network } });
  await t.ask("network", "GET", `${path}?port_id=${port}`);
  await t.ask("network", "GET", `${path}?port_id=${nothing}`);
  await t.ask("network", "DELETE", `${path}/${id}`);
  await t.ask("network", "DELETE", `${path}/${id}`);
}

async function removed(t: Transcript, id: string, port: string, since: Date): Promise<void> {
  await t.ask("compute", "DELETE", `${servers}/${id}`);
  await t.until(id, 404);
  await t.ask("compute", "DELETE", `${servers}/${id}`);
  await t.ask("compute", "POST", `${servers}/${id}/action`, { "os-stop": null });
  await t.ask("network", "GET", `/v2.0/ports/${port}`);
  const path = `${servers}/detail?changes-since=${since.toISOString().slice(0, 19)}Z`;
  t.name("SINCE", `${since.toISOString().slice(0, 19)}Z`);
  const ours = (body: unknown) => {
    const all = at(body, "servers");
    // Its addresses go at some time.
    return Array.isArray(all) ? all.flatMap((one) => (one.id === id ? { ...one, addresses: undefined } : [])) : all;
  };
  await t.ask("compute", "GET", path, undefined, { look: ours });
  await t.ask("compute", "GET", `${path}&tags=lessor-t`);
  await t.ask("compute", "GET", `${path}&name=^lessor-t$&limit=1`, undefined, {
    look: (body) => at(body, "servers_links") !== undefined,
  });
}

/** What a member sees of its own, and admins of others. */
async function memberServer(t: Transcript): Promise<void> {
  const member = { as: "member" } as const;
  const id = await create(t, { tags: ["lessor-t4"] }, member);
  t.name("SERVER4", id);
  await t.until(id, "ACTIVE", "member");
  await t.ask("compute", "GET", `${servers}/detail?tags=lessor-t4`);
  await t.ask("compute", "DELETE", `${servers}/${id}`, undefined, member);
  await t.until(id, 404, "member");
}

async function cleanUp(t: Transcript, port: string): Promise<void> {
  const group = String(
    at((await t.site.admin("network", "GET", "/v2.0/security-groups?name=lessor-t")).body, "security_groups", 0, "id"),
  );
  await t.ask("network", "DELETE", `/v2.0/ports/${port}`);
  await t.ask("network", "DELETE", `/v2.0/security-groups/${group}`);
  await t.ask("network", "DELETE", `/v2.0/security-groups/${group}`);
  await t.ask("compute", "DELETE", "/v2.1/flavors/lessor-t-gpu");
  await t.ask("compute", "DELETE", "/v2.1/flavors/lessor-t-gpu");
}
