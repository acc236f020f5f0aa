// What is in the lab's cloud from the start: a catalog, a project with a user who is no administrator, flavors, an image,
// networks, aggregates. All over the services' own interfaces; snapshot.ts keeps it.

import { Api, adminCredentials, type Credentials, eventually } from "./api.ts";
import { volumeType } from "./configuration/cinder.ts";
import { hosts, type Layout, urlOf } from "./layout.ts";

/** What it made, as far as it is not the same in each lab. */
export interface Seed {
  readonly imageId: string;
  readonly networkId: string;
  readonly floatingNetworkId: string;
  readonly tenant: Tenant;
}

/** A project's member, who sees no hosts. */
export interface Tenant {
  readonly projectId: string;
  readonly userId: string;
  readonly password: string;
  readonly credentialId: string;
  readonly credentialSecret: string;
}

export const names = {
  image: "Ubuntu 24.04",
  network: "rent",
  floatingNetwork: "public",
  project: "renters",
  user: "renter",
  router: "router",
  cpuFlavor: "cpu.small",
  volumeType,
} as const;

/** Extra specs and sizes by name; the ids are the names. */
const flavors = [
  { id: names.cpuFlavor, vcpus: 2, ram: 4096, disk: 20, extra: {} },
  {
    id: "gpu.h200.1",
    vcpus: 16,
    ram: 131_072,
    disk: 200,
    extra: { "resources:CUSTOM_GPU_H200": "1", "trait:CUSTOM_GPU_H200_SXM": "required" },
  },
  { id: "gpu.h200.8", vcpus: 96, ram: 1_048_576, disk: 2000, extra: { "resources:CUSTOM_GPU_H200": "8" } },
  { id: "pci.h200.1", vcpus: 16, ram: 131_072, disk: 200, extra: { "pci_passthrough:alias": "h200:1" } },
] as const;

export const flavorIds: readonly string[] = flavors.map(({ id }) => id);

export const aggregates = { gpus: "gpu-az", pci: "pci-az" } as const;

/** Needs Keystone. Before the others start, since they look there for each other. */
export async function seedCatalog(layout: Layout): Promise<void> {
  const api = new Api(layout, adminCredentials);
  const volume = `${urlOf(layout, "volume")}/v3/$(project_id)s`;
  const entries = {
    image: urlOf(layout, "image"),
    placement: urlOf(layout, "placement"),
    compute: `${urlOf(layout, "compute")}/v2.1`,
    network: urlOf(layout, "network"),
    volumev3: volume,
  };
  for (const [type, url] of Object.entries(entries)) {
    const { service } = await api.expect("identity", "/services", post({ service: { type, name: type } }));
    for (const kind of ["public", "internal"]) {
      const endpoint = { service_id: service.id, interface: kind, region: "RegionOne", url };
      await api.expect("identity", "/endpoints", post({ endpoint }));
    }
  }
}

/** Needs all services. Returns when every host takes servers. */
export async function seedCloud(layout: Layout): Promise<Seed> {
  const api = new Api(layout, adminCredentials);
  const [tenant, imageId, networks] = await Promise.all([
    makeTenant(layout, api),
    makeImage(api),
    makeNetworks(api),
    makeFlavors(api),
    makeVolumeType(api),
    makeAggregates(api),
  ]);
  return { tenant, imageId, ...networks };
}

/** Of Placement: the hosts, and on those with PCI devices one below for each. */
const providers = hosts.length + 8 * hosts.filter(({ gpus }) => gpus === "pci").length;

/** Returns when Nova says of every host that it is up, and Placement knows its GPUs. */
export async function hostsAreUp(api: Api): Promise<void> {
  await eventually("all hosts", 120, async () => {
    const { hypervisors } = await api.expect("compute", "/os-hypervisors");
    const up: string[] = hypervisors.flatMap((one: { state: string; hypervisor_hostname: string }) =>
      one.state === "up" ? [one.hypervisor_hostname] : [],
    );
    if (!hosts.every(({ name }) => up.includes(name))) return undefined;
    const { resource_providers } = await api.expect("placement", "/resource_providers");
    return resource_providers.length === providers ? true : undefined;
  });
}

