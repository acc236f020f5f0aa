// What each host has to rent after what is kept back, and which of its GPUs are known by name.

import type { HostReport } from "../../engine.ts";
import { type GpuCard, ResourcesAnswer } from "../api.ts";
import { hostName, targetOf } from "../cluster.ts";
import { modelOf, pciId } from "../gpu-models.ts";
import { readHosts } from "../hosts.ts";
import { type Finding, listed, ok, problem, warning } from "./finding.ts";
import { type Subject, serving } from "./subject.ts";

/** NVIDIA, AMD and Intel. Others make the graphics chips of remote consoles, which nobody rents. */
const makers = /^(10de|1002|8086):/;

export async function* checkHardware(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { cluster } = subject;
  const reports = await readHosts(cluster, new Map(), signal);
  for (const { server_name: member } of serving(subject)) {
    const host = hostName(cluster, member);
    const report = reports.find(({ name }) => name === host);
    if (report !== undefined) yield describe(host, report);
    const target = await targetOf(cluster, member, signal);
    const { gpu } = await cluster.client.read("/1.0/resources", ResourcesAnswer, signal, target);
    yield* unknownGpus(subject, host, gpu.cards ?? []);
  }
}

function describe(host: string, { vcpus, memoryGib, storageGb, gpus, region }: HostReport): Finding {
  const detail = `${vcpus} vCPUs, ${memoryGib} GiB, ${storageGb} GB, ${gpuNames(gpus)}, in ${region}`;
  const nothing = Object.entries({ vCPUs: vcpus, memory: memoryGib, storage: storageGb })
    .filter(([, amount]) => amount < 1)
    .map(([what]) => what);
  if (nothing.length === 0) return ok(host, detail);
  return problem(host, `${detail}: no ${listed(nothing)} to rent`, "lower reserved, or take the member out");
}

function gpuNames(gpus: HostReport["gpus"]): string {
  const counts = new Map<string, number>();
  for (const { model } of gpus) counts.set(model, (counts.get(model) ?? 0) + 1);
  return counts.size === 0 ? "no GPU" : [...counts].map(([model, count]) => `${count} × ${model}`).join(", ");
}

function* unknownGpus({ cluster }: Subject, host: string, cards: readonly GpuCard[]): Generator<Finding> {
  const { gpuModels } = cluster.settings;
  for (const card of cards) {
    const id = pciId(card);
    if (id === undefined || !makers.test(id)) continue;
    if (modelOf(card, gpuModels) === undefined) {
      const name = [card.vendor, card.product].filter(Boolean).join(" ");
      const at = card.pci_address ?? "an unknown address";
      yield warning(
        host,
        `GPU ${id}${name === "" ? "" : ` "${name}"`} at ${at} is in no table, and not rented`,
        `if it should be, add it to gpu_models: "${id}": { model: …, memory_gib: … }`,
      );
    } else if (!card.pci_address) {
      yield warning(host, `GPU ${id} has no PCI address, and is not rented`, "look at it: lspci -nn on the member");
    }
  }
}
