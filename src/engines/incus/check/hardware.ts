// What each host can offer after `reserved`, and which of its GPUs are known.

import { type Finding, warning } from "../../check/finding.ts";
import { describeHost, unknownGpu } from "../../check/hosts.ts";
import { modelOf, pciId } from "../../hardware/gpu-models.ts";
import { type GpuCard, ResourcesAnswer } from "../api.ts";
import { hostName, targetOf } from "../cluster.ts";
import { readHosts } from "../hosts.ts";
import { type Subject, serving } from "./subject.ts";

export async function* checkHardware(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { cluster } = subject;
  const reports = await readHosts(cluster, new Map(), signal);
  for (const { server_name: member } of serving(subject)) {
    const host = hostName(cluster, member);
    const report = reports.find(({ name }) => name === host);
    if (report !== undefined) yield describeHost(report, "lower reserved, or remove the member");
    const target = await targetOf(cluster, member, signal);
    const { gpu } = await cluster.client.read("/1.0/resources", ResourcesAnswer, signal, target);
    yield* unknownGpus(subject, host, gpu.cards ?? []);
  }
}

function* unknownGpus({ cluster }: Subject, host: string, cards: readonly GpuCard[]): Generator<Finding> {
  const { gpuModels } = cluster.settings;
  for (const card of cards) {
    const id = pciId(card.vendor_id, card.product_id);
    if (id === undefined) continue;
    if (modelOf(id, gpuModels) === undefined) {
      const name = [card.vendor, card.product].filter(Boolean).join(" ");
      const unknown = unknownGpu(host, id, name, card.pci_address ?? "an unknown address");
      if (unknown !== undefined) yield unknown;
    } else if (!card.pci_address) {
      yield warning(host, `GPU ${id} has no PCI address and is not offered`, "check: lspci -nn on the member");
    }
  }
}
