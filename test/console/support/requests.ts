// What programs of an operator and of customers ask of the service while a test looks at its console.

import { expect } from "vitest";
import type { Stand } from "./stand.ts";

/** `stand`: as soon as it is there. */
export function requestsTo(stand: () => Stand) {
  /** As a program of the operator reads it. */
  async function read(path: string): Promise<unknown> {
    const answer = await fetch(`${stand().control}${path}`, {
      headers: { authorization: `Bearer ${stand().operatorToken}` },
    });
    return ((await answer.json()) as { data: unknown }).data;
  }

  /** As a program of the operator changes something. */
  async function operate(method: string, path: string, body?: object): Promise<void> {
    const answer = await fetch(`${stand().control}${path}`, {
      method,
      headers: { authorization: `Bearer ${stand().operatorToken}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(answer.status).toBe(200);
  }

  /** Launches an instance for the account. Returns its id. */
  async function rent(account: string, order: object): Promise<string> {
    const token = await stand().customerToken(account);
    const answer = await fetch(`${stand().control}/instances`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(order),
    });
    const { data } = (await answer.json()) as { data: { id: string }[] };
    return data[0]?.id ?? "";
  }

  /** As `rent`, and waits until it is up: from then on it is billed. */
  async function rentUp(account: string, order: object): Promise<void> {
    const id = await rent(account, order);
    await expect.poll(() => read(`/instances/${id}`)).toMatchObject({ status: "active" });
  }

  return { read, operate, rent, rentUp };
}
