// The requests of the transcript, one after the other.

import { askAs } from "./asking.ts";
import type { Transcript } from "./transcript.ts";
import { serverSteps } from "./transcript-servers.ts";

const nothing = "6f1c7d0e-0000-4000-8000-000000000001";

export async function steps(t: Transcript): Promise<void> {
  await identitySteps(t);
  await versionSteps(t);
  await memberSteps(t);
  await flavorSteps(t);
  await groupSteps(t);
  await portSteps(t);
  await placementSteps(t);
  await imageSteps(t);
  await serverSteps(t);
}

/** An answer's part by keys, for what is sent next. */
export function at(body: unknown, ...keys: readonly (string | number)[]): unknown {
  let here: unknown = body;
  for (const key of keys)
    here = typeof here === "object" && here !== null ? (here as Record<string | number, unknown>)[key] : undefined;
  return here;
}

async function identitySteps(t: Transcript): Promise<void> {
  const { credential, memberProject, authUrl } = t.site;
  const path = "/v3/auth/tokens";
  const signIn = (auth: object) => t.ask("identity", "POST", path, { auth }, { headers: { "x-auth-token": "" } });
  const byCredential = (said: object, more = {}) =>
    signIn({ identity: { methods: ["application_credential"], application_credential: said }, ...more });
  t.name("SECRET", credential.secret);
  await t.ask("identity", "POST", path, {}, { headers: { "x-auth-token": "" } });
  await byCredential({ id: credential.id, secret: credential.secret });
  await byCredential({ id: credential.id, secret: "wrong" });
  await byCredential({ id: "nothing", secret: "wrong" });
  await byCredential(credential, { scope: { project: { id: memberProject } } });
  const password = { user: { name: "nothing", domain: { id: "default" }, password: "wrong" } };
  await signIn({ identity: { methods: ["password"], password }, scope: { project: { id: memberProject } } });
  for (const [service, one] of [
    ["compute", "/v2.1/servers"],
    ["network", "/v2.0/ports"],
    ["image", "/v2/images"],
    ["placement", "/resource_providers"],
  ] as const) {
    await t.ask(service, "GET", one, undefined, { headers: { "x-auth-token": "nothing" }, look: () => undefined });
  }
  const own = await askAs({
    authUrl,
    auth: { identity: { methods: ["application_credential"], application_credential: credential } },
  });
  const headers = { "x-subject-token": own.token };
  t.lines.push(`revoked → ${(await own("identity", "DELETE", path, undefined, headers)).status}`);
  t.lines.push(`then → ${(await own("compute", "GET", "/v2.1/servers")).status}`);
}

async function versionSteps(t: Transcript): Promise<void> {
  await t.ask("compute", "GET", "/");
  await t.ask("compute", "GET", "/v2.1/");
  await t.ask("network", "GET", "/");
  await t.ask("placement", "GET", "/");
  const at = (service: "compute" | "placement", version: string) => ({
    headers: { "openstack-api-version": `${service} ${version}` },
  });
  await t.ask("compute", "GET", "/v2.1/servers", undefined, at("compute", "2.999"));
  await t.ask("compute", "GET", "/v2.1/servers", undefined, at("compute", "nothing"));
  await t.ask("placement", "GET", "/resource_providers", undefined, at("placement", "1.999"));
}

/** What a member may not. */
async function memberSteps(t: Transcript): Promise<void> {
  const as = { as: "member" } as const;
  for (const path of [
    "os-services",
    "os-aggregates",
    "os-hypervisors",
    "os-hypervisors/detail",
    "os-availability-zone/detail",
  ])
    await t.ask("compute", "GET", `/v2.1/${path}`, undefined, as);
  await t.ask("compute", "GET", "/v2.1/servers/detail?all_tenants=1", undefined, as);
  await t.ask("compute", "GET", "/v2.1/servers/detail?host=gpu1", undefined, as);
  await t.ask("compute", "POST", "/v2.1/flavors", { flavor: { name: "x", vcpus: 1, ram: 1, disk: 1 } }, as);
  await t.ask("placement", "GET", "/resource_providers", undefined, as);
  await t.ask("placement", "GET", "/allocation_candidates?resources=VCPU:1", undefined, as);
  await t.ask("image", "POST", "/v2/images", { name: "lessor-t", visibility: "public" }, as);
  await t.ask("compute", "GET", "/v2.1/limits", undefined, as);
}

