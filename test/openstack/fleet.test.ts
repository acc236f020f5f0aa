// The engine in a cloud of 250 hosts and 2,000 servers (lab/fleet.ts): what it asks of the services is a budget, in requests.
// How long that takes, and what Lessor takes at rest, is measured by the benchmark `openstack`.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiRequest, observeRequests } from "../../bench/service/api-requests.ts";
import { OpenStackEngine } from "../../src/engines/openstack/engine.ts";
import { booted } from "../support/fake-openstack/engines.ts";
import { machineSpecOn } from "../support/machine-spec.ts";
import { engineSettings } from "./ground.ts";
import { addHosts, addServers } from "./lab/fleet.ts";
import { type StartedLab, startLab } from "./lab/lab.ts";

const size = { hosts: 250, perHost: 8, servers: 1999 };

/** Its own, which no test after this one cleans: nothing runs on the hosts that could delete servers. */
let started: StartedLab;
const seen: ApiRequest[] = [];
const signal = () => AbortSignal.timeout(120_000);

beforeAll(async () => {
  started = await startLab({ log: (line) => process.stderr.write(`lab: ${line}\n`) });
  observeRequests((request) => seen.push(request));
});
afterAll(() => started?.stop());

it("a sync of the hosts takes six requests and a full resync seven: no host and no server is asked about by itself", async () => {
  const engine = new OpenStackEngine(engineSettings(started.lab, "visible"), crypto.randomUUID());
  // Eight of them leave no vCPU of a host.
  const gpuAddresses = ["CUSTOM_GPU_H200/0"];
  const spec = machineSpecOn("gpu1", { vcpus: 32, memoryGib: 240, storageGb: 2000, gpuAddresses });
  await booted(engine, spec);
  await addHosts(started.lab.slot, "gpu1", size);
  const fleet = await addServers(started.lab.slot, spec.id, size);
  await Promise.all([engine.hosts(signal()), engine.list(signal())]);

  seen.length = 0;
  const hosts = await engine.hosts(signal());
  expect(seen.map(({ path }) => path)).toHaveLength(6);
  expect(hosts).toHaveLength(size.hosts + 2);
  expect(hosts.every(({ gpus, vcpus, available }) => gpus.length === 8 && vcpus === 256 && available)).toBe(true);

  seen.length = 0;
  const { machines, unreachableHosts } = await engine.list(signal());
  // Ports, changed servers, three pages of ids, the services of hosts, and security groups.
  expect(seen.map(({ path }) => path)).toHaveLength(7);
  expect(unreachableHosts).toEqual([]);
  const listed = new Map(machines.map(({ id, host }) => [id, host]));
  expect(listed).toEqual(new Map([[spec.id, "gpu1"], ...fleet.map(({ id, host }) => [id, host] as const)]));
  await engine.close();
});
