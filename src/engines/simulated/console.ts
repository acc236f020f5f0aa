// The console output of a simulated machine, made from its row, to try a console view with. Its first line says that it
// is simulated.

import { verdictMarker } from "../../gpus/validation/verdict.ts";
import type { ValidationOutput } from "./faults.ts";

export interface SimulatedGuest {
  readonly hostname: string;
  readonly image: string;
  readonly power: "on" | "off";
  /** When it was or will be running or halted; null: it was never started, or never gets there. */
  readonly settles_at: Date | null;
  readonly settled: boolean;
  /** Of a machine that validates GPUs; null: it does not. */
  readonly validation: SimulatedValidation | null;
}

export interface SimulatedValidation {
  readonly nonce: string;
  readonly gpus: number;
  readonly prints: ValidationOutput;
}

/** The log since the last start; "" if it was never started. */
export function consoleText(guest: SimulatedGuest): string {
  const { hostname, image, power, settles_at: at, settled, validation } = guest;
  if (power === "off" && at === null) return "";
  const lines = ["This is a simulated machine: nothing runs in it.", `Booting ${image} as ${hostname} ...`];
  if (power === "on" && settled && at !== null)
    lines.push(`${at.toISOString()} ${hostname} is up`, `${hostname} login:`);
  if (power === "on" && settled && validation !== null) lines.push(...validationLines(validation));
  if (power === "off") lines.push("Halting ...");
  if (power === "off" && settled && at !== null) lines.push(`${at.toISOString()} ${hostname} is down`);
  return lines.map((line) => `${line}\r\n`).join("");
}

function validationLines({ nonce, gpus, prints }: SimulatedValidation): readonly string[] {
  switch (prints) {
    case "nothing":
      return [];
    case "garbage":
      return [`${verdictMarker} {"verdict":"pass"}`, `${verdictMarker} ${nonce} {"verdict":`, "\u0000\ufffd\u001b[31m"];
    case "pass":
    case "warn":
    case "fail":
      return [`${verdictMarker} ${nonce} ${JSON.stringify({ verdict: prints, gpus, detail: "simulated" })}`];
  }
}
