// What the rentals of this folder share. They are programs as a customer writes them: a base address and a token in the
// environment, a client typed by the interface's document, and nothing of this repository.

import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

/** LESSOR_URL, LESSOR_TOKEN: where the interface is, and who rents. */
export const client = {
  baseUrl: setting("LESSOR_URL"),
  headers: { authorization: `Bearer ${setting("LESSOR_TOKEN")}` },
};

export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

/** The body of a success. Throws for any other answer. */
export function given<T>(answer: { readonly data?: T; readonly error?: unknown; readonly response: Response }): T {
  if (answer.data === undefined) throw new Error(`${answer.response.status}: ${JSON.stringify(answer.error)}`);
  return answer.data;
}

/** Asks until `holds`; gives the last answer. Throws after 30 seconds. */
export async function until<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  for (const start = Date.now(); ; await sleep(20)) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (Date.now() - start > 30_000) throw new Error(`still: ${JSON.stringify(answer)}`);
  }
}
