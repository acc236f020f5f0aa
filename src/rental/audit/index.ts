// The audit log: what other rooms may use.

export * from "./audit-store.ts";
export * from "./entry.ts";
export * from "./record.ts";
