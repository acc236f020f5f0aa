// The settings of the measured service: as in production, but without the limits that keep one client from using all of
// it, and with its own ports.

import { stringify } from "yaml";

export interface Ports {
  readonly main: number;
  readonly reference: number;
}

/** Instances boot quickly, so that the effects of a round of launches are over before the next round. */
const quickBoot = [0.2, 0.5] as const;

/** The text of a lessor.yaml. `bootSeconds`: of the simulated engine, from and to. `more`: settings besides. */
export function benchSettings(
  ports: Ports,
  dataDirectory: string,
  bootSeconds: readonly [number, number] = quickBoot,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const endless = 100_000_000;
  return stringify({
    port: ports.main,
    reference_port: ports.reference,
    data_dir: dataDirectory,
    demo: false,
    limits: {
      requests_per_minute_per_token: endless,
      requests_per_minute_per_address: endless,
      connections: 10_000,
      connections_per_address: 10_000,
    },
    defaults: {
      quotas: { instances: endless, gpus: endless, vcpus: 2_000_000_000, ssh_keys: 1000, file_systems: 1000 },
    },
    // Targets of the benchmark are on this machine.
    webhooks: { allow_private_targets: true, allow_http: true },
    simulated: { boot_seconds: [...bootSeconds], stop_seconds: [0.1, 0.2], seed: 1 },
    ...more,
  });
}
