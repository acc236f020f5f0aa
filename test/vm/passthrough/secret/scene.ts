// What every part of the story is told with: the host, the service on it, the tenants; and claims about them. Used by
// story.ts and its parts.

import type { GpuHelper } from "../../../../src/gpus/helper.ts";
import type { GpuHost } from "../gpu-host.ts";
import type { Report } from "../report.ts";
import type { ListedGpu, Service } from "./service.ts";
import type { Tenants } from "./tenants.ts";

export interface SceneParts {
  readonly host: GpuHost;
  readonly tenants: Tenants;
  readonly service: Service;
  /** The client of the service, for what it does not show. */
  readonly helper: GpuHelper;
  readonly report: Report;
}

export class Scene {
  readonly host: GpuHost;
  readonly tenants: Tenants;
  readonly service: Service;
  readonly helper: GpuHelper;
  readonly #report: Report;

  constructor({ host, tenants, service, helper, report }: SceneParts) {
    this.host = host;
    this.tenants = tenants;
    this.service = service;
    this.helper = helper;
    this.#report = report;
  }

  tell(text: string): void {
    this.#report.tell(text);
  }

  /** `seen` is shown either way. */
  holds(claim: string, isSo: boolean, seen: unknown = ""): void {
    this.#report.holds(claim, isSo, seen);
  }

  /** That what was found in a device's memory is what is expected. */
  finds(claim: string, found: string | undefined, expected: string): void {
    this.holds(claim, found === expected, found ?? "nothing was said");
  }

  /** That a GPU with which nothing happens any more is in that state. */
  isAtRest(claim: string, { state, reason, evidence }: ListedGpu, expected: ListedGpu["state"]): void {
    this.holds(claim, state === expected, [state, reason, evidence].filter((one) => one !== null).join(", "));
  }
}