async function makeTenant(layout: Layout, api: Api): Promise<Tenant> {
  const password = "lab-renter";
  const { project } = await api.expect("identity", "/projects", post({ project: { name: names.project } }));
  const { user } = await api.expect("identity", "/users", post({ user: { name: names.user, password } }));
  const { roles } = await api.expect("identity", "/roles?name=member");
  await api.expect("identity", `/projects/${project.id}/users/${user.id}/roles/${roles[0].id}`, { method: "PUT" });
  const renter = new Api(layout, passwordOf(user.id, password, project.id));
  // Named, since what it implies is no role that the user was given.
  const wanted = { application_credential: { name: "lessor", roles: [{ name: "member" }] } };
  const made = await renter.expect("identity", `/users/${user.id}/application_credentials`, post(wanted));
  const { id, secret } = made.application_credential;
  return { projectId: project.id, userId: user.id, password, credentialId: id, credentialSecret: secret };
}

export function passwordOf(userId: string, password: string, projectId: string): Credentials {
  return {
    identity: { methods: ["password"], password: { user: { id: userId, password } } },
    scope: { project: { id: projectId } },
  };
}

async function makeImage(api: Api): Promise<string> {
  const image = { name: names.image, disk_format: "raw", container_format: "bare", visibility: "public" };
  const { id } = await api.expect("image", "/images", post(image));
  const headers = { "content-type": "application/octet-stream" };
  await api.expect("image", `/images/${id}/file`, { method: "PUT", body: new Uint8Array(4096), headers });
  return id;
}

async function makeFlavors(api: Api): Promise<void> {
  for (const { id, vcpus, ram, disk, extra } of flavors) {
    await api.expect("compute", "/flavors", post({ flavor: { id, name: id, vcpus, ram, disk } }));
    if (Object.keys(extra).length > 0) {
      await api.expect("compute", `/flavors/${id}/os-extra_specs`, post({ extra_specs: extra }));
    }
  }
}

/** The default one, which no request names, and what makes it that of the backend. */
async function makeVolumeType(api: Api): Promise<void> {
  const volume_type = { name: names.volumeType, extra_specs: { volume_backend_name: names.volumeType } };
  await api.expect("volume", "/types", post({ volume_type }));
}

async function makeNetworks(api: Api): Promise<Pick<Seed, "networkId" | "floatingNetworkId">> {
  const make = async (network: object, subnet: object): Promise<{ networkId: string; subnetId: string }> => {
    const made = await api.expect("network", "/networks", post({ network }));
    const network_id = made.network.id;
    const below = await api.expect("network", "/subnets", post({ subnet: { network_id, ip_version: 4, ...subnet } }));
    return { networkId: network_id, subnetId: below.subnet.id };
  };
  const outside = await make(
    {
      name: names.floatingNetwork,
      "router:external": true,
      "provider:network_type": "flat",
      "provider:physical_network": "public",
    },
    { cidr: "203.0.113.0/24", enable_dhcp: false },
  );
  const inside = await make({ name: names.network, shared: true }, { cidr: "10.20.0.0/16" });
  const router = { name: names.router, external_gateway_info: { network_id: outside.networkId } };
  const made = await api.expect("network", "/routers", post({ router }));
  const interfaces = { method: "PUT", body: { subnet_id: inside.subnetId } } as const;
  await api.expect("network", `/routers/${made.router.id}/add_router_interface`, interfaces);
  return { networkId: inside.networkId, floatingNetworkId: outside.networkId };
}

async function makeAggregates(api: Api): Promise<void> {
  await hostsAreUp(api);
  for (const [name, availability_zone] of Object.entries(aggregates)) {
    const { aggregate } = await api.expect(
      "compute",
      "/os-aggregates",
      post({ aggregate: { name, availability_zone } }),
    );
    for (const host of hosts.filter(({ availabilityZone }) => availabilityZone === availability_zone)) {
      const action = post({ add_host: { host: host.name } });
      // Until the scheduler has discovered it.
      await eventually(`${host.name} to be known`, 60, async () => {
        const { status } = await api.request("compute", `/os-aggregates/${aggregate.id}/action`, action);
        return status === 200 ? true : undefined;
      });
    }
  }
}

function post(body: object) {
  return { method: "POST", body } as const;
}
