// The test instance on a libvirt host: the parameters of check/test-instance.ts, and what to do if it fails.

import type { Finding } from "../../check/finding.ts";
import { probeOn as commonProbeOn, type ProbeOrder } from "../../check/test-instance.ts";
import { EngineError, type MachineReport } from "../../engine.ts";
import { imageOf } from "../create.ts";
import type { HostConnection } from "../host-connection.ts";
import { domainName } from "../labels.ts";
import { readImage } from "../volumes.ts";
import { commandAt } from "./subject.ts";

export interface HostProbe
  extends Pick<ProbeOrder, "engine" | "what" | "image" | "deadlineSeconds" | "onProgress" | "whileUsable"> {
  readonly place: HostConnection;
}

const GB = 1_000_000_000;
/** Takes no space until it is written. */
const DISK_GB = 20;

/** Throws only the reason of `signal`, after the removal. */
export async function* probeOn({ place, ...order }: HostProbe, signal: AbortSignal): AsyncGenerator<Finding> {
  const { host, settings } = place;
  yield* commonProbeOn(
    {
      ...order,
      sshProbe: settings.sshProbe,
      host: host.name,
      probeHost: host.name,
      storageGb: Math.max(DISK_GB, await imageGb(place, order.image, signal)),
      advice: {
        error: adviceFor,
        late: (last) => adviceWhenLate(place, last),
        remains: (machineId) => `the domain ${domainName(machineId)} and its volumes`,
      },
    },
    signal,
  );
}

/** 0 if it cannot be read: the create reports why. */
async function imageGb(place: HostConnection, image: string, signal: AbortSignal): Promise<number> {
  try {
    const { bytes } = await readImage(place, imageOf(place.settings, image).volume, signal);
    return Math.ceil(bytes / GB);
  } catch {
    signal.throwIfAborted();
    return 0;
  }
}

const byCode: Readonly<Record<string, string>> = {
  "image-missing": "import the image: lessor image import",
  "host-memory": "free memory on the host, or in its huge pages",
  "host-storage": "free space in the host's pool",
  "host-misconfigured": "check its pool and network above",
  "no-virtualisation": "enable virtualization in the host's firmware, or set accelerator: emulated",
  "no-free-address": "widen the DHCP range of the network",
  "seed-failed": "apt-get install genisoimage on this machine; check that TMPDIR has free space",
  "host-unreachable": "check the host's libvirt, and the network between",
  "probe-gone": "check whether something else removes domains on this host",
  "probe-halted": "check that the image boots with this firmware",
};

function adviceFor(failed: unknown): string {
  const known = failed instanceof EngineError ? byCode[failed.code] : undefined;
  return known ?? "read /var/log/libvirt/qemu and libvirt's log on the host";
}

/** By its state when the time was up. Undefined: it was not created by then. */
function adviceWhenLate(place: HostConnection, last: MachineReport | undefined): string {
  if (last === undefined) return "the host creates it slowly: check its pool, or try a longer --deadline";
  const look = `try a longer --deadline, and meanwhile watch ${commandAt(place, "console", "<domain>")}`;
  return place.settings.sshProbe.kind === "tcp"
    ? "if this machine cannot reach the network of the host's machines, set a command in ssh_probe; otherwise check that " +
        `the image boots with this firmware and has DHCP and an SSH server; ${look}`
    : `try ssh_probe.command manually with this address; if it reaches the guest, check that the image has an SSH server; ${look}`;
}
