// The probe instance on a member of a cluster: what the common one (check/probe.ts) is given for Incus and LXD.

import type { Finding } from "../../check/finding.ts";
import { type ProbeOrder as CommonOrder, probeOn as commonProbeOn } from "../../check/test-instance.ts";
import { instanceName } from "../labels.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { adviceFor } from "./test-instance-advice.ts";

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
    // A disk that is smaller than a virtual machine's image is refused by the cluster.
    storageGb: kind === "virtual-machine" ? 20 : 10,
    advice: {
      error: (failed) => adviceFor.error(failed, settings),
      late: (last) => adviceFor.late(last, settings),
      remains: (machineId) => `the instance ${instanceName(machineId)}`,
    },
  };
  return commonProbeOn(given, signal);
}
