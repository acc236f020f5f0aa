// Whether the fake cloud has what an instance says, once everything rests. Used by life.ts.

import { groupsOf, serversOf } from "../../support/fake-openstack/engines.ts";
import type { FakeCloud } from "../../support/fake-openstack/stand.ts";

interface Instance {
  readonly id: string;
  readonly host: string;
  readonly state: string;
}

const statuses: Readonly<Record<string, string>> = { active: "ACTIVE", stopped: "SHUTOFF" };

/**
 * One line for each difference. `fileSystemId`: of the only file system, which the instance has. `isOnce`: one
 * server was made, and no other ever.
 */
export function cloudDisagrees(
  stand: FakeCloud,
  instance: Instance,
  fileSystemId: string | undefined,
  isOnce: boolean,
): string[] {
  const { world } = stand;
  const { floatings } = world.networks;
  const ports = [...world.networks.ports.values()];
  const live = [...world.servers.values()].filter(({ status }) => status !== "DELETED");
  const wanted = Object.hasOwn(statuses, instance.state) ? 1 : 0;
  const used = new Set(ports.flatMap(({ groups }) => groups));
  const unused = groupsOf(stand).filter((id) => !used.has(id)).length;
  const volumes = [...world.volumes.values()].map(({ name, status }) => `${name} ${status}`).join();
  const volume = `lessor-${fileSystemId} ${wanted === 1 ? "in-use" : "available"}`;
  const [server] = live;
  const pairs: (readonly [what: string, is: unknown, should: unknown])[] = [
    ["servers", live.length, wanted],
    ["ports", ports.length, wanted],
    ["floating addresses", floatings.size, wanted],
    ["volumes", volumes, fileSystemId === undefined ? "" : volume],
    // The one that lets everything in stays.
    ["unused groups", unused > 1 ? unused : 0, 0],
    ["servers too many", isOnce ? Math.max(serversOf(stand, instance).length - 1, 0) : 0, 0],
  ];
  if (server !== undefined) {
    const secrets = Object.keys(server.metadata).filter((key) => key.startsWith("lessor-secret-"));
    pairs.push(
      ["status", server.status, statuses[instance.state]],
      ["the port's server", ports.map(({ device }) => device).join(), server.id],
      [
        "the address's port",
        [...floatings.values()].map(({ port }) => port?.id).join(),
        ports.map(({ id }) => id).join(),
      ],
      ["volumes of the server", server.volumes.length, fileSystemId === undefined ? 0 : wanted],
      ["secrets in metadata", secrets.join(), ""],
      ["the guest has read its secrets", server.guestRead !== undefined, true],
    );
  }
  return pairs.flatMap(([what, is, should]) => (is === should ? [] : [`${what}: ${is}, should be ${should}`]));
}
