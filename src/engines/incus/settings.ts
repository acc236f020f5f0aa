// How one Incus or LXD cluster is reached and used. Made from lessor.yaml (config/incus.ts says the same of its side:
// configuration imports no engine), read by this engine and by `lessor engine check`.

export interface IncusSettings {
  /** The engine's name: unique among all engines, stored with every host and instance. */
  readonly name: string;
  /** Members of the cluster; the first that answers is used. At least one. */
  readonly endpoints: readonly IncusEndpoint[];
  /** Undefined where all endpoints are Unix sockets. Paths of files. */
  readonly tls:
    | {
        readonly certificate: string;
        readonly key: string;
        readonly trust:
          | { readonly kind: "fingerprint"; readonly sha256: string }
          | { readonly kind: "ca"; readonly path: string };
      }
    | undefined;
  readonly regionOf:
    | { readonly kind: "all"; readonly region: string }
    | { readonly kind: "groups"; readonly groups: readonly { readonly group: string; readonly region: string }[] };
  readonly kind: "virtual-machine" | "container";
  readonly project: string;
  readonly pool: string;
  readonly nic:
    | { readonly kind: "network"; readonly network: string }
    | { readonly kind: "profile"; readonly profile: string };
  /** By the catalogue's image name; one that is not here is an alias of the same name on the cluster. */
  readonly images: Readonly<Record<string, IncusImageSource>>;
  /** By PCI vendor and device, such as "10de:2331"; wins over the built-in table. */
  readonly gpuModels: Readonly<Record<string, { readonly model: string; readonly memoryGib: number }>>;
  /** Kept back on each host. */
  readonly reserved: { readonly vcpus: number; readonly memoryGib: number; readonly storageGb: number };
  /** How many vCPUs a hardware thread counts as. */
  readonly cpuRatio: number;
  readonly sshProbe:
    | { readonly kind: "tcp"; readonly port: number }
    | { readonly kind: "command"; readonly command: readonly string[]; readonly port: number };
  /** How long a guest may take to halt before it is forced. */
  readonly stopGraceSeconds: number;
  /** Put before member names. */
  readonly hostPrefix: string;
}

export type IncusEndpoint =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "https"; readonly url: string };

export type IncusImageSource =
  | { readonly kind: "alias"; readonly alias: string }
  | { readonly kind: "fingerprint"; readonly fingerprint: string }
  | { readonly kind: "server"; readonly alias: string; readonly server: string; readonly protocol: string };
