// How the fake's Nova shows a server: by microversion, and with what only admins see.

import { type FakeCall, microStamp, stamp } from "./exchange.ts";
import { isAdmin } from "./identity.ts";
import { type FakeServer, vmStates } from "./servers.ts";
import { type FakeWorld, hostIdOf } from "./world.ts";

export function briefServer({ base }: FakeCall, { id, name }: FakeServer): object {
  return { id, name, links: links(base, `servers/${id}`) };
}

export function shownServer(world: FakeWorld, call: FakeCall, server: FakeServer): object {
  const { base, version, caller } = call;
  const { id, status, flavor, fault } = server;
  const host = server.host === undefined ? undefined : world.hosts.hosts.get(server.host);
  const hostStatus =
    host === undefined || status === "DELETED" ? "" : host.down ? "DOWN" : host.disabled ? "MAINTENANCE" : "UP";
  const shownFault = fault &&
    status === "ERROR" && {
      ...{ code: fault.code, created: stamp(fault.created), message: fault.message },
      ...(isAdmin(caller) ? { details: "Traceback (most recent call last):\n" } : {}),
    };
  return {
    ...{ id, name: server.name, status, tenant_id: server.project, user_id: server.user, metadata: server.metadata },
    hostId: hostIdOf(server.project, server.host),
    image:
      server.image === undefined ? "" : { id: server.image, links: links(base, `images/${server.image}`).slice(1) },
    flavor: version >= 47 ? embedded(flavor) : { id: flavor.id, links: links(base, `flavors/${flavor.id}`).slice(1) },
    ...{ created: stamp(server.created), updated: stamp(server.updated), addresses: addressesOf(world, server) },
    ...{ accessIPv4: "", accessIPv6: "", links: links(base, `servers/${id}`), "OS-DCF:diskConfig": "MANUAL" },
    ...(status === "BUILD" || status === "ACTIVE" ? { progress: 0 } : {}),
    ...(shownFault ? { fault: shownFault } : {}),
    "OS-EXT-AZ:availability_zone": host === undefined ? "" : world.hosts.zoneOf(host.name),
    ...{ config_drive: server.configDrive ? "True" : "", key_name: null },
    "OS-SRV-USG:launched_at": server.launched === undefined ? null : microStamp(server.launched),
    "OS-SRV-USG:terminated_at": server.terminated === undefined ? null : microStamp(server.terminated),
    ...(server.ports.length === 0 ? {} : { security_groups: groupsOf(world, server) }),
    ...(isAdmin(caller) ? adminOnly(server, version) : {}),
    ...{ "OS-EXT-STS:task_state": server.task, "OS-EXT-STS:vm_state": vmStates[status] },
    "OS-EXT-STS:power_state": server.power,
    "os-extended-volumes:volumes_attached": server.volumes.map((one) => ({ id: one, delete_on_termination: false })),
    ...(version >= 16 && isAdmin(caller) ? { host_status: hostStatus } : {}),
    ...(version >= 9 ? { locked: false } : {}),
    ...(version >= 73 ? { locked_reason: null } : {}),
    ...(version >= 19 ? { description: server.description } : {}),
    ...(version >= 26 ? { tags: [...server.tags].sort() } : {}),
    ...(version >= 63 ? { trusted_image_certificates: null } : {}),
    ...(version >= 71 ? { server_groups: [] } : {}),
  };
}

/** By network, the fixed address first. */
export function addressesOf({ networks }: FakeWorld, { ports }: FakeServer): Record<string, object[]> {
  const rows: Record<string, object[]> = {};
  for (const port of ports) {
    const one = (addr: string, type: string) => ({
      ...{ version: 4, addr, "OS-EXT-IPS:type": type, "OS-EXT-IPS-MAC:mac_addr": port.mac },
    });
    const floating = networks.floatingOf(port);
    const { name } = port.network;
    const also = floating === undefined ? [] : [one(floating.address, "floating")];
    rows[name] = [...(rows[name] ?? []), one(port.address, "fixed"), ...also];
  }
  return rows;
}

function groupsOf({ networks }: FakeWorld, { ports }: FakeServer): object[] {
  const names = new Set(ports.flatMap(({ groups }) => groups.map((id) => networks.groups.get(id)?.name ?? id)));
  return [...names].map((name) => ({ name }));
}

function adminOnly(server: FakeServer, version: number): object {
  return {
    ...{ "OS-EXT-SRV-ATTR:host": server.host ?? null, "OS-EXT-SRV-ATTR:hypervisor_hostname": server.host ?? null },
    "OS-EXT-SRV-ATTR:instance_name": `instance-${server.number.toString(16).padStart(8, "0")}`,
    ...(version < 3
      ? {}
      : {
          ...{ "OS-EXT-SRV-ATTR:hostname": server.name, "OS-EXT-SRV-ATTR:user_data": server.userData },
          ...{ "OS-EXT-SRV-ATTR:reservation_id": "r-00000000", "OS-EXT-SRV-ATTR:launch_index": 0 },
          ...{
            "OS-EXT-SRV-ATTR:kernel_id": "",
            "OS-EXT-SRV-ATTR:ramdisk_id": "",
            "OS-EXT-SRV-ATTR:root_device_name": null,
          },
        }),
  };
}

function embedded({ vcpus, ram, disk, name, extraSpecs }: FakeServer["flavor"]): object {
  return { vcpus, ram, disk, ephemeral: 0, swap: 0, original_name: name, extra_specs: extraSpecs };
}

function links(base: string, path: string): { readonly rel: string; readonly href: string }[] {
  return [
    { rel: "self", href: `${base}/v2.1/${path}` },
    { rel: "bookmark", href: `${base}/${path}` },
  ];
}
