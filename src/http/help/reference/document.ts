// The part of an OpenAPI 3.1 document that its page shows, and how references in it are resolved. Used by the other
// files of this folder; ../../openapi/ creates the document itself.

export interface Reference {
  readonly $ref: string;
}

export interface Schema extends Partial<Reference> {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

export interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Body {
  readonly required?: boolean;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Response {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string } | Reference>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: Body | Reference;
  readonly responses?: Readonly<Record<string, Response | Reference>>;
}

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Response>>;
  };
}

/** An operation with its method and path. */
export interface PlacedOperation extends DocumentedOperation {
  readonly method: string;
  readonly path: string;
}

export function operationsOf({ paths = {} }: OpenApiDocument): readonly PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** Follows a value's references within the document; properties beside a reference are kept. */
export function resolve<T extends object>(document: OpenApiDocument, value: T | Reference): T {
  let found: T | Reference = value;
  for (let depth = 0; "$ref" in found && typeof found.$ref === "string"; depth++) {
    const { $ref, ...beside } = found as Reference; // checked in the line above
    const target = depth > 20 ? undefined : at(document, $ref);
    if (target === undefined) throw new Error(`BUG: the document has no ${$ref}`);
    // The document is this service's own, and its references have matching targets.
    found = { ...target, ...beside } as T | Reference;
  }
  return found as T; // no longer a reference
}

/** The name of the referenced schema. */
export function nameOf({ $ref }: Schema): string | undefined {
  return /^#\/components\/schemas\/([^/]+)$/.exec($ref ?? "")?.[1];
}

function at(document: object, pointer: string): object | undefined {
  let found: unknown = document;
  for (const part of pointer.replace(/^#\//, "").split("/")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = new Map<string, unknown>(Object.entries(found)).get(key);
  }
  return typeof found === "object" && found !== null ? found : undefined;
}
