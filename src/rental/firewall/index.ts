// Firewall rules: what other rooms may use.

export * from "./account-rules.ts";
export * from "./inbound.ts";
export * from "./rules.ts";
export * from "./ruleset-store.ts";
