// A fake cloud for tests of `lessor engine check`: it is ready, until the test makes something of it unfit.

import { onTestFinished } from "vitest";
import { probeInstallation } from "../../src/engines/check/test-instance-label.ts";
import type { Step, Subject } from "../../src/engines/openstack/check/subject.ts";
import { openCloud } from "../../src/engines/openstack/cloud.ts";
import type { CloudRegion, OpenStackSettings } from "../../src/engines/openstack/settings/settings.ts";
import { lines } from "./check-stand.ts";
import type { FakeService } from "./fake-openstack/exchange.ts";
import { beginStand, type Stand, type StandOptions } from "./fake-openstack/stand.ts";

export interface CloudChange {
  readonly settings?: Partial<OpenStackSettings>;
  readonly region?: Partial<CloudRegion>;
}

export class CloudCheckStand {
  readonly stand: Stand;

  constructor(stand: Stand) {
    this.stand = stand;
  }

  /** The GPUs that the fake's hosts have, and no others. */
  settings({ settings, region }: CloudChange = {}): OpenStackSettings {
    const { CUSTOM_GPU_H200 } = this.stand.settings.gpus;
    const given = { gpus: { CUSTOM_GPU_H200 }, managementNetworks: ["192.0.2.0/24"] };
    const own: OpenStackSettings = { ...this.stand.settings, ...given };
    return { ...own, regions: own.regions.map((one) => ({ ...one, ...region })), ...settings };
  }

  /** From now on GET of the path is refused with this status. */
  refuse(service: FakeService, path: RegExp, status: number, message = "not allowed"): void {
    this.stand.fake.faults.add(service, "GET", path, { fail: { status, message } }, Infinity);
  }

  answer(service: FakeService, path: RegExp, body: object): void {
    this.stand.fake.faults.add(service, "GET", path, { answer: { status: 200, body } }, Infinity);
  }

  subject(change: CloudChange = {}): Subject {
    const cloud = openCloud(this.settings(change), probeInstallation);
    onTestFinished(() => cloud.client.close());
    const { id, name } = this.stand.project;
    const [region] = cloud.regions;
    if (region === undefined) throw new Error("BUG: a stand without a region");
    return { cloud, region, project: { id, name, roles: [...(this.stand.user.roles.get(id) ?? [])] } };
  }

  /** The lines that the step tells. */
  run(step: Step, change: CloudChange = {}): Promise<string[]> {
    return lines(step(this.subject(change), AbortSignal.timeout(10_000)));
  }
}

export async function beginCloudCheckStand(options: StandOptions = {}): Promise<CloudCheckStand> {
  return new CloudCheckStand(await beginStand(options));
}