async function flavorSteps(t: Transcript): Promise<void> {
  const [flavors, id] = ["/v2.1/flavors", "lessor-t-gpu"];
  const size = { vcpus: 16, ram: 131_072, disk: 200 };
  await t.ask("compute", "GET", `${flavors}/${id}`);
  await t.ask("compute", "POST", flavors, { flavor: { id, name: id, ...size, "os-flavor-access:is_public": false } });
  await t.ask("compute", "POST", flavors, { flavor: { id, name: id, ...size, "os-flavor-access:is_public": false } });
  await t.ask("compute", "POST", flavors, { flavor: { id: "lessor-t-2", name: id, ...size } });
  await t.ask("compute", "POST", flavors, { flavor: { name: "lessor-t-3", vcpus: 1, ram: 64 } });
  await t.ask("compute", "GET", `${flavors}/${id}`, undefined, { as: "member" });
  await t.ask("compute", "POST", `${flavors}/${id}/action`, { addTenantAccess: { tenant: t.site.memberProject } });
  await t.ask("compute", "POST", `${flavors}/${id}/action`, { addTenantAccess: { tenant: t.site.memberProject } });
  const specs = { "resources:CUSTOM_GPU_H200": "1", "trait:CUSTOM_GPU_H200_SXM": "required" };
  await t.ask("compute", "POST", `${flavors}/${id}/os-extra_specs`, { extra_specs: specs });
  await t.ask("compute", "POST", `${flavors}/${id}/os-extra_specs`, { extra_specs: { "hw:nothing": "1" } });
  await t.ask("compute", "GET", `${flavors}/${id}`, undefined, { as: "member" });
  await t.ask("compute", "GET", `${flavors}/${id}/os-extra_specs`);
}

async function groupSteps(t: Transcript): Promise<void> {
  const [groups, rules] = ["/v2.0/security-groups", "/v2.0/security-group-rules"];
  const made = await t.ask("network", "POST", groups, {
    security_group: { name: "lessor-t", description: "transcript" },
  });
  const id = at(made.body, "security_group", "id");
  t.name("GROUP", id);
  const rule = { security_group_id: id, direction: "ingress", ethertype: "IPv4", protocol: "tcp" };
  const ssh = { ...rule, port_range_min: 22, port_range_max: 22, remote_ip_prefix: "192.0.2.0/24" };
  t.name(
    "RULE",
    at((await t.ask("network", "POST", rules, { security_group_rule: ssh })).body, "security_group_rule", "id"),
  );
  await t.ask("network", "POST", rules, { security_group_rule: ssh });
  const several = [
    { ...rule, ethertype: "IPv6" },
    { ...rule, protocol: null },
  ];
  await t.ask("network", "POST", rules, { security_group_rules: several });
  await t.ask("network", "POST", rules, { security_group_rule: { ...rule, direction: "nothing" } });
  await t.ask("network", "POST", rules, { security_group_rule: { ...rule, security_group_id: nothing } });
  const byText = (body: unknown) => {
    const all = at(body, "security_groups", 0, "security_group_rules");
    return Array.isArray(all)
      ? all.map((one) => JSON.stringify([one.direction, one.ethertype, one.protocol])).sort()
      : all;
  };
  await t.ask("network", "GET", `${groups}?name=lessor-t`, undefined, { look: byText });
  await t.ask("network", "GET", `${groups}?name=nothing`);
  await t.ask("network", "GET", `${groups}/${nothing}`);
}

