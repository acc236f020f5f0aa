// The order in which all transactions lock rows, so that two that lock the same rows wait for each other in one
// direction only. Within a table, in order of ids or names. test/races/lock-order.test.ts checks transactions against
// it.

/**
 * Tables in the order in which their rows are locked. The row of the account comes last, because all launches of an
 * account share it.
 */
export const lockOrder = [
  "firewall_rulesets",
  "instances",
  "hosts",
  "maintenance_windows",
  "reservations",
  "file_systems",
  "accounts",
] as const;

/** Tables whose rows change only under the lock of their instance. */
export const underInstanceLock = ["moves"] as const;

/** Tables whose rows change only under the lock of their host, so they need no place in the order. */
export const underHostLock = ["gpu_pools", "gpus", "host_findings"] as const;

/** Tables whose rows change only under the lock of their reservation. */
export const underReservationLock = ["reservation_hosts"] as const;
