// Signing in to the console by a link that is sent by email (rental/people/sign-in-links.ts).
//
// Invariants: the response to a request for a link is the same, and comes as fast, whether the address is known or not: it
// is sent before that is looked up. The secret of a link is in a request body only, in no URL that a server gets and in no log. The
// address of a link is not that of the request's Host header, which an attacker can choose.

import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { inTransaction } from "../../database/transaction.ts";
import { RentalError } from "../../rental/errors.ts";
import { countLinkRequest, redeemLink, sendLink } from "../../rental/people/sign-in-links.ts";
import { sessionTokenOf, type Team } from "../../rental/people/teams.ts";
import { emailAddressPattern, longestEmailAddress } from "../../rules/emails.ts";
import { signInPath as linkPath, signInLinks } from "../../rules/sign-in.ts";
import { hashSessionSecret, newSessionSecret } from "../../secrets/session-secret.ts";
import { auditRefusal } from "../api/audit.ts";
import type { HttpContext } from "../api/context.ts";
import { shownSession } from "../auth/authenticate.ts";
import { browserSecretIn, givenBrowserCookie, takenBrowserCookie } from "../auth/sign-in-cookie.ts";
import { addressGroup } from "../edge/client-address.ts";
import { HttpError } from "../errors/api-error.ts";
import { signInByLink, signInPath } from "./audit.ts";
import { giveSession, openSession, refuseOthers, uncached } from "./open-session.ts";
import type { SessionParts } from "./session-routes.ts";

const Email = Type.String({ maxLength: longestEmailAddress, pattern: emailAddressPattern });
const RequestLink = Type.Object({ email: Email });
const SignInByLink = Type.Object({
  secret: Type.String({ minLength: 1, maxLength: 256 }),
  /** Confirms whose link it is. */
  email: Type.Optional(Email),
});

const mostBytes = 2048;

const config = (id: string) => ({
  operation: { interface: "console", id },
  cookie: "request" as const,
  mostBodyBytes: mostBytes,
});

export function signInRoutes(
  scope: FastifyInstance,
  parts: SessionParts & {
    readonly told: (team: Team, tokenId: string, expiresAt: Date) => Promise<object>;
    readonly providers: readonly { readonly id: string; readonly label: string }[];
  },
): void {
  const { context, ownOrigin, noteGood, told, controlUrl, providers } = parts;
  const { db, service, log } = context;
  const links = linksOf(context);
  /** Requests that were responded to and are still being carried out. */
  const inProgress = new Set<Promise<void>>();
  scope.addHook("onClose", async () => void (await Promise.all(inProgress)));

  const refuse = async (request: FastifyRequest) => refuseOthers(request, ownOrigin);

  scope.get(signInPath, { schema: { hide: true }, config: config("readSignIn"), onRequest: refuse }, async (_, reply) =>
    // An invitation is accepted there before there is a session.
    reply.headers(uncached).send({ data: { links: links !== undefined, providers, control_url: controlUrl } }),
  );

  scope.post(
    `${signInPath}/link`,
    { schema: { hide: true, body: RequestLink }, config: config("requestLink"), onRequest: refuse },
    async (request, reply) => {
      if (links === undefined) throw notConfigured();
      const { email } = request.body as { email: string }; // validated
      const client = addressGroup(request.clientAddress);
      const seconds = await inTransaction(db, (tx) => countLinkRequest(tx, { email, client }));
      if (seconds !== undefined)
        throw new HttpError("rate-limited", { limit: "sign-in-links", retryAfterSeconds: seconds });
      const { secret, hash } = newSessionSecret();
      const carriedOut = inTransaction(db, (tx) =>
        sendLink(tx, { email, browserHash: hash, url: `${links.consoleUrl()}${linkPath}` }, service.keyRing),
      )
        .then((link) => link !== undefined && links.show?.(link))
        .catch((err: unknown) => log.error({ err }, "cannot send a sign-in link"))
        .then(() => void inProgress.delete(carriedOut));
      inProgress.add(carriedOut);
      const cookie = givenBrowserCookie(secret, signInLinks.minutes * 60, ownOrigin(request.raw));
      return reply.headers(uncached).header("set-cookie", cookie).send({ data: {} });
    },
  );

  scope.post(
    signInPath,
    {
      schema: { hide: true, body: SignInByLink },
      config: config(signInByLink.id),
      onRequest: async (request, reply) => {
        await refuse(request);
        context.failures.refuseAfterFailures(request, reply, () => false);
      },
      onSend: (request, reply) => auditRefusal(context, request, reply, signInByLink),
    },
    async (request, reply) => {
      const { secret, email: confirmed } = request.body as { secret: string; email?: string }; // validated
      const own = ownOrigin(request.raw);
      const browser = browserSecretIn(request.headers.cookie, own);
      const done = await inTransaction(db, async (tx) => {
        const browserHash = browser === undefined ? undefined : hashSessionSecret(browser);
        const redeemed = await redeemLink(tx, { secret, browserHash, confirmed });
        if (redeemed === undefined || "confirm" in redeemed) return redeemed;
        const { team, byEmail } = redeemed;
        const tokenId = await sessionTokenOf(tx, team);
        if (tokenId === undefined) return undefined;
        const who = { accountId: team.accountId, tokenId, byEmail };
        return { team, tokenId, session: await openSession(tx, request, own, signInByLink, who) };
      });
      if (done === undefined) {
        // As tokens that are not valid, so that secrets cannot be tried out.
        context.failures.noteFailure(request);
        throw notValid();
      }
      if ("confirm" in done) return reply.headers(uncached).send({ data: { confirm: done.confirm } });
      noteGood(request, shownSession(done.session.secret));
      giveSession(reply, done.session, own).header("set-cookie", takenBrowserCookie(own));
      return told(done.team, done.tokenId, done.session.expiresAt);
    },
  );
}

/** How links are made and shown; undefined: people cannot sign in by email. */
function linksOf({ config, demoLinks }: HttpContext) {
  const { email } = config;
  if (email === undefined) return demoLinks;
  const { consoleUrl, disabledKinds } = email;
  if (consoleUrl === undefined || disabledKinds.includes("sign_in")) return undefined;
  return { consoleUrl: () => consoleUrl, show: undefined };
}

const notConfigured = () =>
  new RentalError("conflict", {
    message: "Signing in by email is not configured.",
    suggestion: "Sign in with a token.",
  });

const notValid = () =>
  new RentalError("conflict", {
    message: "This link is not valid: it was used or replaced, or has expired.",
    suggestion: "Request a new link.",
  });
