// Storage in the unit of R and its lambda edition. The catalog and engines have it in GB (10^9 bytes), `storage_gib` is
// in GiB (2^30 bytes). Source: specification, Instance type.

/** Whole GiB of a size in GB, rounded down: clients of the family read an integer. */
export function wholeGib(gb: number): number {
  return Math.floor((gb * 1e9) / 2 ** 30);
}
