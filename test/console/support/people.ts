// People of accounts, and what programs ask in their name, while a test looks at the console.

import type { Page } from "playwright-core";
import { expect } from "vitest";
import { serious } from "./accessibility.ts";
import { painted, sizes } from "./browser.ts";
import { layoutFaults } from "./layout.ts";
import type { Stand } from "./stand.ts";

export interface Person {
  readonly token: string;
  readonly accountId: string;
}

/** `stand`: as soon as it is there. */
export function peopleOf(stand: () => Stand) {
  /** Without a token where none is given. Returns the data of the answer, which must be a success. */
  async function call(token: string | undefined, method: string, path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`${stand().control}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(answer.status, path).toBe(200);
    return ((await answer.json()) as { data: unknown }).data;
  }

  /** A new person of the account with this name, which is made if there is none. */
  async function person(account: string, role: string, name: string): Promise<Person> {
    const token = await stand().customerToken(account);
    const { id: accountId } = (await call(token, "GET", "/account")) as { id: string };
    const order = { email: `${name.toLowerCase()}@example.com`, role };
    const made = await call(stand().operatorToken, "POST", `/accounts/${accountId}/invitations`, order);
    const { secret } = made as { secret: string };
    const joined = await call(undefined, "POST", "/invitations/accept", { secret, name });
    return { token: (joined as { token: { token: string } }).token.token, accountId };
  }

  /** A token of an operator with this role. */
  async function operator(role: string): Promise<string> {
    const body = { name: role, scopes: ["read", "write", "operator"], operator_role: role };
    return ((await call(stand().operatorToken, "POST", "/tokens", body)) as { token: string }).token;
  }

  return { call, person, operator };
}

export const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

/** Fails if the page, as it is now, cannot be used at some width or by a screen reader. */
export async function expectUsable(page: Page): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    await painted(page);
    expect([...(await layoutFaults(page)), ...(await serious(page))]).toEqual([]);
  }
}
