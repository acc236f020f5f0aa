// Whether each endpoint of the settings responds, has the expected identity, and trusts our certificate. The first step
// of the check.
//
// It connects to each one directly, because the engine's client would silently use the next one if one fails.

import { request } from "undici";
import { type Finding, ok, problem, warning, wordsOf } from "../../check/finding.ts";
import { openEndpoint } from "../client/endpoint.ts";
import type { IncusEndpoint } from "../settings/connection.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { AnyServerAnswer } from "./answers.ts";
import { explain } from "./connection-trouble.ts";

const PATIENCE_MS = 10_000;
/** Certificates depend on the clock, and logs of several machines are compared. */
const TOLERATED_SKEW_SECONDS = 10;

export interface Answering {
  readonly endpoint: string;
  readonly member: string;
}

type Outcome =
  | { readonly kind: "trusted"; readonly who: Answering; readonly software: string; readonly skewSeconds: number }
  | { readonly kind: "untrusted" }
  | { readonly kind: "trouble"; readonly detail: string; readonly advice: string };

/** Yields a finding for each endpoint; returns those that work. Throws only the reason of `signal`. */
export async function* checkEndpoints(
  settings: IncusSettings,
  signal: AbortSignal,
): AsyncGenerator<Finding, readonly Answering[]> {
  const outcomes = await Promise.all(
    settings.endpoints.map(async (endpoint) => ({
      name: nameOf(endpoint),
      outcome: await ask(endpoint, settings.tls, signal),
    })),
  );
  const trusted = outcomes.flatMap(({ outcome }) => (outcome.kind === "trusted" ? [outcome.who] : []));
  for (const { name, outcome } of outcomes) yield* tell(name, outcome, trusted.length > 0, settings.tls);
  return trusted;
}

function* tell(name: string, outcome: Outcome, another: boolean, tls: IncusSettings["tls"]): Generator<Finding> {
  // If another endpoint works, the cluster is still usable.
  const bad = another ? warning : problem;
  if (outcome.kind === "trouble") {
    yield bad("endpoint", `${name}: ${outcome.detail}`, outcome.advice);
  } else if (outcome.kind === "untrusted") {
    const file = tls?.certificate ?? "the certificate";
    yield bad(
      "endpoint",
      `${name} responds but does not trust Lessor's certificate`,
      `on a member of the cluster: incus config trust add-certificate ${file} (LXD: lxc config trust add ${file})`,
    );
  } else {
    yield ok("endpoint", `${name} is ${outcome.who.member} (${outcome.software}), trusted`);
    if (Math.abs(outcome.skewSeconds) > TOLERATED_SKEW_SECONDS) {
      const [by, how] = [Math.round(Math.abs(outcome.skewSeconds)), outcome.skewSeconds > 0 ? "ahead" : "behind"];
      yield warning(
        "clock",
        `the clock of ${outcome.who.member} is ${by} s ${how} of this machine's`,
        "synchronize both with a time server",
      );
    }
  }
}

async function ask(endpoint: IncusEndpoint, tls: IncusSettings["tls"], signal: AbortSignal): Promise<Outcome> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  let agent: ReturnType<typeof openEndpoint>["agent"] | undefined;
  try {
    const opened = openEndpoint(endpoint, tls);
    agent = opened.agent;
    const { statusCode, headers, body } = await request(`${opened.origin}/1.0`, {
      dispatcher: agent,
      signal: AbortSignal.any([signal, patience]),
    });
    return outcomeOf(statusCode, await body.text(), String(headers.date), nameOf(endpoint));
  } catch (error) {
    signal.throwIfAborted();
    if (patience.aborted) {
      return { kind: "trouble", detail: `no response within ${PATIENCE_MS / 1000} s`, advice: explain.silence };
    }
    return { kind: "trouble", ...explain.failure(error, endpoint, wordsOf(error)) };
  } finally {
    await agent?.destroy();
  }
}

function outcomeOf(status: number, text: string, date: string, name: string): Outcome {
  const answer = parsed(text);
  if (!AnyServerAnswer.Check(answer)) {
    return {
      kind: "trouble",
      detail: `the server is not the API of Incus or LXD (HTTP ${status})`,
      advice: "correct urls: the API is at a Unix socket, or usually at port 8443",
    };
  }
  const { auth, environment } = answer.metadata;
  if (auth !== "trusted") return { kind: "untrusted" };
  const at = Date.parse(date);
  return {
    kind: "trusted",
    who: { endpoint: name, member: environment?.server_name ?? "" },
    software: [environment?.server, environment?.server_version].filter(Boolean).join(" "),
    skewSeconds: Number.isNaN(at) ? 0 : (at - Date.now()) / 1000,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function nameOf(endpoint: IncusEndpoint): string {
  return endpoint.kind === "unix" ? `unix://${endpoint.path}` : endpoint.url;
}
