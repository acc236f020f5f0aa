// What a line of usage or of a statement is, unless it is of an ordinary instance: a reservation, or why an instance costs
// nothing. Beside its name.

import type { Shape } from "../../../src/client/client.ts";
import { noCostWords } from "../../../src/rules/no-cost.ts";

type Line = Pick<Shape<"UsageLine">, "reservation_id" | "quantity" | "no_cost_reason">;

export function LineNote({ line }: { readonly line: Line }) {
  const text = noteOf(line);
  return text === undefined ? null : <span className="soft"> ({text})</span>;
}

function noteOf({ reservation_id: reservation, quantity, no_cost_reason: why }: Line): string | undefined {
  if (reservation !== null) return quantity === 1 ? "reservation" : `reservation of ${quantity}`;
  return why === null ? undefined : noCostWords[why];
}
