// `lessor mcp`: its help; the work is in ../mcp.ts.

import type { Command } from "commander";
import type { Shell } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  command
    .addHelpText(
      "after",
      `
Speaks the protocol on standard input and output, as a client of the service you are signed in to: give the agent a token
of its own, with a spend limit (lessor tokens create). A running service offers the same at POST /mcp.

Examples:
  lessor mcp                           # what your agent is told to start, with LESSOR_TOKEN in its environment`,
    )
    .action(async () => (await import("../mcp.ts")).serveMcp(shell.env, shell.version));
}