async function portSteps(t: Transcript): Promise<void> {
  const ports = "/v2.0/ports";
  const group = [...(await group_(t))];
  const port = { network_id: t.site.network, name: "lessor-t", description: "gpu1", security_groups: group };
  const made = await t.ask("network", "POST", ports, { port });
  const id = String(at(made.body, "port", "id"));
  t.name("PORT", id);
  await t.ask("network", "POST", ports, { port: { ...port, network_id: nothing } });
  await t.ask("network", "POST", ports, { port: { ...port, security_groups: [nothing] } });
  await t.ask("network", "DELETE", `/v2.0/security-groups/${group[0]}`);
  await t.ask("network", "PUT", `${ports}/${id}/tags/lessor-made`);
  await t.ask("network", "PUT", `${ports}/${id}/tags/lessor-made`);
  await t.ask("network", "PUT", `${ports}/${nothing}/tags/lessor-made`);
  await t.ask("network", "GET", `${ports}/${id}/tags`);
  await t.ask("network", "GET", `${ports}/${id}/tags/lessor-made`);
  await t.ask("network", "GET", `${ports}/${id}/tags/nothing`);
  await t.ask("network", "DELETE", `${ports}/${id}/tags/nothing`);
  for (const query of [
    "name=lessor-t",
    "name=nothing",
    "tags=lessor-made",
    "tags=lessor-made,nothing",
    "description=gpu1&name=lessor-t",
    "nothing=1",
  ])
    await t.ask("network", "GET", `${ports}?${query}`);
  await t.ask("network", "GET", `${ports}?name=lessor-t&limit=1`);
  await t.ask("network", "GET", `${ports}?name=lessor-t&fields=id`);
  await t.ask("network", "GET", `${ports}/${id}`, undefined, { as: "member" });
  await t.ask("network", "DELETE", `${ports}/${id}/tags/lessor-made`);
  await t.ask("network", "PUT", `${ports}/${id}`, { port: { description: "gpu2" } });
  await t.ask("network", "PUT", `${ports}/${id}`, { port: { security_groups: [nothing] } });
  await t.ask("network", "GET", `${ports}/${nothing}`);
  await t.ask("network", "DELETE", `${ports}/${nothing}`);
  await t.ask("network", "GET", "/v2.0/networks?name=nothing");
  await t.ask("network", "GET", `/v2.0/networks?id=${t.site.network}&fields=id`, undefined, { as: "member" });
}

/** Of the group that was made before. */
async function group_(t: Transcript): Promise<readonly string[]> {
  const { body } = await t.site.admin("network", "GET", "/v2.0/security-groups?name=lessor-t");
  return [String(at(body, "security_groups", 0, "id"))];
}

async function placementSteps(t: Transcript): Promise<void> {
  const host = await t.site.admin("placement", "GET", "/resource_providers?name=gpu1");
  const id = String(at(host.body, "resource_providers", 0, "uuid"));
  t.name("GPU1", id);
  await t.ask("placement", "GET", "/resource_providers?name=gpu1");
  await t.ask("placement", "GET", "/resource_providers?name=nothing");
  const gpus = (key: string) => (body: unknown) => at(body, key, "CUSTOM_GPU_H200");
  await t.ask("placement", "GET", `/resource_providers/${id}/inventories`, undefined, { look: gpus("inventories") });
  await t.ask("placement", "GET", `/resource_providers/${id}/usages`);
  await t.ask("placement", "GET", `/resource_providers/${nothing}`);
  const ours = (body: unknown) => [
    at(body, "allocation_requests", 0, "allocations"),
    at(body, "provider_summaries", id, "resources", "CUSTOM_GPU_H200"),
  ];
  const path = "/allocation_candidates?resources=";
  await t.ask("placement", "GET", `${path}VCPU:1,CUSTOM_GPU_H200:8&limit=1&in_tree=${id}`, undefined, { look: ours });
  for (const query of ["VCPU:1,CUSTOM_GPU_H200:9", "CUSTOM_NOTHING:1", "nothing"])
    await t.ask("placement", "GET", `${path}${query}`);
  await t.ask("placement", "GET", "/allocation_candidates");
  await t.ask("placement", "GET", "/resource_providers?member_of=nothing");
  await t.ask("placement", "GET", `/resource_providers?member_of=${nothing}`);
}

async function imageSteps(t: Transcript): Promise<void> {
  const images = "/v2/images";
  const image = {
    name: "lessor-t",
    disk_format: "qcow2",
    container_format: "bare",
    visibility: "private",
    min_disk: 3,
  };
  const id = String(at((await t.ask("image", "POST", images, image)).body, "id"));
  t.name("IMAGE2", id);
  await t.ask("image", "GET", `${images}?name=lessor-t&status=active&sort=created_at:desc`);
  await t.ask("image", "PUT", `${images}/${id}/file`, Buffer.from("abc"));
  await t.ask("image", "PUT", `${images}/${id}/file`, Buffer.from("abc"));
  await t.ask("image", "PUT", `${images}/${nothing}/file`, Buffer.from("abc"));
  await t.ask("image", "GET", `${images}?name=lessor-t&status=active&sort=created_at:desc`);
  await t.ask("image", "GET", `${images}/${id}`, undefined, { as: "member" });
  await t.ask("image", "DELETE", `${images}/${id}`);
  await t.ask("image", "DELETE", `${images}/${id}`);
  await t.ask("image", "GET", `${images}/${id}`);
}
