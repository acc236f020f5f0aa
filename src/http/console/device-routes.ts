// The command line signs in through the browser (rental/people/device-sign-ins.ts): it begins and polls without a token, and a
// person confirms in the console.
//
// Invariant: beginning and polling take no cookie and set none; confirming takes the console's session, and no token.

import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { inTransaction } from "../../database/transaction.ts";
import { RentalError } from "../../rental/errors.ts";
import { beginDeviceSignIn, confirmDevice, pollDevice, readDevice } from "../../rental/people/device-sign-ins.ts";
import { countRequest } from "../../rental/people/sign-in-links.ts";
import { deviceSignIn } from "../../rules/sign-in.ts";
import { principalOf } from "../auth/authorize.ts";
import { addressGroup } from "../edge/client-address.ts";
import { HttpError } from "../errors/api-error.ts";
import { auditSession, confirmDeviceSignIn, devicePath, signInByDevice } from "./audit.ts";
import { uncached } from "./open-session.ts";
import type { SessionParts } from "./session-routes.ts";

const Begin = Type.Object({ name: Type.String({ minLength: 1, maxLength: 56, pattern: "\\S" }) });
const Poll = Type.Object({ secret: Type.String({ minLength: 1, maxLength: 256 }) });
const Confirm = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 32 }),
  /** The team's id; absent: shows what is to be confirmed. */
  team: Type.Optional(Type.String({ format: "uuid" })),
});

const mostBytes = 2048;

export function deviceRoutes(scope: FastifyInstance, { context }: Pick<SessionParts, "context">): void {
  const { db } = context;
  const config = (id: string) => ({ operation: { interface: "console", id }, mostBodyBytes: mostBytes });

  async function limited(what: "device-begin" | "device-code", whose: string, most: number): Promise<void> {
    const seconds = await inTransaction(db, (tx) => countRequest(tx, what, whose, most));
    if (seconds !== undefined) throw new HttpError("rate-limited", { limit: "sign-ins", retryAfterSeconds: seconds });
  }

  scope.post(
    devicePath,
    { schema: { hide: true, body: Begin }, config: config("beginDeviceSignIn") },
    async (request, reply) => {
      const name = computerNameOf((request.body as { name: string }).name); // validated
      await limited("device-begin", addressGroup(request.clientAddress), deviceSignIn.perClient);
      const address = request.clientAddress || null;
      const { secret, userCode } = await inTransaction(db, (tx) => beginDeviceSignIn(tx, { name, address }));
      const { pollSeconds: interval, minutes } = deviceSignIn;
      const data = { secret, code: userCode, path: deviceSignIn.page, interval, expires_in: minutes * 60 };
      return reply.headers(uncached).send({ data });
    },
  );

  scope.post(
    `${devicePath}/token`,
    {
      schema: { hide: true, body: Poll },
      config: config(signInByDevice.id),
      onRequest: async (request, reply) => context.failures.refuseAfterFailures(request, reply, () => false),
    },
    async (request, reply) => {
      const { secret } = request.body as { secret: string }; // validated
      const polled = await inTransaction(db, async (tx) => {
        const result = await pollDevice(tx, secret);
        if (result.status !== "done") return result;
        await auditSession(tx, request, signInByDevice, { ...result, id: result.tokenId });
        return { status: result.status, token: result.token };
      });
      // As tokens that are not valid, so that secrets cannot be tried out.
      if (polled.status === "expired") context.failures.noteFailure(request);
      return reply.headers(uncached).send({ data: polled });
    },
  );

  scope.post(
    `${devicePath}/confirm`,
    {
      schema: { hide: true, body: Confirm },
      config: { ...config(confirmDeviceSignIn.id), cookie: "request" },
      onRequest: (request, reply) => context.gate(request, reply, "see", "write"),
    },
    async (request, reply) => {
      const { code, team } = request.body as { code: string; team?: string }; // validated
      const by = personOf(request);
      await limited("device-code", by.person.id, deviceSignIn.perPerson);
      if (team === undefined) return reply.headers(uncached).send({ data: await readDevice(db, code) });
      await inTransaction(db, async (tx) => {
        await confirmDevice(tx, by, code, team.toLowerCase());
        await auditSession(tx, request, confirmDeviceSignIn, { ...by, id: by.sessionId });
      });
      return reply.headers(uncached).send({ data: {} });
    },
  );
}

/** What names of computers have: who began chose it, and it is read beside the address that the request came from. */
const computerNameOf = (name: string) => name.replaceAll(/[^\p{L}\p{M}\p{N}._'’()-]+/gu, " ").trim() || "a computer";

/** Throws RentalError conflict for anything but a person who signed in: a token would get another without its limits. */
function personOf(request: FastifyRequest) {
  const by = principalOf(request);
  const { person, sessionId, signedIn } = by;
  if (signedIn === true && person !== undefined && sessionId !== undefined) return { ...by, person, sessionId };
  throw new RentalError("conflict", {
    message: "Only a person confirms a sign-in, in the console.",
    suggestion: "Sign in to the console by email or with your provider, not with a token.",
  });
}
