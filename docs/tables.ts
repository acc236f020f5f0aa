// The generated tables of the reference, and how they are written into the pages. `npm run docs` writes them and the
// pictures of pictures.ts; test/codebase/documents.test.ts fails if a page is out of date.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { faultsAsMarkdown, operationsAsMarkdown } from "../src/engines/simulated/documentation.ts";
import { helperErrors, resetFailures } from "../src/gpus/helper-codes.ts";
import { activeNumbers, bootedNumbers, statusWords } from "../src/http/direct/status-labels.ts";
import { errorsAsMarkdown } from "../src/http/errors/documentation.ts";
import * as lambda from "../src/http/lambda/status-labels.ts";
import * as marketplace from "../src/http/marketplace/status-labels.ts";
import * as reference from "../src/http/reference/status-labels.ts";
import { metricsAsMarkdown } from "../src/metrics/documentation.ts";
import { eventWords } from "../src/rental/events/event-types.ts";
import { announcedAfterSeconds } from "../src/rules/capacity-notices.ts";
import { emailKinds, optionalEmailKinds } from "../src/rules/emails.ts";
import {
  afterGpuTransition,
  type GpuTransition,
  gpuStates,
  gpuTraits,
  gpuTransitions,
  handovers,
  handoverTraits,
} from "../src/rules/gpu-lifecycle.ts";
import { guestMetricNames, guestUnits, traitsOf } from "../src/rules/guest-metrics.ts";
import { healthCodeNames, healthCodes } from "../src/rules/host-health.ts";
import {
  type HostAction,
  type HostMode,
  hostActions,
  hostModes,
  hostStates,
  hostTraits,
} from "../src/rules/host-lifecycle.ts";
import { invoiceKindNames, invoiceKinds } from "../src/rules/invoices.ts";
import { ledgerAccounts, ledgerKindNames, ledgerKinds } from "../src/rules/ledger.ts";
import {
  actions,
  afterAction,
  afterObservation,
  bill,
  endings,
  type InstanceAction,
  type Observation,
  observations,
  states,
} from "../src/rules/lifecycle.ts";
import {
  afterWindowAction,
  maintenanceModes,
  modeTraits,
  phaseTraits,
  type WindowAction,
  windowActions,
  windowPhases,
} from "../src/rules/maintenance.ts";
import { methodStatusTable, shownMethodStatuses } from "../src/rules/payment-methods.ts";
import { paymentStatuses, paymentStatusTable } from "../src/rules/payments.ts";
import {
  afterReservationAction,
  type ReservationAction,
  reservationActions,
  reservationStates,
  reservationTraits,
} from "../src/rules/reservations.ts";
import { operatorMay, operatorRoles, rightNames, rights, teamMay, teamRoles } from "../src/rules/roles.ts";
import { hardwareXidNumbers, hardwareXids } from "../src/rules/xids.ts";
import { pictures } from "./pictures.ts";

const wherePageIs = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const actionNames = Object.keys(actions) as InstanceAction[];
const observationNames = Object.keys(observations) as Observation[];

const findingsAsMarkdown = () =>
  table(
    ["finding", "meaning", "when", "what to do"],
    healthCodeNames.map((code) => {
      const { meaning, thresholds, remedy } = healthCodes[code];
      return [`\`${code}\``, meaning, thresholds, remedy];
    }),
  );

const combinationWords = { mean: "mean", max: "highest", last: "last" } as const;

const guestMetricsAsMarkdown = () =>
  table(
    ["metric", "of", "unit", "when it becomes coarser", "meaning"],
    guestMetricNames.map((name) => {
      const { of, unit, combine, meaning } = traitsOf(name);
      const subject = of === "gpu" ? "each GPU" : "the instance";
      return [`\`${name}\``, subject, guestUnits[unit].meaning, combinationWords[combine], meaning];
    }),
  );

