// Signing in to the console with OpenID Connect: sends the browser to a provider, and takes it back (provider-client.ts).
//
// Invariants: only the console of this service begins a sign-in, and only the browser that began it ends it, once
// (rental/people/sign-in-attempts.ts). Each provider has an address of its own to come back to. Afterwards the browser is sent to
// paths of the console only. No network call is inside of a transaction.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { inTransaction } from "../../database/transaction.ts";
import { RentalError } from "../../rental/errors.ts";
import { isSuspendedPerson } from "../../rental/people/confirmations.ts";
import { type OwnTeam, personOfClaims } from "../../rental/people/identities.ts";
import { beginAttempt, derivedFrom, endAttempt } from "../../rental/people/sign-in-attempts.ts";
import { countRequest } from "../../rental/people/sign-in-links.ts";
import { sessionTokenOf, teamsOf } from "../../rental/people/teams.ts";
import { attemptMinutes, attemptsPerClient, ownPath } from "../../rules/sign-in-providers.ts";
import { newSessionSecret } from "../../secrets/session-secret.ts";
import { shownSession } from "../auth/authenticate.ts";
import { attemptSecretIn, givenAttemptCookie, takenAttemptCookie } from "../auth/sign-in-cookie.ts";
import { addressGroup } from "../edge/client-address.ts";
import { HttpError } from "../errors/api-error.ts";
import { signInByProvider, signInPath } from "./audit.ts";
import { giveSession, type OpenedSession, openSession, refuseOthers, uncached } from "./open-session.ts";
import type { ProviderClient } from "./provider-client.ts";
import type { Providers } from "./providers.ts";
import type { SessionParts } from "./session-routes.ts";

const Begin = Type.Object({ return_to: Type.Optional(Type.String({ maxLength: 512 })) });
const Params = Type.Object({ provider: Type.String({ maxLength: 32 }) });

/** Why a sign-in failed, for the sign-in page. */
type Failure = "expired" | "unreachable" | "denied" | "invalid" | "suspended" | "unknown";

export function providerRoutes(
  scope: FastifyInstance,
  { context, ownOrigin, noteGood }: Pick<SessionParts, "context" | "ownOrigin" | "noteGood">,
  providers: Providers,
): void {
  const { db, config: settings, log, service } = context;
  const ownTeam = newTeam(settings.defaults);
  const config = (id: string) => ({ operation: { interface: "console", id }, mostBodyBytes: 2048 });

  scope.post(
    `${signInPath}/:provider`,
    {
      schema: { hide: true, params: Params, body: Begin },
      config: { ...config("beginSignIn"), cookie: "request" },
      onRequest: async (request, reply) => {
        refuseOthers(request, ownOrigin);
        context.failures.refuseAfterFailures(request, reply, () => false);
      },
    },
    async (request, reply) => {
      const { provider: id } = request.params as { provider: string }; // validated, as the body
      const { return_to: wanted } = request.body as { return_to?: string };
      const client = await providers.of(id);
      if (client === undefined) throw new RentalError("unknown-object", { what: "sign-in provider", ids: [id] });
      const from = addressGroup(request.clientAddress);
      const seconds = await inTransaction(db, (tx) => countRequest(tx, "provider-begin", from, attemptsPerClient));
      if (seconds !== undefined) throw new HttpError("rate-limited", { limit: "sign-ins", retryAfterSeconds: seconds });
      const { secret } = newSessionSecret();
      const url = await client.authorizationUrl(derivedFrom(secret)).catch((error: unknown) => {
        log.warn({ provider: id, ...toldOf(error) }, "sign-in provider does not respond");
        return undefined;
      });
      if (url === undefined) return reply.headers(uncached).send({ data: { failed: "unreachable" satisfies Failure } });
      await beginAttempt(db, { secret, provider: id, returnTo: ownPath(wanted) });
      const cookie = givenAttemptCookie(secret, attemptMinutes * 60, ownOrigin(request.raw));
      return reply.headers(uncached).header("set-cookie", cookie).send({ data: { url } });
    },
  );

  scope.get(
    `${signInPath}/:provider/callback`,
    { schema: { hide: true, params: Params }, config: config(signInByProvider.id) },
    async (request, reply) => {
      const { provider: id } = request.params as { provider: string }; // validated
      const own = ownOrigin(request.raw);
      const done = await ended(request, id);
      reply.header("set-cookie", takenAttemptCookie(own));
      if ("failed" in done) {
        // Without the cookie nothing was tried out, and each page can make a browser come here: that must not keep the people
        // behind its address from signing in.
        if (attemptSecretIn(request.headers.cookie, own) !== undefined) context.failures.noteFailure(request);
        return away(reply, `/sign-in#failed=${done.failed}`);
      }
      noteGood(request, shownSession(done.session.secret));
      giveSession(reply, done.session, own);
      return away(reply, done.returnTo);
    },
  );

  async function ended(request: FastifyRequest, id: string) {
    const failed = (reason: Failure) => ({ failed: reason });
    const own = ownOrigin(request.raw);
    const secret = attemptSecretIn(request.headers.cookie, own);
    const client = await providers.of(id);
    if (secret === undefined || client === undefined) return failed("expired");
    const attempt = await inTransaction(db, (tx) => endAttempt(tx, { secret, provider: id }));
    if (attempt === undefined) return failed("expired");
    const query = request.raw.url?.split("?")[1] ?? "";
    let claims: Awaited<ReturnType<ProviderClient["claimsOf"]>>;
    try {
      claims = await client.claimsOf(query, derivedFrom(secret));
    } catch (error) {
      const { reason, problem } = toldOf(error);
      log.warn({ provider: id, reason, problem }, "sign-in at a provider failed");
      return failed(reason);
    }
    const { provider } = client;
    const session = await inTransaction(db, async (tx): Promise<OpenedSession | Failure> => {
      const personId = await personOfClaims(tx, provider, claims, ownTeam, service.keyRing);
      const [team] = personId === undefined ? [] : await teamsOf(tx, { personId });
      const tokenId = team && (await sessionTokenOf(tx, team));
      if (personId !== undefined && (await isSuspendedPerson(tx, personId))) return "suspended";
      if (team === undefined || tokenId === undefined) return "unknown";
      const who = { accountId: team.accountId, tokenId, provider: id, minutes: provider.sessionMinutes };
      return openSession(tx, request, own, signInByProvider, who);
    });
    return typeof session === "string" ? failed(session) : { session, returnTo: attempt.returnTo };
  }
}

/** As accounts that operators create without saying more. */
function newTeam({
  quotas,
  spendLimitCents,
  maxLifetimeSeconds,
  terms,
}: SessionParts["context"]["config"]["defaults"]): OwnTeam {
  const { sshKeys, fileSystems, ...others } = quotas;
  const columns = { ...others, ssh_keys: sshKeys, file_systems: fileSystems };
  const limits = { spendLimitCents: spendLimitCents ?? null, maxLifetimeSeconds: maxLifetimeSeconds ?? null };
  return { quotas: columns, ...limits, ...terms };
}

/** Of a ProviderError, whose file is loaded late: never its cause as a whole, which has codes and tokens. */
function toldOf(error: unknown): { readonly reason: Failure; readonly problem: string | undefined } {
  const reason = error instanceof Error && "reason" in error ? error.reason : undefined;
  const problem =
    error instanceof Error && error.cause instanceof Error ? error.cause.message.slice(0, 200) : undefined;
  return { reason: reason === "denied" || reason === "invalid" ? reason : "unreachable", problem };
}

const away = (reply: FastifyReply, path: string) => reply.headers(uncached).code(303).header("location", path).send();
