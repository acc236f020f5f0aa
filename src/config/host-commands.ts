// Settings that name a command of the operator for each host: the fields, their parsed form, and which entry is a
// host's. Used by fencing.ts and gpus.ts beside it, and by what runs the commands.

import { type Static, Type } from "typebox";
import { group, seconds, textLike } from "../settings/schema-parts.ts";

/** One command, and the hosts that it is for. */
export interface HostCommand {
  /** Their names. Undefined: every host that no entry before names. */
  readonly hosts: readonly string[] | undefined;
  /** The program and its arguments; `{host}` in one is the name of the host. Never empty. */
  readonly command: readonly [string, ...string[]];
  /** After which it is ended. */
  readonly timeoutSeconds: number;
}

const word = textLike({ pattern: "^[^\\x00]+$", description: "a word of the command, and not empty" });

/** `example`: a command, as in YAML. `longest`: the longest timeout, in seconds. */
export function hostCommandFields(example: string, longest: number) {
  return {
    hosts: Type.Optional(
      Type.Array(Type.String(), { minItems: 1, maxItems: 10_000, description: "a list of names of hosts" }),
    ),
    command: Type.Array(word, {
      minItems: 1,
      maxItems: 100,
      description: `a list of words: the program and its arguments, such as ${example}`,
    }),
    timeout_seconds: seconds(1, longest),
  };
}

export const listOfCommands = { maxItems: 10_000, description: "a list of commands, each a map" };

const AnyHostCommand = group(hostCommandFields("", 1));

export function resolveHostCommand(settings: Static<typeof AnyHostCommand>, defaultTimeout: number): HostCommand {
  const { hosts, command, timeout_seconds: timeoutSeconds = defaultTimeout } = settings;
  const [program, ...args] = command;
  if (program === undefined) throw new Error("BUG: the schema allows no empty command");
  return { hosts, command: [program, ...args], timeoutSeconds };
}

/** The first entry that names the host, or names none. */
export function commandOf<One extends HostCommand>(entries: readonly One[], host: string): One | undefined {
  return entries.find(({ hosts }) => hosts === undefined || hosts.includes(host));
}
