// Every error of the rental, as one closed union. Rental functions throw RentalError with a kind and its details;
// `http/errors/table.ts` has exactly one row per kind, with the wire code, the status per variant and the messages.
// Details contain names and numbers only, never a secret or an env value.

import type { State } from "../rules/lifecycle.ts";
import type { OperatorRole, Right, TeamRole } from "../rules/roles.ts";
import { quoted } from "./quoted.ts";

/** Why one field of a request was rejected. `code` is a wire code such as "global/invalid-parameters". */
export interface FieldProblem {
  readonly code: "global/invalid-parameters" | "global/object-does-not-exist" | "global/duplicate";
  readonly message: string;
}
export type FieldProblems = Readonly<Record<string, FieldProblem>>;

/** A region with capacity for at least one instance of a launch, and for how many (counted up to all of them). */
export interface RegionCapacity {
  readonly region: string;
  readonly fits: number;
}

/** Kinds of errors and their details. */
export interface RentalErrorDetails {
  /** A value in the request violates a rule. `message` says it in one sentence if the fields alone would not. */
  "invalid-parameters": {
    fields: FieldProblems;
    message?: string;
    /** What does not exist, for people, if that is the reason. */
    unknown?: string;
  };
  /**
   * A request body or a filter names something that does not exist (or is another account's). `what`: for people, such
   * as "instance type".
   */
  "unknown-name": { what: string; fields: FieldProblems; suggestion?: string };
  /** A path or an id list names something that does not exist (or is another account's). */
  "unknown-object": { what: string; ids: readonly string[] };
  /** Separate from unknown-object because variant R documents no 404 for it. */
  "unknown-ssh-key": { id: string };
  "coupon-refused": { code: string; reason: "expired" | "switched-off" | "not-for-product"; product?: string };
  /** `field`: of the image, or of the instance type if no image was given. */
  "image-not-supported": { field: string; product: string; image: string };
  "insufficient-capacity": {
    instanceType: string;
    region: string;
    quantity: number;
    regionsWithCapacity: readonly RegionCapacity[];
    /** The launch's file system that is on one host only, to which the instance is bound. */
    bound?: { fileSystem: string };
    /** Not a launch but a move of an instance, to this host or to any of its region. */
    move?: { host: string | undefined };
    /** Only hosts with certain labels were considered. */
    isByLabels?: boolean;
    /** The reservation that the launch uses. */
    reserved?: string;
    /**
     * Not a launch but a reservation for this time. `fitsFrom`: from then on it would fit for as long, if that is known.
     * `isWaitedFor`: it would fit if no launch waited.
     */
    reservation?: { from: string; to: string; fitsFrom?: string; isWaitedFor?: boolean };
  };
  "instance-not-stopped": { id: string; state: State };
  "instance-terminated": { id: string };
  /** A live instance uses the ruleset to delete. */
  "firewall-ruleset-in-use": { id: string };
  duplicate: { what: string; field: string; message: string };
  conflict: { message: string; suggestion: string };
  /** `name` is to be deleted, but attached to instance `attachedTo`. */
  "file-system-in-use": { name: string; attachedTo: string };
  /** A launch names another region than its file system's. */
  "file-system-in-wrong-region": { field: string; name: string; region: string };
  /** The role of the person, or of the operator, does not have the right. */
  "role-forbids": { role: TeamRole | OperatorRole; right: Right };
  "quota-exceeded": { what: string; limit: number; used: number; requested: number };
  /**
   * Of an account that pays before, or up to a credit line. `seconds`: a launch, whose cost in that time the balance must
   * cover; undefined: a reservation, whose whole price it must cover. `isHeld`: the account is on hold, whatever it pays.
   */
  "insufficient-balance": { needsMicroCents: bigint; leftMicroCents: bigint; seconds?: number; isHeld?: boolean };
  /**
   * `of`: the account's limit or the requesting token's. `launch`: some of the limit is left, but less than the launch
   * costs until the next limit check.
   */
  "spend-limit-exceeded": {
    of: "account" | "token";
    limitCents: number;
    launch?: { needsMicroCents: bigint; leftMicroCents: bigint };
    /** Not a launch but a reservation, in this month. */
    month?: string;
  };
}
export type RentalErrorKind = keyof RentalErrorDetails;

/** Thrown by every rental function that rejects; nothing was changed (the transaction rolls back). */
export class RentalError<K extends RentalErrorKind = RentalErrorKind> extends Error {
  readonly kind: K;
  readonly details: RentalErrorDetails[K];

  constructor(kind: K, details: RentalErrorDetails[K]) {
    super(kind);
    this.name = "RentalError";
    this.kind = kind;
    this.details = details;
  }
}

export function invalid(field: string, message: string): RentalError<"invalid-parameters"> {
  return new RentalError("invalid-parameters", { fields: { [field]: { code: "global/invalid-parameters", message } } });
}

/** One field with an unknown name. `what`: for people, such as "instance type". */
export function unknownName(field: string, what: string, name: string): RentalError<"unknown-name"> {
  const message = `There is no ${what} named ${quoted(name)}.`;
  return new RentalError("unknown-name", {
    what,
    fields: { [field]: { code: "global/object-does-not-exist", message } },
  });
}
