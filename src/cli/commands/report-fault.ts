// `lessor report-fault`.

import { type Command, InvalidArgumentError } from "commander";
import { instanceColumns, instanceOf, readInstance } from "../instances.ts";
import { launchReplacement } from "../launch/replacement.ts";
import { printTable } from "../output/table.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";
import { shellWord } from "../shell-word.ts";

interface Options {
  readonly gpu?: number;
  readonly replace: boolean;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("<instance>", "its name, its id, or the beginning of either")
    .argument("<text>", "what is wrong, in one line")
    .option("--gpu <number>", "the GPU, counted from 0 as the driver does; default: all of the instance", gpuNumber)
    .option("--replace", "launch another instance like it, once, and print it", false)
    .action(async (word: string, text: string, { gpu, replace, json }: Options) => {
      const client = shell.client();
      const { id, name } = await instanceOf(client, word);
      const body = { text, ...(gpu !== undefined && { gpu }) };
      const { data } = await client.ask((api) =>
        api.POST("/instances/{id}/report-fault", { params: { path: { id } }, body }),
      );
      const told = json ? shell.err : shell.out;
      const which = data.gpus === 1 ? "1 GPU leaves" : `${data.gpus} GPUs leave`;
      told.line(`Reported. ${which} service when ${name} ends.`);
      if (data.credited_seconds > 0) told.line(`Credited: ${Math.floor(data.credited_seconds / 60)} minutes.`);
      if (!replace) {
        if (json) return printJson(shell, data);
        return shell.out.line(
          `Launch another one like it: lessor report-fault --replace, or lessor launch --like ${name}`,
        );
      }
      const replacement = await launchReplacement(shell, await readInstance(client, id));
      if (json) return printJson(shell, { ...data, replacement });
      printTable(shell.out, [replacement], instanceColumns, "");
      shell.err.line(`Check progress: lessor show ${shellWord(replacement.id.slice(0, 8))}`);
    })
    .addHelpText("after", "\nThe instance goes on. When you have its replacement, terminate it.");
  examples(command, {
    'lessor report-fault training "Falls off the bus under load (XID 79)" --gpu 3': "one of its GPUs",
    'lessor report-fault training "ECC errors" --replace': "and launch another one like it",
  });
}

function gpuNumber(text: string): number {
  if (!/^\d{1,2}$/.test(text)) throw new InvalidArgumentError("Give a number, counted from 0.");
  return Number(text);
}
