// The test instance on a member: the Incus and LXD parameters of check/test-instance.ts.

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
    // The cluster rejects a disk that is smaller than a virtual machine's image.
    storageGb: kind === "virtual-machine" ? 20 : 10,
    advice: {
      error: (failed) => adviceFor.error(failed, settings),
      late: (last) => adviceFor.late(last, settings),
      remains: (machineId) => `the instance ${instanceName(machineId)}`,
    },
  };
  return commonProbeOn(given, signal);
}
