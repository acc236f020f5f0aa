// The catalog: regions, instance types, images, coupons. See ../schema.ts.

import type { Generated } from "kysely";
import type { DefaultTimestamp, Timestamp } from "./column-types.ts";

export interface RegionsTable {
  name: string;
  description: string;
}

export interface InstanceTypesTable {
  name: string;
  description: string;
  gpu_model: string | null;
  gpu_description: string;
  gpus: number;
  vcpus: number;
  memory_gib: number;
  storage_gb: number;
  price_cents_per_hour: number;
  architecture: Generated<string>;
  /** Null: it is not offered as spot. */
  spot_price_cents_per_hour: number | null;
}

export interface ImagesTable {
  name: string;
  number: number;
  description: string;
  family: string;
  login_user: string;
  unsupported_gpu_models: Generated<string[]>;
  jupyter: Generated<boolean>;
  metrics: Generated<boolean>;
  driver_branch: string | null;
  is_default: Generated<boolean>;
  architecture: Generated<string>;
  version: Generated<string>;
  created_at: DefaultTimestamp;
  updated_at: DefaultTimestamp;
}

export interface CouponsTable {
  code: string;
  discount_basis_points: number;
  deactivation_date: Timestamp;
  instance_types: Generated<string[]>;
  active: Generated<boolean>;
}
