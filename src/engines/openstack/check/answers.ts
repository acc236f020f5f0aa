// The parts of the cloud's APIs that only the check reads. Other fields are ignored.

import { Type } from "typebox";
import { Compile } from "typebox/compile";

const Text = Type.String();
const Count = Type.Number();
const MaybeText = Type.Optional(Type.Union([Type.Null(), Text]));

/** In MiB where it is memory. -1: no limit. */
export const ComputeLimitsAnswer = Compile(
  Type.Object({
    limits: Type.Object({
      absolute: Type.Object({
        maxTotalInstances: Count,
        maxTotalCores: Count,
        maxTotalRAMSize: Count,
        totalInstancesUsed: Count,
        totalCoresUsed: Count,
        totalRAMUsed: Count,
      }),
    }),
  }),
);

export const VolumeLimitsAnswer = Compile(
  Type.Object({
    limits: Type.Object({
      absolute: Type.Object({
        maxTotalVolumes: Count,
        maxTotalVolumeGigabytes: Count,
        totalVolumesUsed: Count,
        totalGigabytesUsed: Count,
      }),
    }),
  }),
);

export const NetworkQuotaAnswer = Compile(
  Type.Object({ quota: Type.Record(Text, Type.Object({ limit: Count, used: Count })) }),
);

export const NetworkItem = Compile(
  Type.Object({
    id: Text,
    name: Text,
    status: Text,
    admin_state_up: Type.Boolean(),
    project_id: MaybeText,
    shared: Type.Optional(Type.Boolean()),
    "router:external": Type.Optional(Type.Boolean()),
    /** Absent: the cloud does not have the extension. */
    port_security_enabled: Type.Optional(Type.Boolean()),
  }),
);

export const SubnetItem = Compile(
  Type.Object({ cidr: Text, ip_version: Type.Integer(), enable_dhcp: Type.Boolean(), gateway_ip: MaybeText }),
);

export const ImageDetails = Type.Object({ id: Text, name: MaybeText, status: Text, disk_format: MaybeText });
export const ImageItem = Compile(ImageDetails);

export const NamedItem = Compile(Type.Object({ id: Text, name: Text }));

export const PortAgeItem = Compile(
  Type.Object({ id: Text, name: Text, description: Text, device_id: Text, created_at: Text }),
);
