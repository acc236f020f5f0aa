// Terminals in machines, over WebSockets: what the rest of this room may use.

export { type TerminalSettings, Terminals } from "./terminals.ts";
export { asksForWebSocket, takeUpgrades } from "./upgrades.ts";
