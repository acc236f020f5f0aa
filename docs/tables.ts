// The generated tables of the reference, and how they are written into the pages. `npm run docs` writes them and the
// pictures of pictures.ts; test/codebase/documents.test.ts fails if a page is out of date.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { faultsAsMarkdown } from "../src/engines/simulated/documentation.ts";
import { activeNumbers, bootedNumbers, statusWords } from "../src/http/direct/status-labels.ts";
import { errorsAsMarkdown } from "../src/http/errors/documentation.ts";
import * as lambda from "../src/http/lambda/status-labels.ts";
import * as marketplace from "../src/http/marketplace/status-labels.ts";
import * as reference from "../src/http/reference/status-labels.ts";
import { metricsAsMarkdown } from "../src/metrics/documentation.ts";
import { eventWords } from "../src/rental/events/event-types.ts";
import {
  afterHostAction,
  type HostAction,
  hostActions,
  hostModes,
  hostStates,
  hostTraits,
} from "../src/rules/host-lifecycle.ts";
import {
  actions,
  afterAction,
  afterObservation,
  bill,
  type InstanceAction,
  type Observation,
  observations,
  states,
} from "../src/rules/lifecycle.ts";
import { pictures } from "./pictures.ts";

const wherePageIs = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const actionNames = Object.keys(actions) as InstanceAction[];
const observationNames = Object.keys(observations) as Observation[];

type Tables = Readonly<Record<string, () => string>>;

const ofLifecycle: Tables = {
  actions: () =>
    table(
      ["", ...states, "billing"],
      actionNames.map((action) => [
        action,
        ...states.map((state) => afterAction(state, action) ?? "rejected"),
        billOf(action),
      ]),
    ),
  observations: () =>
    table(
      ["", ...states, "billing"],
      observationNames.map((one) => [one, ...states.map((state) => afterObservation(state, one) ?? ""), billOf(one)]),
    ),
  "host-states": () =>
    table(
      ["state", "meaning"],
      hostStates.map((state) => [state, hostTraits[state].meaning]),
    ),
  "host-actions": () =>
    table(
      ["", ...hostModes],
      // Object.keys returns strings; these are the keys of the table.
      (Object.keys(hostActions) as HostAction[]).map((action) => [
        action,
        ...hostModes.map((mode) => afterHostAction(mode, action) ?? "rejected"),
      ]),
    ),
  labels: () =>
    table(
      ["state", "M list, read", "M operations", "R", "lambda", "D status / active / os_booted"],
      states.map((state) => [
        state,
        marketplace.listWords[state],
        marketplace.operationWords[state],
        reference.words[state],
        lambda.words[state] === lambda.unreachableWords[state]
          ? lambda.words[state]
          : `${lambda.words[state]} (${lambda.unreachableWords[state]} when unreachable)`,
        `${statusWords[state]} / ${activeNumbers[state]} / ${bootedNumbers[state]}`,
      ]),
    ),
};

const ofEvents: Tables = {
  events: () =>
    table(
      ["object", "types"],
      Object.entries(eventWords).map(([subject, words]) => [
        subject.replaceAll("_", " "),
        words.map((word) => `\`${subject}.${word}\``).join(", "),
      ]),
    ),
};

/** The pages with such tables, by path. */
export const pages: ReadonlyMap<string, Tables> = new Map([
  [wherePageIs("reference/api/lifecycle.md"), ofLifecycle],
  [wherePageIs("reference/api/errors.md"), { errors: errorsAsMarkdown }],
  [wherePageIs("reference/api/events.md"), ofEvents],
  [wherePageIs("reference/metrics.md"), { metrics: metricsAsMarkdown }],
  [wherePageIs("reference/faults.md"), { faults: faultsAsMarkdown }],
]);

/** The page with the current tables. Throws if a mark has no table or a table has no mark. */
export function rendered(markdown: string, tables: Tables): string {
  const seen = new Set<string>();
  const text = markdown.replaceAll(
    /(<!-- generated: (\S+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, open, name: string, close) => {
      const make = tables[name];
      if (make === undefined) throw new Error(`the page asks for an unknown table: ${name}`);
      seen.add(name);
      return `${open}\n${make().trim()}\n\n${close}`;
    },
  );
  const missing = Object.keys(tables).filter((name) => !seen.has(name));
  if (missing.length > 0) throw new Error(`the page has no place for: ${missing.join(", ")}`);
  return text;
}

function billOf(name: string): string {
  return new Map<string, string>(Object.entries(bill)).get(name) ?? "";
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [page, tables] of pages) writeFileSync(page, rendered(readFileSync(page, "utf8"), tables));
  for (const [file, make] of pictures) writeFileSync(file, make());
}
