// The probe machine on a libvirt host: what the common one (check/probe.ts) is given here, and what to do when it fails.

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
/** Takes no room until it is written. */
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

/** 0 where it cannot be read: the create tells why. */
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
  "host-memory": "make memory free on the host, or in its huge pages",
  "host-storage": "make room in the host's pool",
  "host-misconfigured": "look at its pool and network above",
  "no-virtualisation": "switch virtualisation on in the host's firmware, or set accelerator: emulated",
  "no-free-address": "widen the DHCP range of the network",
  "seed-failed": "apt-get install genisoimage on this machine; is there room in TMPDIR?",
  "host-unreachable": "look at the host's libvirt, and the network between",
  "probe-gone": "does something else remove domains on this host?",
  "probe-halted": "look at the image: does it boot by itself, with this firmware?",
};

function adviceFor(failed: unknown): string {
  const known = failed instanceof EngineError ? byCode[failed.code] : undefined;
  return known ?? "look at /var/log/libvirt/qemu and at the log of libvirt on the host";
}

/** By what it was at when its time was up. Undefined: it was not made by then. */
function adviceWhenLate(place: HostConnection, last: MachineReport | undefined): string {
  if (last === undefined) return "the host is slow to make it: look at its pool; or try a longer --deadline";
  const look = `try a longer --deadline, and meanwhile look at ${commandAt(place, "console", "<domain>")}`;
  return place.settings.sshProbe.kind === "tcp"
    ? "can this machine reach the network of the host's machines? If not, give a command in ssh_probe; otherwise, does " +
        `the image boot with this firmware, and has it DHCP and an SSH server? ${look}`
    : `try ssh_probe.command by hand with this address; if it reaches the guest, has the image an SSH server? ${look}`;
}
