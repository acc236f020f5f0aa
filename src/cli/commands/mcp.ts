// `lessor mcp`: its help; the work is in ../mcp.ts.

import type { Command } from "commander";
import type { Shell } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  command
    .addHelpText(
      "after",
      `
Speaks the protocol on standard input and output, as a client of the service you are signed in to. Create a token
with a spend limit for the agent (lessor tokens create). A running service provides the same at POST /mcp.

Examples:
  lessor mcp                           # the command your agent starts, with LESSOR_TOKEN in its environment`,
    )
    .action(async () => (await import("../mcp.ts")).serveMcp(shell.env, shell.version));
}
