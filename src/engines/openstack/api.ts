// The parts of the APIs of OpenStack that this engine reads. Other fields are ignored. Validated on arrival
// (client/client.ts). Source: the API references of Nova (2.74 and newer), Neutron 2.0, Glance 2, Placement 1.29 and
// Cinder 3.

import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";

const Text = Type.String();
const MaybeText = Type.Optional(Type.Union([Type.Null(), Text]));
const Count = Type.Number();

export const ServerSchema = Type.Object({
  id: Text,
  status: Text,
  created: Text,
  tags: Type.Array(Text),
  metadata: Type.Record(Text, Text),
  addresses: Type.Record(
    Text,
    Type.Array(Type.Object({ addr: Text, version: Type.Integer(), "OS-EXT-IPS:type": Type.Optional(Text) })),
  ),
  fault: Type.Optional(Type.Object({ message: Text })),
  flavor: Type.Object({
    vcpus: Count,
    /** In MiB. */
    ram: Count,
    /** In GB. */
    disk: Count,
  }),
  "OS-EXT-STS:power_state": Type.Optional(Type.Integer()),
  "OS-EXT-STS:task_state": MaybeText,
  "OS-SRV-USG:launched_at": MaybeText,
  /** Only administrators see it. */
  "OS-EXT-SRV-ATTR:host": MaybeText,
  /** Whom the cloud's policy lets see it. */
  host_status: MaybeText,
});
export type Server = Static<typeof ServerSchema>;
/** Of a list without details. */
export const ServerIdSchema = Type.Object({ id: Text });
export const ServerAnswer = Compile(Type.Object({ server: ServerSchema }));

export const ConsoleOutputAnswer = Compile(Type.Object({ output: Text }));
export const RemoteConsoleAnswer = Compile(Type.Object({ remote_console: Type.Object({ url: Text }) }));

export const PortSchema = Type.Object({
  id: Text,
  name: Text,
  description: Text,
  tags: Type.Array(Text),
  device_id: Text,
  security_groups: Type.Array(Text),
  fixed_ips: Type.Array(Type.Object({ ip_address: Text })),
});
export type Port = Static<typeof PortSchema>;
export const PortAnswer = Compile(Type.Object({ port: PortSchema }));

export const SubnetSchema = Type.Object({ cidr: Text });

export const NetworkSchema = Type.Object({
  id: Text,
  name: Text,
  project_id: MaybeText,
  /** Our project may use it. */
  shared: Type.Optional(Type.Boolean()),
  "router:external": Type.Optional(Type.Boolean()),
});
export type Network = Static<typeof NetworkSchema>;

const MaybeCount = Type.Union([Type.Null(), Type.Integer()]);
export const SecurityGroupSchema = Type.Object({
  id: Text,
  name: Text,
  security_group_rules: Type.Array(
    Type.Object({
      direction: Text,
      ethertype: MaybeText,
      protocol: MaybeText,
      port_range_min: MaybeCount,
      port_range_max: MaybeCount,
      remote_ip_prefix: MaybeText,
    }),
  ),
});
export type SecurityGroup = Static<typeof SecurityGroupSchema>;

export const FloatingAddressSchema = Type.Object({ id: Text, floating_ip_address: Text, port_id: MaybeText });
export type FloatingAddress = Static<typeof FloatingAddressSchema>;

export const ImageSchema = Type.Object({ id: Text, name: MaybeText, status: Text, visibility: Text, owner: MaybeText });

export const FlavorSchema = Type.Object({
  id: Text,
  name: Text,
  vcpus: Count,
  ram: Count,
  disk: Count,
  /** Absent where the cloud's policy hides it. */
  extra_specs: Type.Optional(Type.Record(Text, Text)),
});
export type Flavor = Static<typeof FlavorSchema>;
export const FlavorAnswer = Compile(Type.Object({ flavor: FlavorSchema }));

export const VolumeSchema = Type.Object({
  id: Text,
  name: MaybeText,
  status: Text,
  size: Count,
  created_at: Text,
  metadata: Type.Record(Text, Text),
});
export type Volume = Static<typeof VolumeSchema>;

export const HypervisorSchema = Type.Object({
  /** That of its provider in Placement. */
  id: Text,
  hypervisor_hostname: Text,
  service: Type.Object({ host: Text }),
});
export type Hypervisor = Static<typeof HypervisorSchema>;

export const ComputeServiceSchema = Type.Object({ host: Text, zone: Text, state: Text, status: Text });
export type ComputeService = Static<typeof ComputeServiceSchema>;

export const AggregateSchema = Type.Object({ name: Text, hosts: Type.Array(Text) });

export const LimitsAnswer = Compile(
  Type.Object({
    limits: Type.Object({
      /** -1: none. */
      absolute: Type.Object({ maxTotalCores: Count, maxTotalRAMSize: Count, maxTotalInstances: Count }),
    }),
  }),
);

export const ProviderSchema = Type.Object({
  uuid: Text,
  name: Text,
  parent_provider_uuid: MaybeText,
  root_provider_uuid: MaybeText,
});
export type Provider = Static<typeof ProviderSchema>;

const SummarySchema = Type.Object({
  resources: Type.Record(Text, Type.Object({ capacity: Count, used: Count })),
  traits: Type.Array(Text),
  root_provider_uuid: MaybeText,
});
/** Of one provider: what it has and what is used of it, by resource class. */
export type Summary = Static<typeof SummarySchema>;
export const CandidatesAnswer = Compile(Type.Object({ provider_summaries: Type.Record(Text, SummarySchema) }));

export const InventoriesAnswer = Compile(
  Type.Object({
    inventories: Type.Record(Text, Type.Object({ total: Count, reserved: Count, allocation_ratio: Count })),
  }),
);
export const UsagesAnswer = Compile(Type.Object({ usages: Type.Record(Text, Count) }));
