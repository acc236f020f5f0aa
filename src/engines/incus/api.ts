// The parts of the API that this engine reads. Other fields are ignored, so LXD 5.0, later LXD and Incus look the same.
// Validated on arrival (client/client.ts). Source: the REST API of Incus and LXD, /1.0.

import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";

const Text = Type.String();
const Texts = Type.Record(Text, Text);

const ServerSchema = Type.Object({
  auth: Text,
  api_extensions: Type.Array(Text),
  environment: Type.Object({
    server: Text,
    server_version: Text,
    server_name: Text,
    server_clustered: Type.Boolean(),
    server_pid: Type.Optional(Type.Integer()),
    /** Of the cluster's certificate, which all members share. */
    certificate_fingerprint: Type.Optional(Text),
    project: Type.Optional(Text),
    driver: Type.Optional(Text),
  }),
});
export type ServerInfo = Static<typeof ServerSchema>;
export const ServerAnswer = Compile(ServerSchema);

const MemberSchema = Type.Object({
  server_name: Text,
  status: Text,
  message: Type.Optional(Text),
  groups: Type.Optional(Type.Union([Type.Null(), Type.Array(Text)])),
});
export type Member = Static<typeof MemberSchema>;
export const MembersAnswer = Compile(Type.Array(MemberSchema));

const GpuCard = Type.Object({
  pci_address: Type.Optional(Text),
  vendor_id: Type.Optional(Text),
  product_id: Type.Optional(Text),
  vendor: Type.Optional(Text),
  product: Type.Optional(Text),
  numa_node: Type.Optional(Type.Integer()),
});
export type GpuCard = Static<typeof GpuCard>;

export const ResourcesAnswer = Compile(
  Type.Object({
    cpu: Type.Object({ total: Type.Integer() }),
    memory: Type.Object({ total: Type.Number() }),
    gpu: Type.Object({ cards: Type.Union([Type.Null(), Type.Array(GpuCard)]) }),
  }),
);

export const PoolAnswer = Compile(Type.Object({ driver: Text, status: Type.Optional(Text) }));
const PoolSpaceSchema = Type.Object({ used: Type.Optional(Type.Number()), total: Type.Number() });
/** In bytes; some drivers do not know what is used. */
export type PoolSpace = Static<typeof PoolSpaceSchema>;
export const PoolSpaceAnswer = Compile(Type.Object({ space: PoolSpaceSchema }));

/** `location` is the member. */
const WarningSchema = Type.Object({ type: Text, status: Text, location: Type.Optional(Text) });
/** What the cluster warns of. */
export type ClusterWarning = Static<typeof WarningSchema>;
export const WarningsAnswer = Compile(Type.Array(WarningSchema));

export const NetworkAnswer = Compile(Type.Object({ type: Text, managed: Type.Boolean(), config: Texts }));

const NetworkAddressSchema = Type.Object({ family: Text, address: Text, netmask: Type.Optional(Text), scope: Text });
export type NetworkAddress = Static<typeof NetworkAddressSchema>;
export const NetworkStateAnswer = Compile(
  Type.Object({ addresses: Type.Union([Type.Null(), Type.Array(NetworkAddressSchema)]) }),
);

const InstanceSchema = Type.Object({
  name: Text,
  status: Text,
  type: Text,
  location: Type.Optional(Text),
  /** When it was last started; the Unix epoch if never. */
  last_used_at: Text,
  config: Type.Union([Type.Null(), Texts]),
  /** Without those of profiles. */
  devices: Type.Optional(Type.Union([Type.Null(), Type.Record(Text, Texts)])),
});
export type ApiInstance = Static<typeof InstanceSchema>;
export const InstancesAnswer = Compile(Type.Array(InstanceSchema));

const Address = Type.Object({ family: Text, address: Text, scope: Text });
const StateSchema = Type.Object({
  /** Negative in a virtual machine whose agent does not respond. */
  processes: Type.Optional(Type.Integer()),
  network: Type.Optional(
    Type.Union([
      Type.Null(),
      Type.Record(
        Text,
        Type.Object({
          addresses: Type.Union([Type.Null(), Type.Array(Address)]),
          hwaddr: Type.Optional(Text),
          host_name: Type.Optional(Text),
        }),
      ),
    ]),
  ),
});
/** `state` is null if the member could not be reached. */
const FullInstanceSchema = Type.Intersect([
  InstanceSchema,
  Type.Object({ state: Type.Optional(Type.Union([Type.Null(), StateSchema])) }),
]);
export type FullInstance = Static<typeof FullInstanceSchema>;
export const FullInstanceAnswer = Compile(FullInstanceSchema);

/** Their addresses. */
export const AclsAnswer = Compile(Type.Array(Text));

/** `used` in bytes; some drivers cannot say. */
export const VolumeStateAnswer = Compile(
  Type.Object({
    usage: Type.Optional(Type.Union([Type.Null(), Type.Object({ used: Type.Optional(Type.Number()) })])),
  }),
);

export const VolumeAnswer = Compile(Type.Object({ config: Type.Union([Type.Null(), Texts]) }));

/** An exec or console session: the secrets of its WebSockets, by name. */
export const SessionAnswer = Compile(Type.Object({ metadata: Type.Object({ fds: Texts }) }));
