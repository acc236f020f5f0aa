// Every error response of this service, one row each: the wire code, the status per variant, and the messages. Single
// source of the responses (response.ts), the error responses of every OpenAPI document, the table of
// docs/reference/api/errors.md (documentation.ts) and the test that every row can happen.
// Source: decisions "Errors, limits, headers"; specification, Errors (variant R documents only 400, 401, 403, 404,
// 500).

import type { InterfaceName } from "../../config/interfaces.ts";
import type { FieldProblems } from "../../rental/errors.ts";
import { quoted } from "../../rental/quoted.ts";
import type { ErrorDetails, ErrorKind } from "./api-error.ts";
import { listSuggestion, restartSuggestion } from "./name-lists.ts";
import {
  balanceSentence,
  balanceSuggestion,
  capacitySentence,
  capacitySuggestion,
  correctSentence,
  couponSentence,
  fieldsSentence,
  limitSentence,
  limitSuggestion,
  quotaSentence,
  quotaSuggestion,
  quotedFew,
  spendLimitSentence,
  spendLimitSuggestion,
  tokenSentence,
  tokenSuggestion,
  unavailableSentence,
  unavailableSuggestion,
  unsupportedImageSentence,
  wrongRegionSentence,
} from "./sentences.ts";

/** Variant R and its lambda edition have their own statuses; all others share a column. */
export type StatusColumn = "reference" | "lambda" | "otherwise";

export interface ErrorRow<Details> {
  readonly code: string;
  readonly status: Readonly<Record<StatusColumn, number>>;
  readonly message: (details: Details) => string;
  /** The code that clients of the lambda edition match, if different. */
  readonly lambdaCode?: string;
  /** The message that clients of the lambda edition match, if different. */
  readonly lambdaMessage?: (details: Details) => string | undefined;
  /** The suggestion in the lambda edition, if different. */
  readonly lambdaSuggestion?: (details: Details) => string;
  /** The suggestion for clients of this interface. */
  readonly suggestion: (details: Details, of: InterfaceName | undefined) => string;
  readonly fieldErrors?: (details: Details) => FieldProblems;
  readonly headers?: (details: Details) => Readonly<Record<string, string>>;
  /** When it happens, for the documentation. */
  readonly when: string;
  /** For the examples of the documentation, and for tests. */
  readonly example: Details;
}

export type ErrorTable = { readonly [K in ErrorKind]: ErrorRow<ErrorDetails[K]> };

const always = (status: number) => ({ reference: status, lambda: status, otherwise: status });
/** The status in R and its lambda edition, and that of all others. */
const inR = (reference: number, otherwise: number) => ({ reference, lambda: reference, otherwise });
const soonAgain = { "retry-after": "1" };

