// The console output of a simulated machine, made from its row, to try a console view with. Its first line says that it
// is simulated.

export interface SimulatedGuest {
  readonly hostname: string;
  readonly image: string;
  readonly power: "on" | "off";
  /** When it was or will be running or halted; null: it was never started, or never gets there. */
  readonly settles_at: Date | null;
  readonly settled: boolean;
}

/** The log since the last start; "" if it was never started. */
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
