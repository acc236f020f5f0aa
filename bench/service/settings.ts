// The settings of the measured service: as in production, but without the limits that keep one client from using all of
// it, and with its own ports.

import { stringify } from "yaml";

export interface Ports {
  readonly main: number;
  readonly reference: number;
}

/** The text of a lessor.yaml. */
export function benchSettings(ports: Ports, dataDirectory: string): string {
  const endless = 100_000_000;
  return stringify({
    port: ports.main,
    reference_port: ports.reference,
    data_dir: dataDirectory,
    demo: false,
    limits: { requests_per_minute_per_token: endless, requests_per_minute_per_address: endless },
    defaults: {
      quotas: { instances: endless, gpus: endless, vcpus: 2_000_000_000, ssh_keys: 1000, file_systems: 1000 },
    },
    // Instances boot quickly, so that the effects of a round of launches are over before the next round.
    simulated: { boot_seconds: [0.2, 0.5], stop_seconds: [0.1, 0.2], seed: 1 },
  });
}
