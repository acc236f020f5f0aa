// The idle rule of an instance: what happens when its GPUs are not used for so many minutes, as its customer chooses.
// Never on by default. Used by launches and changes, by the job that applies the rules, and by command line and console.

/** What happens, and what it means: one sentence, for documents and forms. */
export const idleActions = {
  notify: "An event is recorded, which webhooks deliver.",
  stop: "It is stopped too. Its data and capacity stay reserved, and billing continues.",
  terminate: "It is terminated too, with its data. Billing ends.",
} as const;
export type IdleAction = keyof typeof idleActions;
/** Object.keys returns strings; these are the table's. */
export const idleActionNames = Object.keys(idleActions) as readonly IdleAction[];

export interface IdleRule {
  readonly minutes: number;
  readonly action: IdleAction;
}

/** Five minutes to 30 days. */
export const idleMinutes = { least: 5, most: 43_200 } as const;

/** A GPU below this utilization, in percent, is not used. */
export const usedFromPercent = 1;

/** Minutes without a sample after which nothing is known of the use before: the time counts anew. */
export const longestGapMinutes = 3;

/** Why an instance like this cannot have an idle rule; undefined: it can. */
export function checkIdleRule({ gpus, hasMetrics }: { gpus: number; hasMetrics: boolean }): string | undefined {
  if (gpus === 0) return "Only instances with GPUs can have an idle rule.";
  if (!hasMetrics) return "Its image has no agent that reports the use of GPUs, so the rule would do nothing.";
  return undefined;
}

/** Narrows a stored word. Throws "BUG: …" for any other, which only this service writes. */
export function asIdleAction(word: string): IdleAction {
  const action = idleActionNames.find((known) => known === word);
  if (action === undefined) throw new Error(`BUG: unknown action of an idle rule ${JSON.stringify(word)}`);
  return action;
}
