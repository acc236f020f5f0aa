// What there is when a sequence begins: two regions, four hosts, three instance types, coupons, two customers. Small, so
// that everything runs short within a few commands. The model (world.ts) is written from it; stand.ts puts it there.

export const regions = ["north", "south"] as const;

/** What a host has, and what an instance of a type takes. Sizes in GiB of memory and GB of disk. */
export interface Size {
  readonly gpus: number;
  readonly vcpus: number;
  readonly memory: number;
  readonly storage: number;
}

export const hosts: Readonly<Record<string, Size & { readonly region: string }>> = {
  n1: { region: "north", gpus: 4, vcpus: 40, memory: 320, storage: 1000 },
  n2: { region: "north", gpus: 2, vcpus: 16, memory: 128, storage: 250 },
  // Two of a region, between which moves go.
  s1: { region: "south", gpus: 3, vcpus: 28, memory: 200, storage: 400 },
  s2: { region: "south", gpus: 1, vcpus: 12, memory: 96, storage: 200 },
};

export const gpuModel = "H100";

/** `cents`: an hour, when a sequence begins. */
export const types: Readonly<Record<string, Size & { readonly cents: number }>> = {
  solo: { gpus: 1, vcpus: 8, memory: 64, storage: 100, cents: 100 },
  pair: { gpus: 2, vcpus: 16, memory: 128, storage: 200, cents: 249 },
  plain: { gpus: 0, vcpus: 4, memory: 16, storage: 50, cents: 7 },
};

/** What an instance boots where its launch names none. */
export const defaultImage = "ubuntu";

export const images: Readonly<Record<string, { readonly number: number; readonly refusesGpus: boolean }>> = {
  ubuntu: { number: 1, refusesGpus: false },
  bare: { number: 2, refusesGpus: true },
};

export interface Coupon {
  readonly percent: number;
  /** Seconds from the beginning of the sequence; it cannot be used from then on. */
  readonly endsAt: number;
  /** Empty: all. */
  readonly types: readonly string[];
  readonly active: boolean;
}

const day = 86_400;
export const coupons: Readonly<Record<string, Coupon>> = {
  TEN: { percent: 10, endsAt: 3650 * day, types: [], active: true },
  HALF: { percent: 50, endsAt: 3650 * day, types: ["pair"], active: true },
  SOON: { percent: 33.33, endsAt: day / 2, types: [], active: true },
  OLD: { percent: 20, endsAt: -day, types: [], active: true },
};

export const quotaNames = ["instances", "gpus", "vcpus", "ssh_keys", "file_systems"] as const;
export type QuotaName = (typeof quotaNames)[number];
export type Quotas = Readonly<Record<QuotaName, number>>;

export const customers = ["ann", "bob"] as const;
export type Customer = (typeof customers)[number];

export const quotas: Readonly<Record<Customer, Quotas>> = {
  ann: { instances: 6, gpus: 6, vcpus: 60, ssh_keys: 3, file_systems: 2 },
  bob: { instances: 4, gpus: 5, vcpus: 40, ssh_keys: 2, file_systems: 1 },
};

/** Each customer has these. Only `spare` is ever revoked. */
export const tokenNames = ["main", "spare", "reader"] as const;
export type TokenName = (typeof tokenNames)[number];

/** As the decisions have them (sections 3, 4 and 7), and when a boot has failed, which an operator chooses. */
export const limits = {
  maxQuantity: 64,
  terminatedVisibleSeconds: 3600,
  terminatedReadableSeconds: 30 * day,
  idempotencySeconds: day,
  bootDeadlineSeconds: 3000,
  downtimeToleranceSeconds: 300,
} as const;
