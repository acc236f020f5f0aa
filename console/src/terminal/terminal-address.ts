// The address of an instance's terminal, and the meaning of its close codes. Pure.

export type TerminalKind = "shell" | "console";

interface TerminalOrder {
  readonly controlUrl: string;
  readonly instanceId: string;
  readonly kind: TerminalKind;
  readonly columns: number;
  readonly rows: number;
}

/** The WebSocket's address; `page` is the address of the console. */
export function terminalAddress(page: string, { controlUrl, instanceId, kind, columns, rows }: TerminalOrder): string {
  const address = new URL(`${controlUrl}/instances/${encodeURIComponent(instanceId)}/terminal`, page);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.search = new URLSearchParams({ kind, columns: String(columns), rows: String(rows) }).toString();
  return address.href;
}

/** Why it ended, as a sentence. Codes from 4000 are the service's, with a reason of its own. */
export function endOf(code: number, reason: string): string {
  if (code === 1000) return "The session has ended.";
  if (reason !== "") return reason;
  return code === 1006 ? "The connection was lost or rejected." : `The connection was closed (${code}).`;
}
