// `lessor completion`: a shell script that calls `lessor completion -- <words>` at each Tab. Candidates are read from
// the commands themselves, so no list can be out of date; names come from the service.

import type { Command } from "commander";
import { usageError } from "../command-error.ts";
import { completionScripts } from "../completion/scripts.ts";
import { examples, type Shell } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("<shell>", Object.keys(completionScripts).join(", "))
    .argument("[words...]", "after words: the arguments of the completion script")
    .addHelpText("after", "\nNames are completed only if the service responds quickly.")
    .action(async (name: string, words: string[]) => {
      if (name === "words") {
        const { candidates } = await import("../completion/candidates.ts");
        for (const one of await candidates(words, shell)) shell.out.line(one);
        return;
      }
      const script = Object.entries(completionScripts).find(([known]) => known === name)?.[1];
      if (script !== undefined) return shell.out.write(script);
      throw usageError(
        `There is no completion for "${name}".`,
        `Choose one of: ${Object.keys(completionScripts).join(", ")}.`,
      );
    });
  examples(command, {
    "source <(lessor completion bash)": "in ~/.bashrc",
    "lessor completion zsh > ~/.zfunc/_lessor": "with fpath+=~/.zfunc before compinit",
    "lessor completion fish | source": "in ~/.config/fish/config.fish",
  });
}
