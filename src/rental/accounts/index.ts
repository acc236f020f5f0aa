// Accounts and their tokens: what other rooms may use.

export * from "../../rules/compatibility-versions.ts";
export * from "./account-store.ts";
export * from "./console-sessions.ts";
export * from "./token-limits.ts";
export * from "./token-store.ts";
