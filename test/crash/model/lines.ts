// A sequence as lines that a person can read.

import type { Command, Ref, Script, Step } from "./commands.ts";
import type { Who } from "./requests.ts";

export function linesOf({ seconds, steps }: Script): string[] {
  return [`machines take ${seconds} s`, ...steps.flatMap((step, index) => lines(step, index + 1))];
}

function lines(step: Step, number: number): string[] {
  const head = `${String(number).padStart(2)}.`;
  const indented = (some: readonly Command[]) => some.map((one) => `      ${lineOf(one)}`);
  if ("ask" in step) {
    const [first, ...others] = step.ask;
    const hurried = step.hurried ? ", and go on at once" : "";
    if (first !== undefined && others.length === 0) return [`${head} ${lineOf(first)}${hurried}`];
    return [`${head} at the same time${hurried}:`, ...indented(step.ask)];
  }
  if ("crash" in step) return [`${head} crash ${step.afterMs} ms after asking:`, ...indented(step.crash)];
  if ("pass" in step) return [`${head} ${step.pass} s pass${step.abrupt ? ", abruptly" : ""}`];
  if ("workers" in step) return [`${head} workers ${step.workers}`];
  if ("host" in step) return [`${head} host ${step.host} is ${step.is}`];
  if ("accident" in step) return [`${head} the machine of ${step.account} #${step.nth} ${step.accident}`];
  if ("declareLost" in step) return [`${head} host ${step.declareLost} dies and is declared lost`];
  if ("maintain" in step) return [`${head} maintenance of ${step.maintain} begins, which does: ${step.mode}`];
  if ("endMaintenance" in step) return [`${head} maintenance of ${step.endMaintenance} ends`];
  return [`${head} ${"jobs" in step ? "jobs run" : "sweep"}`];
}

function lineOf(command: Command): string {
  const { do: what, ...rest } = command;
  const parts = Object.entries(rest).map(([name, value]) => {
    if (name === "via") return `via ${value}`;
    if (name === "who") return `as ${wordsOf(value as Who)}`;
    if (name === "refs") return (value as readonly Ref[]).map(wordsOfRef).join(" + ") || "none";
    if (name === "ref") return wordsOfRef(value as Ref);
    if (name === "order") return orderOf(value);
    return `${name} ${value}`;
  });
  return [what, ...parts].join(" ");
}

const wordsOf = ({ account, token }: Who) => `${account}/${token}`;

const wordsOfRef = ({ whose, nth, written }: Ref) =>
  `${whose === "unknown" ? whose : `${whose} #${nth}`}${written === "plain" ? "" : ` in ${written}`}`;

function orderOf(order: object): string {
  const told = Object.entries(order).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return `(${told.map(([name, value]) => `${name} ${value}`).join(", ")})`;
}
