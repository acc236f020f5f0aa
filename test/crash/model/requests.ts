// What is asked of the service, with everything decided: whose token, which ids, which key. One list for all variants;
// wire.ts says how each is sent and read, answers.ts what may come of it.

import type { InstanceAction } from "../../../src/rules/lifecycle.ts";
import type { Customer, QuotaName, TokenName } from "./scene.ts";

export const variants = ["M", "D", "R"] as const;
export type Variant = (typeof variants)[number];
/** The control interface launches and reads, too. */
export type Via = Variant | "control";

export interface Who {
  readonly account: Customer;
  readonly token: TokenName;
}

/** In the rental's words; what a variant cannot say is not in it. */
export interface Order {
  readonly type: string;
  readonly region: string;
  readonly quantity: number;
  readonly name?: string;
  readonly image?: string;
  readonly coupon?: string;
  readonly keys: readonly string[];
  readonly fileSystems: readonly string[];
  readonly env?: "good" | "bad";
}

/** What is shown of things of the account. */
export type Listing = "list" | "keys" | "file-systems" | "usage" | "account" | "offers";

interface ByCustomer {
  readonly via: Via;
  readonly who: Who;
}

export type Request = (
  | ({ readonly op: "launch"; readonly order: Order } & ByCustomer)
  | ({
      readonly op: "change";
      readonly wish: Exclude<InstanceAction, "reboot">;
      readonly ids: readonly string[];
    } & ByCustomer)
  | ({ readonly op: "add-key"; readonly name: string; readonly generate: boolean } & ByCustomer)
  | ({ readonly op: "delete-key"; readonly id: string } & ByCustomer)
  | ({ readonly op: "create-file-system"; readonly name: string; readonly region: string } & ByCustomer)
  | ({ readonly op: "delete-file-system"; readonly id: string } & ByCustomer)
  | ({ readonly op: "read"; readonly id: string } & ByCustomer)
  | ({ readonly op: Listing } & ByCustomer)
  | ({ readonly op: "coupon"; readonly code: string | undefined; readonly products: boolean } & ByCustomer)
  | {
      readonly op: "decide";
      readonly host: string;
      readonly action: "cordon" | "uncordon" | "drain";
      readonly drains?: "wait" | "move";
    }
  /** To another host, of an instance by its id; undefined: the best one. */
  | { readonly op: "move"; readonly id: string; readonly host: string | undefined }
  | { readonly op: "price"; readonly type: string; readonly cents: number }
  | { readonly op: "put-coupon"; readonly code: string; readonly percent: number; readonly active: boolean }
  | { readonly op: "quota"; readonly account: Customer; readonly what: QuotaName; readonly value: number }
  | { readonly op: "status"; readonly account: Customer; readonly active: boolean }
  | { readonly op: "revoke"; readonly account: Customer }
  | { readonly op: "all-instances" }
  | { readonly op: "hosts" }
) & { readonly key?: string };

export type Op = Request["op"];
export type RequestOf<O extends Op> = Extract<Request, { readonly op: O }>;

/** Sent as POST, so an Idempotency-Key counts. */
export const posts: ReadonlySet<Op> = new Set(["launch", "change", "add-key", "create-file-system", "coupon"] as const);

/** What an answer came to, in words that all variants share. Undefined: no answer, the connection was cut. */
export type Seen =
  | {
      readonly status: number;
      /** Of an error. */
      readonly code: string | undefined;
      readonly replayed: boolean;
      /** Of a success: what the body shows, as wire.ts reads it. */
      readonly shows: unknown;
    }
  | undefined;

/** The names that a launch asks for; empty: each is given one. The control interface numbers them, variants share one. */
export function namesOf({ via, order: { name, quantity } }: RequestOf<"launch">): string[] {
  if (name === undefined) return [];
  const isNumbered = via === "control" && quantity > 1;
  return Array.from({ length: quantity }, (_, index) => (isNumbered ? `${name}-${index + 1}` : name));
}

/** Who made an instance where; known from an operator's list, also where the answer was lost. */
export interface Made {
  readonly id: string;
  /** Of an instance: its place in lists, which its random id does not tell. */
  readonly position: number;
  readonly host: string;
}
