// `lessor env`: validates a file of environment variables by the rules of a launch, and converts it. Needs no service.

import type { Command } from "commander";
import { checkEnvVars, envVarLimits } from "../../rules/env-vars.ts";
import { CommandError, usageError } from "../command-error.ts";
import { envForms, readEnvFile, refuseBadVars } from "../launch/env-file.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

const { maxEntries, maxValueBytes, maxTotalBytes, reservedPrefixes } = envVarLimits;

export function define(command: Command, shell: Shell): void {
  const check = withJson(command.command("check").description("check a file of environment variables as a launch does"))
    .argument("<file>", "such as .env; - reads standard input")
    .action((file: string, { json }: { json: boolean }) => checkFile(shell, file, json))
    .addHelpText(
      "after",
      `
At most ${maxEntries} variables, ${maxValueBytes} bytes a value, ${maxTotalBytes} bytes in total; no names that the system needs
(PATH, HOME, …), none that begin with ${reservedPrefixes.join(" or ")}. Values are never shown.`,
    );
  examples(check, { "lessor env check .env": "before lessor launch --env-file .env" });

  const convert = command
    .command("convert")
    .description("convert a file of environment variables to another format")
    .argument("<file>", "such as .env; - reads standard input")
    .option("--to <form>", `${Object.keys(envForms).join(", ")}: json is what the API takes as env_vars`, "json")
    .action((file: string, { to }: { to: string }) => {
      const form = Object.entries(envForms).find(([name]) => name === to)?.[1];
      if (form === undefined)
        throw usageError(`There is no form "${to}".`, `Choose one of: ${Object.keys(envForms).join(", ")}.`);
      const vars = readEnvFile(file);
      refuseBadVars(vars);
      shell.out.write(form(vars));
    });
  examples(convert, {
    "lessor env convert .env": "the value of env_vars in a request",
    "lessor env convert .env --to shell > clean.env": "for set -a; . ./clean.env",
  });
}

function checkFile(shell: Shell, file: string, json: boolean): void {
  const vars = readEnvFile(file);
  const problems = checkEnvVars(vars);
  const count = Object.keys(vars).length;
  if (json) {
    printJson(shell, {
      variables: count,
      problems: problems.map(({ key, rule, message }) => ({ key: key ?? null, rule, message })),
    });
    if (problems.length > 0) shell.exitCode = 1;
    return;
  }
  if (problems.length > 0) {
    throw new CommandError(problems.map(({ message }) => message).join("\n"), `${file} would be rejected.`);
  }
  shell.out.line(`${file} is valid: ${count === 1 ? "1 variable" : `${count} variables`}.`);
}
