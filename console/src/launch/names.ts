// The names of the instances of a launch, and which of them are in use. Pure.

import { numbered } from "../../../src/rules/names.ts";

/** This many names in use are listed. */
const mostTold = 4;

/** "training-1 … training-3"; undefined where there is one instance, or no name was given. */
export function namesShown(name: string, quantity: number): string | undefined {
  if (name === "" || quantity === 1) return undefined;
  const [first, last] = [numbered(name, 1, quantity), numbered(name, quantity, quantity)];
  return quantity === 2 ? `${first}, ${last}` : `${first} … ${last}`;
}

/** The warning about names in use; undefined: none. */
export function inUseWords(inUse: readonly string[]): string | undefined {
  const [only] = inUse;
  if (only === undefined) return undefined;
  const told = inUse.slice(0, mostTold).join(", ");
  if (inUse.length === 1) return `You already have an instance named ${only}.`;
  const more = inUse.length - mostTold;
  return `You already have instances named ${told}${more > 0 ? ` and ${more} more` : ""}.`;
}
