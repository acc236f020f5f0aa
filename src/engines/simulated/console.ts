// What a simulated machine shows on its console, made from its row: enough to try a console view with, and it says in
// its first line what it is.

/** What is known of the guest in a machine. */
export interface SimulatedGuest {
  readonly hostname: string;
  readonly image: string;
  readonly power: "on" | "off";
  /** When it was or will be up, or down again; null: it was never started, or never gets there. */
  readonly settles_at: Date | null;
  readonly settled: boolean;
}

/** The log since the last start; "" of a machine that was never started. */
export function consoleText(guest: SimulatedGuest): string {
  const { hostname, image, power, settles_at: at, settled } = guest;
  if (power === "off" && at === null) return "";
  const lines = ["This is a simulated machine: nothing runs in it.", `Booting ${image} as ${hostname} ...`];
  if (power === "on" && settled && at !== null)
    lines.push(`${at.toISOString()} ${hostname} is up`, `${hostname} login:`);
  if (power === "off") lines.push("Halting ...");
  if (power === "off" && settled && at !== null) lines.push(`${at.toISOString()} ${hostname} is down`);
  return lines.map((line) => `${line}\r\n`).join("");
}
