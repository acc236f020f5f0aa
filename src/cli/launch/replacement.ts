// The launch of a replacement for an instance with a faulty GPU: one for each instance (rules/replacement-key.ts). Used by
// commands/report-fault.ts.

import { instancesOf } from "../../client/launched.ts";
import { replacedBefore, replacementKey } from "../../rules/replacement-key.ts";
import { CommandError } from "../command-error.ts";
import { type Instance, readInstance } from "../instances.ts";
import { ago } from "../output/units.ts";
import type { Shell } from "../shell.ts";
import { shellWord } from "../shell-word.ts";
import { orInterrupted, sent } from "./launching.ts";
import { copied, noteNotCopied } from "./like.ts";
import { quoteFor, quoteSentence } from "./quote.ts";

/** What is older was not launched by this command: the response is the one that is stored for the key. */
const oldMs = 60_000;

/**
 * At the price that it shows, or less. Repeated within 24 hours, gives the same one, as it is now. Throws CommandError.
 */
export async function launchReplacement(shell: Shell, former: Instance): Promise<Instance> {
  const quote = await quoteFor(shell.client(), {
    type: former.instance_type.name,
    quantity: 1,
    region: former.region.name,
    spot: former.spot,
  });
  shell.err.line(quoteSentence(quote));
  await noteNotCopied(shell, former, 1);
  const body = { ...copied(former, 1), max_price_cents_per_hour: quote.list_price_cents_per_hour };
  const answer = await orInterrupted(sent(shell, body, replacementKey(former.id))).catch((error: unknown) => {
    throw error instanceof CommandError && error.code === replacedBefore ? hasOne(former, error) : error;
  });
  const [launched] = instancesOf(answer);
  if (launched === undefined) throw new CommandError("The service launched nothing.", "Report this error.");
  if (Date.now() - Date.parse(launched.created_at) > oldMs) {
    shell.err.line(`This replacement was launched before, ${ago(launched.created_at)}.`);
  }
  return await readInstance(shell.client(), launched.id);
}

function hasOne({ name }: Instance, cause: CommandError): CommandError {
  const another = `lessor launch --like ${shellWord(name)}`;
  return new CommandError(
    `A replacement for ${name} was launched before. Nothing more was launched.`,
    `See lessor list, or launch another one: ${another}`,
    { cause },
  );
}
