// Makes the lab as it was at the start, after a test: no servers, ports, volumes, groups, and hosts that take servers.

import { type Api, eventually } from "./api.ts";
import { flavorIds, type Seed } from "./seed.ts";

interface Row {
  readonly id: string;
  readonly name: string;
}

/** Removes everything that is not of the seed, in all projects. `api`: the administrator's. */
export async function wipe(api: Api, seed: Seed): Promise<void> {
  await openHosts(api);
  await removeServers(api);
  await removeVolumes(api);
  const floating = await rows<Row>(api, "floatingips");
  await each(floating, ({ id }) => remove(api, "network", `/floatingips/${id}`));
  const ports = await rows<Row & { device_owner: string }>(api, "ports");
  const tests = ports.filter(({ device_owner }) => !device_owner.startsWith("network:"));
  await each(tests, ({ id }) => remove(api, "network", `/ports/${id}`));
  const groups = await rows<Row>(api, "security_groups", "security-groups");
  await each(
    groups.filter(({ name }) => name !== "default"),
    ({ id }) => remove(api, "network", `/security-groups/${id}`),
  );
  const { images } = await api.expect("image", "/images?limit=1000");
  await each(
    images.filter(({ id }: Row) => id !== seed.imageId),
    ({ id }: Row) => remove(api, "image", `/images/${id}`),
  );
  const { flavors } = await api.expect("compute", "/flavors?is_public=None");
  await each(
    flavors.filter(({ id }: Row) => !flavorIds.includes(id)),
    ({ id }: Row) => remove(api, "compute", `/flavors/${id}`),
  );
}

/** What servers, ports, groups, volumes and addresses there are: a line for each, for tests that are to leave nothing. */
export async function orphans(api: Api): Promise<string[]> {
  const { servers } = await api.expect("compute", "/servers/detail?all_tenants=1");
  const ports = await rows<Row & { device_owner: string }>(api, "ports");
  const groups = await rows<Row>(api, "security_groups", "security-groups");
  const floating = await rows<Row & { floating_ip_address: string }>(api, "floatingips");
  const { volumes } = await api.expect("volume", "/volumes/detail?all_tenants=1");
  return [
    ...volumes.map(({ id, name }: Row) => `volume ${name} ${id}`),
    ...servers.map(({ id, name }: Row) => `server ${name} ${id}`),
    ...ports
      .filter(({ device_owner }) => !device_owner.startsWith("network:"))
      .map(({ id, name }) => `port ${name} ${id}`),
    ...groups.filter(({ name }) => name !== "default").map(({ id, name }) => `security group ${name} ${id}`),
    ...floating.map(({ floating_ip_address }) => `floating address ${floating_ip_address}`),
  ];
}

async function openHosts(api: Api): Promise<void> {
  const { services } = await api.expect("compute", "/os-services?binary=nova-compute");
  for (const { id, status, forced_down } of services) {
    if (status === "enabled" && !forced_down) continue;
    // Two requests: Nova takes one of these at a time.
    await api.expect("compute", `/os-services/${id}`, { method: "PUT", body: { forced_down: false } });
    await api.expect("compute", `/os-services/${id}`, { method: "PUT", body: { status: "enabled" } });
  }
}

async function removeServers(api: Api): Promise<void> {
  await eventually("the end of all servers", 120, async () => {
    const { servers } = await api.expect("compute", "/servers/detail?all_tenants=1");
    if (servers.length === 0) return true;
    const idle = servers.filter((one: Record<string, unknown>) => one["OS-EXT-STS:task_state"] !== "deleting");
    await each(idle, ({ id }: Row) => remove(api, "compute", `/servers/${id}`));
    return undefined;
  });
}

async function removeVolumes(api: Api): Promise<void> {
  await eventually("the end of all volumes", 60, async () => {
    const { volumes } = await api.expect("volume", "/volumes/detail?all_tenants=1");
    if (volumes.length === 0) return true;
    // With its snapshots; 400 while a server that is going still has it.
    const gone = ({ id }: Row) =>
      api.expect("volume", `/volumes/${id}?cascade=true`, { method: "DELETE" }, [400, 404]).then(() => {});
    await each(
      volumes.filter(({ status }: { status: string }) => status !== "deleting"),
      gone,
    );
    return undefined;
  });
}

async function rows<T>(api: Api, key: string, path = key): Promise<T[]> {
  return (await api.expect("network", `/${path}`))[key];
}

async function remove(api: Api, service: "compute" | "network" | "image", path: string): Promise<void> {
  await api.expect(service, path, { method: "DELETE" }, [404, 409]);
}

/** Four at once: more only wait for the services. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}
