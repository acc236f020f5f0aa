// What an OpenAPI document says about requests, in the shape that the tests of bad input need.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import type { Client } from "./client.ts";

/** As much of a JSON schema as these documents have. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly examples?: readonly unknown[];
}

export interface PublishedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Absent where the document names no body. */
  readonly body?: { readonly schema: Schema; readonly required: boolean; readonly example: Record<string, unknown> };
  /** The names of the parameters in the path. */
  readonly parameters: readonly string[];
  readonly query: Readonly<Record<string, Schema>>;
}

interface Documented {
  readonly operationId: string;
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Record<
      string,
      { readonly schema: Schema; readonly examples?: Record<string, { value: unknown }> }
    >;
  };
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
}

export function publishedOperations(client: Client, name: InterfaceName): PublishedOperation[] {
  return client.operations(name).map(([method, path]) => {
    const documented = client.documents[name].paths[path]?.[method.toLowerCase()] as Documented;
    const content = documented.requestBody?.content["application/json"];
    const parameters = documented.parameters ?? [];
    return {
      id: documented.operationId,
      method,
      path,
      parameters: parameters.filter((one) => one.in === "path").map((one) => one.name),
      query: Object.fromEntries(parameters.filter((one) => one.in === "query").map((one) => [one.name, one.schema])),
      ...(content === undefined
        ? {}
        : {
            body: {
              schema: content.schema,
              required: documented.requestBody?.required ?? false,
              example: (Object.values(content.examples ?? {})[0]?.value ?? {}) as Record<string, unknown>,
            },
          }),
    };
  });
}

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);

/** By the schema's text: many fields have the same, and to compile one takes longer than thousands of values. */
const validators = new Map<string, ValidateFunction>();

export function allows(schema: Schema, value: unknown): boolean {
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? ajv.compile(schema);
  validators.set(text, validate);
  return validate(value);
}
