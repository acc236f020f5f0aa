// The real program on a lab's cluster (support/service), with the lab's settings.
//
//   const service = await startService(lab);

import * as general from "../support/service/service.ts";
import type { Lab } from "./lab/lab.ts";

export { type Customer, loginUser, type Service, type Shown } from "../support/service/service.ts";

/** Ended, and its directory removed, when the test is over. Its machines are not: `empty`. */
export function startService(lab: Lab, options: general.ServiceOptions = {}): Promise<general.Service> {
  return general.startService(groundOf(lab), options);
}

function groundOf(lab: Lab): general.Ground {
  const cluster = {
    name: "lab",
    urls: lab.members.map(({ socket }) => `unix://${socket}`),
    region: "lab",
    kind: "container",
    network: "lxdbr0",
    cpu_ratio: 8,
    ssh_probe: { command: lab.probeCommand },
    stop_grace_seconds: 10,
  };
  return {
    engine: (part) => ({ incus: [{ ...cluster, ...part }] }),
    hosts: lab.members.length,
    // A member has room for one of these and no more.
    products: { half: { vcpus: 1, memory_gib: 14, storage_gb: 1, gpus: 0, price_cents_per_hour: 20 } },
    ssh: (member, login) => lab.ssh({ member, ...login }),
  };
}