export const errors = {
  "invalid-parameters": {
    code: "global/invalid-parameters",
    status: always(400),
    message: (e) => e.message ?? fieldsSentence(e.fields) ?? "The request is not valid.",
    suggestion: (e, of) => (e.unknown === undefined ? correctSentence(e.fields) : listSuggestion(e.unknown, of)),
    fieldErrors: (e) => e.fields,
    when: "a value in the request is not valid or has the wrong type",
    example: { fields: { quantity: { code: "global/invalid-parameters", message: "Must be an integer." } } },
  },
  "malformed-body": {
    code: "global/invalid-parameters",
    status: always(400),
    message: (e) => `The request body cannot be read: ${e.problem}`,
    suggestion: () => "Send one JSON object, in UTF-8.",
    when: "the body is not JSON in UTF-8, is nested too deeply, or has too many values",
    example: { problem: "it is not valid JSON." },
  },
  "malformed-request": {
    code: "global/invalid-parameters",
    status: always(400),
    message: (e) => `The request cannot be read: ${e.problem}`,
    suggestion: () => "Check the path, the query and the headers of the request.",
    when: "the path, the query or the headers are not well-formed",
    example: { problem: "the path has a malformed percent encoding." },
  },
  "unknown-name": {
    code: "global/object-does-not-exist",
    status: always(400),
    message: (e) => fieldsSentence(e.fields) ?? "The request names something that does not exist.",
    suggestion: (e, of) => e.suggestion ?? listSuggestion(e.what, of),
    fieldErrors: (e) => e.fields,
    when: "the body, or a filter, names an instance type, region, key, image, file system or coupon that does not exist",
    example: {
      what: "instance type",
      fields: {
        instance_type_name: {
          code: "global/object-does-not-exist",
          message: 'There is no instance type named "gpu_9x".',
        },
      },
    },
  },
  "file-system-in-wrong-region": {
    code: "global/invalid-parameters",
    lambdaCode: "instance-operations/launch/file-system-in-wrong-region",
    status: always(400),
    message: wrongRegionSentence,
    suggestion: (e) => `Launch in ${e.region}, or remove this file system.`,
    fieldErrors: (e) => ({ [e.field]: { code: "global/invalid-parameters", message: wrongRegionSentence(e) } }),
    when: "a file system of the launch is in a different region than the launch",
    example: { field: "file_system_names", name: "models", region: "us-east-1" },
  },
  "coupon-refused": {
    code: "global/invalid-parameters",
    status: always(400),
    message: (e) => couponSentence[e.reason](e.code, e.product),
    suggestion: () => "Use another coupon, or none to launch at list price.",
    fieldErrors: (e) => ({
      coupon: { code: "global/invalid-parameters", message: couponSentence[e.reason](e.code, e.product) },
    }),
    when: "the coupon is expired, inactive, or not for this instance type",
    example: { code: "SPRING10", reason: "expired" },
  },
  "image-not-supported": {
    code: "global/invalid-parameters",
    status: always(400),
    message: () => unsupportedImageSentence,
    suggestion: (e) => `Choose another image than ${e.image}, or another instance type than ${e.product}.`,
    fieldErrors: (e) => ({ [e.field]: { code: "global/invalid-parameters", message: unsupportedImageSentence } }),
    when: "the image cannot run on the GPU model of the instance type",
    example: { field: "os_image_name", product: "gpu_1x_a30", image: "ubuntu-24.04-cuda-13" },
  },
  "invalid-api-key": {
    code: "global/invalid-api-key",
    status: always(401),
    message: (e) => tokenSentence[e.reason],
    suggestion: tokenSuggestion,
    headers: () => ({ "www-authenticate": "Bearer" }),
    when: "no token was sent, or it is malformed, unknown, expired, revoked or suspended",
    example: { reason: "missing" },
  },
  "account-inactive": {
    code: "global/account-inactive",
    status: always(403),
    message: () => "Your account is inactive.",
    suggestion: () => "Ask your provider to activate the account.",
    when: "the token is valid, but its account is inactive",
    example: {},
  },
  forbidden: {
    code: "global/forbidden",
    status: always(403),
    message: (e) => `This token does not have the required scope "${e.scope}".`,
    suggestion: (e) => `Use a token that has the scope "${e.scope}".`,
    when: "the token's scopes, or the role behind it, do not cover the operation",
    example: { scope: "write" },
  },
  "role-forbids": {
    code: "global/forbidden",
    status: always(403),
    message: (e) => `The role "${e.role}" does not have the required right "${e.right}".`,
    suggestion: () => "Ask an owner or admin of the team to do this, or to change the role.",
    when: "the role of the person, or of the operator, lacks the right that the operation needs",
    example: { role: "viewer", right: "rent" },
  },
  "spend-limit-exceeded": {
    code: "global/spend-limit-exceeded",
    // Its clients know no spend limits; this code makes them stop retrying.
    lambdaCode: "global/quota-exceeded",
    status: inR(400, 402),
    message: spendLimitSentence,
    suggestion: spendLimitSuggestion,
    when:
      "the account or the token has reached its spend limit for this month, or has less left than this launch costs before " +
      "the next limit check",
    example: { of: "account", limitCents: 100_000 },
  },
  "insufficient-balance": {
    code: "global/insufficient-balance",
    // As above.
    lambdaCode: "global/quota-exceeded",
    status: inR(400, 402),
    message: balanceSentence,
    suggestion: balanceSuggestion,
    when:
      "the account pays before or up to a credit line, and its balance does not cover what runs and the launch for the " +
      "required time, or the price of the reservation; or the account is on hold",
    example: { needsMicroCents: 1_200_000_000n, leftMicroCents: 300_000_000n, seconds: 3600 },
  },
  "quota-exceeded": {
    code: "global/quota-exceeded",
    status: inR(400, 403),
    message: quotaSentence,
    lambdaMessage: (e) => (e.what === "instances" ? `Requested too many instances. ${quotaSentence(e)}` : undefined),
    suggestion: (e) => quotaSuggestion(e.what),
    when: "the request would exceed a quota of the account",
    example: { what: "instances", limit: 10, used: 9, requested: 2 },
  },
  "unknown-object": {
    code: "global/object-does-not-exist",
    status: always(404),
    message: (e) => `There is no ${e.what} with the identifier ${quotedFew(e.ids)}.`,
    lambdaMessage: (e) => `Specified ${e.what} does not exist: ${quotedFew(e.ids)}.`,
    lambdaSuggestion: (e) => listSuggestion(e.what, "lambda"),
    suggestion: (e) => `List what exists and use one of those identifiers (${e.what}).`,
    when: "a path or a list of identifiers names something that does not exist or belongs to another account",
    example: { what: "instance", ids: ["0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d"] },
  },
  "unknown-ssh-key": {
    code: "global/object-does-not-exist",
    lambdaCode: "global/not-found",
    // R documents no 404 there; its lambda edition does.
    status: { reference: 400, lambda: 404, otherwise: 404 },
    message: (e) => `There is no SSH key with the identifier ${quoted(e.id)}.`,
    lambdaSuggestion: () => listSuggestion("SSH key", "lambda"),
    suggestion: () => "List your SSH keys and use one of those identifiers.",
    when: "the SSH key to delete does not exist or belongs to another account",
    example: { id: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d" },
  },
  "unknown-path": {
    code: "global/not-found",
    status: always(404),
    message: () => "Path not found.",
    suggestion: () => "Check the path; each interface lists its paths at <prefix>/openapi.json.",
    when: "the path does not exist",
    example: {},
  },
  "method-not-allowed": {
    code: "global/method-not-allowed",
    status: always(405),
    message: (e) => `This path supports only ${e.allowed.join(", ")}.`,
    suggestion: (e) => `Use ${e.allowed.join(" or ")}.`,
    headers: (e) => ({ allow: e.allowed.join(", ") }),
    when: "the path exists but does not support this method",
    example: { allowed: ["GET", "HEAD"] },
  },
  "request-timeout": {
    code: "global/request-timeout",
    status: always(408),
    message: () => "Timed out while receiving the request.",
    suggestion: () => "Retry the request on a new connection.",
    when: "headers or body arrive too slowly",
    example: {},
  },
  "insufficient-capacity": {
    code: "instance-operations/launch/insufficient-capacity",
    status: inR(400, 409),
    message: capacitySentence,
    lambdaMessage: () => "Not enough capacity to fulfill launch request.",
    suggestion: capacitySuggestion,
    when: "not all instances of the launch can be placed, and none was created; or no other host can take the instance to move",
    example: {
      instanceType: "gpu_8x_h100",
      region: "any",
      quantity: 2,
      regionsWithCapacity: [{ region: "us-east-1", fits: 2 }],
    },
  },
  "instance-not-stopped": {
    code: "instance-operations/restart/instance-not-stopped",
    lambdaCode: "global/invalid-parameters",
    status: inR(400, 409),
    message: (e) => `Only a stopped instance may be restarted; ${e.id} is ${e.state}.`,
    lambdaMessage: (e) => `The instance ${e.id} is ${e.state} and cannot be restarted now.`,
    lambdaSuggestion: (e) => restartSuggestion(e.state),
    suggestion: () => "Stop the instance, then restart it when it is stopped.",
    when: "an instance to restart is not stopped; none was restarted",
    example: { id: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d", state: "active" },
  },
  "instance-terminated": {
    code: "instance-operations/stop/instance-terminated",
    status: inR(400, 409),
    message: (e) => `The instance ${e.id} is terminated and cannot be stopped.`,
    suggestion: () => "Remove it from the request. Terminated instances are not running or billed.",
    when: "an instance to stop is terminated; none was stopped",
    example: { id: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d" },
  },
  "firewall-ruleset-in-use": {
    code: "firewall-rulesets/firewall-ruleset-in-use",
    status: inR(400, 409),
    message: (e) => `Firewall ruleset ${e.id} is in use by one or more instances.`,
    suggestion: () => "Terminate the instances that use it, then delete it.",
    when: "a live instance uses the firewall ruleset to delete",
    example: { id: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d" },
  },
  duplicate: {
    code: "global/duplicate",
    status: inR(400, 409),
    message: (e) => e.message,
    suggestion: (e) => `Choose another value for ${e.field}, or use the existing ${e.what}.`,
    fieldErrors: (e) => ({ [e.field]: { code: "global/duplicate", message: e.message } }),
    when: "a name that must be unique is taken",
    example: { what: "SSH key", field: "name", message: "Key name must be unique" },
  },
  conflict: {
    code: "global/conflict",
    lambdaCode: "global/invalid-parameters",
    status: inR(400, 409),
    message: (e) => e.message,
    suggestion: (e) => e.suggestion,
    when: "the object is in use, or otherwise not in a state that allows the operation",
    example: {
      message: "The file system data is attached to an instance.",
      suggestion: "Terminate that instance first.",
    },
  },
  "file-system-in-use": {
    code: "global/conflict",
    lambdaCode: "filesystems/filesystem-in-use",
    status: inR(400, 409),
    message: (e) => `File system ${e.name} is attached to instance ${e.attachedTo}.`,
    suggestion: () => "Terminate that instance first.",
    when: "the file system to delete is attached to an instance",
    example: { name: "models", attachedTo: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d" },
  },
  "idempotency-in-progress": {
    code: "idempotency/in-progress",
    status: always(409),
    message: () => "A request with this Idempotency-Key is still in progress.",
    suggestion: () => "Retry the same request after Retry-After to get its response.",
    headers: () => soonAgain,
    when: "another request with the same Idempotency-Key is still in progress",
    example: {},
  },
  "payload-too-large": {
    code: "global/payload-too-large",
    status: always(413),
    message: (e) => `The request body is larger than ${e.limitBytes} bytes.`,
    suggestion: () => "Send a smaller body.",
    when: "the body is larger than 1 MiB (configurable)",
    example: { limitBytes: 1_048_576 },
  },
  "idempotency-key-reused": {
    code: "idempotency/key-reused",
    status: always(422),
    message: (e) =>
      e.of === "request"
        ? "This Idempotency-Key was used for a different request."
        : "This Idempotency-Key was used by another token, and this token has a spend limit, expires earlier or is of another person or role.",
    suggestion: (e) =>
      e.of === "request"
        ? "Use a new key for each new request, and the same key only to retry a request."
        : "Retry with the original token, or with another of the same person that has no spend limit and expires no earlier.",
    when:
      "the Idempotency-Key was used within 24 hours with another path or body, or by another token, and this one has " +
      "a spend limit, expires earlier or is of another person or role",
    example: { of: "request" },
  },
  "rate-limited": {
    code: "global/rate-limited",
    status: always(429),
    message: (e) => limitSentence[e.limit],
    suggestion: (e) => limitSuggestion[e.limit](e.retryAfterSeconds),
    headers: (e) => ({ "retry-after": String(e.retryAfterSeconds) }),
    when: "the token, the address, or an address without a valid token has used up its requests per minute (configurable)",
    example: { limit: "token", retryAfterSeconds: 17 },
  },
  "headers-too-large": {
    code: "global/headers-too-large",
    status: always(431),
    message: () => "The request's headers are too large.",
    suggestion: () => "Send a shorter path and fewer or shorter headers.",
    when: "the path and headers together are larger than 16 KiB",
    example: {},
  },
  "internal-error": {
    code: "global/internal-error",
    status: always(500),
    message: () => "Internal server error.",
    suggestion: () => "Retry later. If the error persists, contact support with the request_id.",
    when: "an internal error; the service log has the details under the request_id",
    example: {},
  },
  "machine-unreachable": {
    code: "global/machine-unreachable",
    status: always(503),
    message: () => "The instance is unreachable: its host does not respond.",
    suggestion: () => "Retry in a few seconds. The instance itself might still be running.",
    headers: () => soonAgain,
    when: "the host does not respond when a console or terminal of an instance is requested",
    example: {},
  },
  unavailable: {
    code: "global/unavailable",
    status: always(503),
    message: unavailableSentence,
    suggestion: unavailableSuggestion,
    headers: () => soonAgain,
    when:
      "the database does not respond or is out of space (nothing is created then, but instances can be terminated), " +
      "the service is overloaded, or the server is shutting down",
    example: {},
  },
} satisfies ErrorTable;
