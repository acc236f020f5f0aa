// The test instance on a member: the Incus and LXD parameters of check/test-instance.ts, and what to do when it fails.

import type { Finding } from "../../check/finding.ts";
import { type ProbeOrder as CommonOrder, probeOn as commonProbeOn } from "../../check/test-instance.ts";
import { EngineError, type MachineReport } from "../../engine.ts";
import { instanceName } from "../labels.ts";
import type { IncusSettings } from "../settings/settings.ts";

export interface ProbeOrder
  extends Pick<CommonOrder, "engine" | "what" | "host" | "image" | "deadlineSeconds" | "onProgress" | "whileUsable"> {
  readonly settings: IncusSettings;
}

/** Throws only the reason of `signal`, after the removal. */
export function probeOn({ settings, ...order }: ProbeOrder, signal: AbortSignal): AsyncGenerator<Finding> {
  const { sshProbe, hostPrefix, kind } = settings;
  const given: CommonOrder = {
    ...order,
    sshProbe,
    probeHost: order.host.slice(hostPrefix.length),
    // The cluster rejects a disk that is smaller than a virtual machine's image.
    storageGb: kind === "virtual-machine" ? 20 : 10,
    advice: {
      error: (failed) => adviceForError(failed, settings),
      late: (last) => adviceIfLate(last, settings),
      remains: (machineId) => `the instance ${instanceName(machineId)}`,
    },
  };
  return commonProbeOn(given, signal);
}

const byCode: Readonly<Record<string, string>> = {
  "image-missing": "import the image: lessor image import",
  "not-supported": "the member cannot run this kind, or rejects a device or setting: see its message and its log",
  "host-full": "free memory on the member, or space in the pool",
  "host-unreachable": "check the member's daemon",
  "engine-unreachable": "check the daemons and the network between",
  "no-such-host": "check that it is still a member",
  "probe-gone": "check whether something else removes instances on this cluster",
  "probe-halted": "check that the image boots: try it manually with the console open",
};

function adviceForError(failed: unknown, { kind }: IncusSettings): string {
  const known = failed instanceof EngineError ? byCode[failed.code] : undefined;
  if (known !== undefined) return known;
  return `try it manually on the member, and read the daemon's log (${kind})`;
}

/** By its state when the time was up. Undefined: it was not created by then. */
function adviceIfLate(last: MachineReport | undefined, { kind, nic, sshProbe }: IncusSettings): string {
  if (last === undefined)
    return "the member creates it slowly, because a large image is unpacked first; try a longer --deadline";
  if (last.untold === true) return "the guest's agent does not respond: the image needs incus-agent (or lxd-agent)";
  if (last.ip === undefined) {
    const where = nic.kind === "network" ? nic.network : `profile ${nic.profile}`;
    const agent = kind === "virtual-machine" ? ", and incus-agent (or lxd-agent)" : "";
    return `the guest got no address: check that ${where} assigns addresses, and that the image has cloud-init and DHCP${agent}`;
  }
  return sshProbe.kind === "tcp"
    ? "if this machine cannot reach the members' guests, set a command in ssh_probe; otherwise check that the image has an SSH server"
    : "try ssh_probe.command manually with this address; if it reaches the guest, check that the image has an SSH server";
}