const xidsAsMarkdown = () =>
  table(
    ["XID", "name in the catalog", "meaning", "actions of the catalog"],
    hardwareXidNumbers.map((number) => {
      const { mnemonic, meaning, source } = hardwareXids[number];
      return [`${number}`, `\`${mnemonic}\``, meaning, source];
    }),
  );

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
  endings: () =>
    table(
      ["`ended_by`", "why"],
      Object.entries(endings).map(([ending, meaning]) => [`\`${ending}\``, meaning]),
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
        ...hostModes.map((mode) => ledTo(mode, action)),
      ]),
    ),
  "gpu-states": () =>
    table(
      ["state", "meaning"],
      gpuStates.map((state) => [state, gpuTraits[state].meaning]),
    ),
  "gpu-transitions": () =>
    table(
      ["", ...gpuStates],
      // Object.keys returns strings; these are the keys of the table.
      (Object.keys(gpuTransitions) as GpuTransition[]).map((transition) => [
        transition,
        ...gpuStates.map((state) => afterGpuTransition(state, transition) ?? "rejected"),
      ]),
    ),
  handovers: () =>
    table(
      ["policy", "meaning"],
      handovers.map((handover) => [handover, handoverTraits[handover].meaning]),
    ),
  "maintenance-phases": () =>
    table(
      ["phase", "meaning"],
      windowPhases.map((phase) => [phase, phaseTraits[phase].meaning]),
    ),
  "maintenance-actions": () =>
    table(
      ["", ...windowPhases],
      // As above.
      (Object.keys(windowActions) as WindowAction[]).map((action) => [
        action,
        ...windowPhases.map((phase) => afterWindowAction(phase, action) ?? "rejected"),
      ]),
    ),
  "maintenance-modes": () =>
    table(
      ["mode", "meaning"],
      maintenanceModes.map((mode) => [mode, modeTraits[mode].meaning]),
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

const ofGpuHelper: Tables = {
  errors: () =>
    table(
      ["code", "kind", "reported by", "meaning", "what to do"],
      Object.entries(helperErrors).map(([code, { kind, by, meaning, remedy }]) => [
        ...[`\`${code}\``, kind, by, meaning, remedy],
      ]),
    ),
  resets: () =>
    table(
      ["code", "meaning", "what to do"],
      Object.entries(resetFailures).map(([code, { meaning, remedy }]) => [`\`${code}\``, meaning, remedy]),
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

const ofReservations: Tables = {
  "reservation-states": () =>
    table(
      ["state", "meaning"],
      reservationStates.map((state) => [`\`${state}\``, reservationTraits[state].meaning]),
    ),
  "reservation-actions": () =>
    table(
      ["", ...reservationStates],
      // As above.
      (Object.keys(reservationActions) as ReservationAction[]).map((action) => [
        action,
        ...reservationStates.map((state) => afterReservationAction(state, action) ?? "rejected"),
      ]),
    ),
};

const ofLedger: Tables = {
  "ledger-kinds": () =>
    table(
      ["kind", "meaning", "amount", "made by", "needs", "other account"],
      ledgerKindNames.map((kind) => {
        const { meaning, sign, madeBy, needsReference, needsReason, against } = ledgerKinds[kind];
        const needs = [needsReference && "reference", needsReason && "reason"].filter((need) => need !== false);
        const amount = { "+": "above 0", "-": "below 0", "±": "either" }[sign];
        const other = `\`${against}\`: ${ledgerAccounts[against]}`;
        return [`\`${kind}\``, meaning, amount, madeBy.join(", "), needs.join(", "), other];
      }),
    ),
};

const ofPayments: Tables = {
  "payment-statuses": () =>
    table(
      ["status", "meaning", "becomes"],
      paymentStatuses.map((status) => {
        const { meaning, next } = paymentStatusTable[status];
        return [`\`${status}\``, meaning, next.map((word) => `\`${word}\``).join(", ")];
      }),
    ),
  "payment-method-statuses": () =>
    table(
      ["status", "meaning"],
      shownMethodStatuses.map((status) => [`\`${status}\``, String(methodStatusTable[status].meaning)]),
    ),
};

const ofInvoices: Tables = {
  "invoice-kinds": () =>
    table(
      ["kind", "title", "meaning"],
      invoiceKindNames.map((kind) => [`\`${kind}\``, invoiceKinds[kind].title, invoiceKinds[kind].meaning]),
    ),
};

const has = (holds: boolean) => (holds ? "yes" : "");

const ofPeople: Tables = {
  rights: () =>
    table(
      ["right", "to", ...teamRoles.map((role) => `\`${role}\``)],
      rightNames.flatMap((right) => {
        const { team } = rights[right];
        return team === null ? [] : [[`\`${right}\``, team, ...teamRoles.map((role) => has(teamMay(role, right)))]];
      }),
    ),
  "operator-rights": () =>
    table(
      ["right", "to", ...operatorRoles.map((role) => `\`${role}\``)],
      rightNames.map((right) => [
        ...[`\`${right}\``, rights[right].operators],
        ...operatorRoles.map((role) => has(operatorMay(role, right))),
      ]),
    ),
};

const { available, unavailable } = announcedAfterSeconds;

const ofCapacityNotices: Tables = {
  "capacity-notices": () =>
    table(
      ["what is seen without interruption", "for", "then"],
      [
        ["capacity where none was announced", `${available} seconds`, "it is announced: `capacity.available`"],
        [
          "no capacity where some was announced",
          `${unavailable} seconds`,
          "it is announced no longer, without an event",
        ],
      ],
    ),
};

const ofEmails: Tables = {
  emails: () =>
    table(
      ["kind", "when"],
      optionalEmailKinds.map((kind) => [`\`${kind}\``, emailKinds[kind].when]),
    ),
};

/** The pages with such tables, by path. */
export const pages: ReadonlyMap<string, Tables> = new Map([
  [wherePageIs("reference/api/lifecycle.md"), ofLifecycle],
  [wherePageIs("reference/api/errors.md"), { errors: errorsAsMarkdown }],
  [wherePageIs("reference/api/events.md"), ofEvents],
  [wherePageIs("reference/api/capacity-notices.md"), ofCapacityNotices],
  [wherePageIs("reference/api/ledger.md"), ofLedger],
  [wherePageIs("reference/api/invoices.md"), ofInvoices],
  [wherePageIs("reference/api/payments.md"), ofPayments],
  [wherePageIs("reference/api/reservations.md"), ofReservations],
  [wherePageIs("how-to/operators/configure-email.md"), ofEmails],
  [wherePageIs("reference/api/people.md"), ofPeople],
  [wherePageIs("reference/metrics.md"), { metrics: metricsAsMarkdown }],
  [wherePageIs("reference/faults.md"), { operations: operationsAsMarkdown, faults: faultsAsMarkdown }],
  [wherePageIs("reference/gpu-helper.md"), ofGpuHelper],
  [wherePageIs("reference/host-health.md"), { findings: findingsAsMarkdown }],
  [
    wherePageIs("reference/guest-metrics.md"),
    { "guest-metrics": guestMetricsAsMarkdown, "hardware-xids": xidsAsMarkdown },
  ],
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

/** As the table has it, so "as before" where a host returns to its former mode. */
function ledTo(mode: HostMode, action: HostAction): string {
  const row: Partial<Record<HostMode, string>> = hostActions[action];
  return row[mode] ?? "rejected";
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [page, tables] of pages) writeFileSync(page, rendered(readFileSync(page, "utf8"), tables));
  for (const [file, make] of pictures) writeFileSync(file, make());
}
