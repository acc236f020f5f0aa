// A fake cluster for tests of `lessor engine check`: it is ready, until the test makes something of it unfit.

import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Finding } from "../../src/engines/check/finding.ts";
import type { Member, ServerInfo } from "../../src/engines/incus/api.ts";
import type { Step, Subject } from "../../src/engines/incus/check/subject.ts";
import { openCluster } from "../../src/engines/incus/cluster.ts";
import type { IncusSettings } from "../../src/engines/incus/settings/settings.ts";
import type { FakeIncus } from "./fake-incus/fake-incus.ts";
import { openSshDoor, type SshDoor } from "./fake-incus/ssh-door.ts";
import { beginFake, settingsFor } from "./fake-incus/stand.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

export const imageFingerprint = "ab".repeat(32);

/** Every extension that the check asks for. */
const extensions =
  "instances virtual-machines image_types instance_get_full projects patch directory_manipulation cloud_init storage " +
  "resources_v2 resources_gpu gpu_devices event_lifecycle console container_exec_user_group_cwd " +
  "instance_nic_bridged_port_isolation container_nic_ipfilter clustering clustering_evacuation clustering_groups";

export function serverInfo(part: Partial<ServerInfo["environment"]> = {}): ServerInfo {
  return {
    auth: "trusted",
    api_extensions: extensions.split(" "),
    environment: {
      server: "lxd",
      server_version: "5.0.2",
      server_name: "m1",
      server_clustered: true,
      driver: "lxc | qemu",
      ...part,
    },
  };
}

export function member(name: string, part: Partial<Member> = {}): Member {
  return { server_name: name, status: "Online", groups: ["default"], ...part };
}

interface SubjectPart {
  readonly settings?: Partial<IncusSettings>;
  readonly server?: ServerInfo;
  readonly members?: readonly Member[];
}

export class CheckStand {
  readonly fake: FakeIncus;
  readonly settings: IncusSettings;
  readonly door: SshDoor;

  constructor(fake: FakeIncus, settings: IncusSettings, door: SshDoor) {
    this.fake = fake;
    this.settings = settings;
    this.door = door;
  }

  /** From now on this is what GET answers at the path, in the place of what it answered before. */
  answer(path: string, metadata: unknown): void {
    this.fake.faults.add("GET", exactly(path), { answer: JSON.stringify({ type: "sync", metadata }) }, Infinity);
  }

  refuse(path: string, status: number, error: string): void {
    this.fake.faults.add("GET", exactly(path), { fail: { status, error } }, Infinity);
  }

  /** What the steps of the check work with. */
  subject({ settings, server = serverInfo(), members = [member("m1"), member("m2")] }: SubjectPart = {}): Subject {
    const cluster = openCluster({ ...this.settings, ...settings }, "lessor-engine-check");
    onTestFinished(() => cluster.client.close());
    cluster.layout.clustered = server.environment.server_clustered;
    return { cluster, server, members, tool: server.environment.server === "incus" ? "incus" : "lxc" };
  }

  /** The lines that the step tells. */
  run(step: Step, part: SubjectPart = {}): Promise<string[]> {
    return lines(step(this.subject(part), AbortSignal.timeout(10_000)));
  }
}

/** Of the members m1 and m2. */
export async function beginCheckStand(): Promise<CheckStand> {
  const fake = await beginFake();
  const card = { pci_address: "0000:17:00.0", vendor_id: "10de", product_id: "2331" };
  fake.world.addMember("m1", { cards: [card] });
  fake.world.addMember("m2");
  const path = await fake.listenUnix(join(await temporaryDirectory(), "socket"));
  const door = await openSshDoor();
  const settings = settingsFor({ endpoints: [{ kind: "unix", path }], sshProbe: { kind: "tcp", port: door.port } });
  const stand = new CheckStand(fake, settings, door);
  const placed = { status: "Created", locations: ["m1", "m2"] };
  stand.answer("/1.0", serverInfo());
  stand.answer("/1.0/projects/default", { config: { "features.images": "true" } });
  stand.answer("/1.0/cluster/groups", [{ name: "default", members: ["m1", "m2"] }]);
  stand.answer("/1.0/storage-pools/local", { driver: "zfs", ...placed });
  const config = { "ipv4.address": "10.0.0.1/24", "ipv6.address": "none" };
  stand.answer("/1.0/networks/lxdbr0", { type: "bridge", managed: true, config, ...placed });
  stand.answer("/1.0/images/aliases", [{ name: "debian-12", type: "container" }]);
  stand.answer("/1.0/images/aliases/debian-12", { target: imageFingerprint });
  const image = { fingerprint: imageFingerprint, type: "container", architecture: "x86_64", size: 113_000_000 };
  stand.answer(`/1.0/images/${imageFingerprint}`, image);
  return stand;
}

/** `verdict what: detail -> advice`. */
export async function lines(findings: AsyncIterable<Finding> | Iterable<Finding>): Promise<string[]> {
  const told: string[] = [];
  for await (const { verdict, what, detail, advice } of findings) {
    told.push(`${verdict} ${what}: ${detail}${advice === undefined ? "" : ` -> ${advice}`}`);
  }
  return told;
}

/** Those that are not ok. */
export function faultsIn(told: readonly string[]): string[] {
  return told.filter((line) => !line.startsWith("ok "));
}

function exactly(path: string): RegExp {
  return new RegExp(`^${RegExp.escape(path)}$`);
}
