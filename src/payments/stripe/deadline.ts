// A deadline for each response of Stripe: the library's own begins anew with each byte, so one that comes by and by would hold
// up all that is checked after it. Used by open-stripe.ts.

import type { IncomingMessage } from "node:http";
import Stripe from "stripe";

/** The library's client of HTTP. A response that is not complete after so many milliseconds is none. */
export function clientWithDeadline(milliseconds: number): ReturnType<typeof Stripe.createNodeHttpClient> {
  const client = Stripe.createNodeHttpClient();
  const makeRequest = client.makeRequest.bind(client);
  client.makeRequest = async (...asked) => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(timeout()), milliseconds);
    const requested = makeRequest(...asked);
    // One whose beginning came too late.
    const dropped = late.promise.catch(async (error: Error) => bodyOf(await requested).destroy(error));
    dropped.catch(() => {}); // It failed anyway.
    try {
      const response = await Promise.race([requested, late.promise]);
      bodyOf(response).once("close", () => clearTimeout(timer));
      return response;
    } catch (error) {
      clearTimeout(timer);
      throw error;
    }
  };
  return client;
}

const bodyOf = (response: { getRawResponse(): unknown }) => response.getRawResponse() as IncomingMessage; // it is of Node's client
const timeout = () => Object.assign(new Error("the response took too long"), { code: "ETIMEDOUT" });
