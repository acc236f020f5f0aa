// The engine on the lab: its settings in lessor.yaml's words, for the program and for an engine without a service around it.
//
// The guests of the lab do not boot, so the readiness probe is a command that greets as an SSH server does.

import { dirname } from "node:path";
import { type OpenStackSettings, resolveOpenStack } from "../../src/engines/openstack/settings/settings.ts";
import * as general from "../support/service/service.ts";
import type { Lab } from "./lab/lab.ts";

export type { Customer, Service, Shown } from "../support/service/service.ts";

/** Whether Lessor decides the host, as the cloud's administrator, or Nova does, in a pool, for a project's member. */
export type Mode = "visible" | "pool";

const gpuClass = "CUSTOM_GPU_H200";

/** An item of `openstack:` in lessor.yaml. The hosts with GPUs as a resource class are in its region. */
export function cloudOf(lab: Lab, mode: Mode) {
  // More than there is: Nova finds out.
  const pools = [{ gpu: gpuClass, count: 24, vcpus: 400, memory_gib: 4000, storage_gb: 40_000 }];
  const region = { network: lab.names.network, availability_zone: lab.aggregates.gpus };
  return {
    name: "lab",
    clouds_file: lab.cloudsFile,
    cloud: mode === "visible" ? "admin" : "tenant",
    regions: { lab: mode === "visible" ? region : { ...region, pools } },
    gpus: { [gpuClass]: { model: "h200_sxm5", memory_gib: 141 } },
    flavors: mode === "visible" ? ("created" as const) : ("mapped" as const),
    images: { "debian-12": { name: lab.names.image } },
    poll_seconds: 2,
    ssh_probe: { command: ["sh", "-c", "echo SSH-2.0-lab # {ip}"] },
    management_networks: ["10.0.0.0/8"],
  };
}

export function engineSettings(lab: Lab, mode: Mode): OpenStackSettings {
  const file = { name: "lessor.yaml", directory: dirname(lab.cloudsFile) };
  const [settings] = resolveOpenStack([cloudOf(lab, mode)], file);
  if (settings === undefined) throw new Error("BUG: no cloud");
  return settings;
}

/** The real program on the lab (support/service). Ended, and its directory removed, when the test is over. */
export function startService(lab: Lab, mode: Mode, options: general.ServiceOptions = {}): Promise<general.Service> {
  const size =
    mode === "visible" ? { vcpus: 4, memory_gib: 16, storage_gb: 40 } : { vcpus: 16, memory_gib: 128, storage_gb: 200 };
  const gpu = { gpu_model: "h200_sxm5", price_cents_per_hour: 249 };
  return general.startService(
    {
      engine: (part) => ({ openstack: [{ ...cloudOf(lab, mode), ...part }] }),
      hosts: mode === "visible" ? 2 : 1,
      products: {
        small: { ...size, gpus: 1, ...gpu },
        whole: { vcpus: 96, memory_gib: 1024, storage_gb: 2000, gpus: 8, ...gpu },
      },
      ssh: () => Promise.reject(new Error("BUG: no guest boots here")),
    },
    options,
  );
}

/** The servers and ports that engines have in the lab, by name, of both projects. */
export async function madeIn(lab: Lab): Promise<{ readonly servers: string[]; readonly ports: string[] }> {
  const servers = (await lab.request("compute", "/servers?all_tenants=1")).body.servers;
  const ports = (await lab.request("network", "/ports")).body.ports;
  const ours = (all: readonly { readonly name: string }[]) =>
    all
      .map(({ name }) => name)
      .filter((name) => name.startsWith("lessor-"))
      .sort();
  return { servers: ours(servers), ports: ours(ports) };
}
