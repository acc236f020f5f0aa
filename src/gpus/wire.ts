// The JSON of the GPU helper's contract: the request on its standard input, and the schemas of the response on its
// standard output. helper.ts has the same as types, with the names of the code.
//
// Invariant: `contractVersion` changes with every change that an older helper would misunderstand. Unknown fields of a
// response are ignored, so that a helper can add some.

import { Type } from "typebox";
import { type HelperErrorCode, helperErrors, type ResetFailure, resetFailures } from "./helper-codes.ts";

export const contractVersion = 1;

/** One JSON object, UTF-8, at the end of which the input ends. */
export type HelperRequest = { readonly version: typeof contractVersion } & (
  | { readonly action: "list" | "health" }
  | { readonly action: "reset"; readonly addresses: readonly string[] }
  | { readonly action: "activate" | "deactivate"; readonly partition: string }
);
export type HelperAction = HelperRequest["action"];

/** A line for operators. */
const Line = Type.String({ maxLength: 2000 });
const Address = Type.String({ pattern: "^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]$" });
const Method = Type.Enum(["bus", "function"]);
const ModuleId = Type.Integer({ minimum: 0, maximum: 1023 });
const many = { maxItems: 1024 };

// Object.keys does not keep the key types.
const errorCodes = (Object.keys(helperErrors) as HelperErrorCode[]).filter(
  (code) => helperErrors[code].by === "helper",
);
const failureCodes = Object.keys(resetFailures) as ResetFailure[];

export const ListResult = Type.Object({
  gpus: Type.Array(
    Type.Object({
      address: Address,
      module_id: Type.Union([ModuleId, Type.Null()]),
      model: Line,
      driver: Type.Union([Line, Type.Null()]),
      reset_methods: Type.Array(Method, { maxItems: 2 }),
    }),
    many,
  ),
  fabric_manager: Type.Union([Line, Type.Null()]),
  partitions: Type.Array(
    Type.Object({
      id: Type.String({ pattern: "^[A-Za-z0-9._-]{1,64}$" }),
      gpus: Type.Array(ModuleId, { minItems: 1, maxItems: 1024, uniqueItems: true }),
      active: Type.Boolean(),
    }),
    many,
  ),
});

/** A field that the object must not have. */
const Absent = Type.Optional(Type.Never());

export const ResetResult = Type.Object({
  verdicts: Type.Array(
    Type.Union([
      // One that also says why it failed is no verdict.
      Type.Object({
        ...{ address: Address, reset: Type.Literal(true), method: Method, detail: Line },
        ...{ code: Absent, message: Absent },
      }),
      Type.Object({ address: Address, reset: Type.Literal(false), code: Type.Enum(failureCodes), message: Line }),
    ]),
    many,
  ),
});

/** Of activate and deactivate, whose result has no fields. */
export const NoResult = Type.Object({});

export const HealthResult = Type.Object({
  helper_version: Line,
  fabric: Type.Object({ state: Type.Enum(["none", "ok", "failed"]), detail: Line }),
  gpus: Type.Array(Type.Object({ address: Address, problems: Type.Array(Line, { maxItems: 100 }) }), many),
});

/** Every response has either `result` or `error`. */
export const ErrorResponse = Type.Object({
  version: Type.Integer(),
  error: Type.Object({ code: Type.Enum(errorCodes), message: Line }),
});
