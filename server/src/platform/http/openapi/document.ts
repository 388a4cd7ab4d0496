import { z } from 'zod';
import type { ErrorCode } from '../../../shared/errors.js';
import { restStatus } from '../rest-error.js';
import type { ApiExample, ApiOperation, ApiSection, JsonSchema } from './operation.js';

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } & Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

/** The parts of an operation that the page and the tests read. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly JsonSchema[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, JsonSchema>> };
  readonly responses: Readonly<Record<string, JsonSchema>>;
  readonly security: ReadonlyArray<Readonly<Record<string, readonly string[]>>>;
  readonly 'x-role': ApiOperation['role'];
  readonly 'x-errors': readonly ErrorCode[];
  readonly 'x-example': ApiExample;
}

/**
 * The OpenAPI document of these sections.
 * @param server address of the site, without a trailing slash; an empty text: that of the document
 * @throws Error for two shapes with one name, or two operations with one path
 */
export function openApiDocument(
  sections: readonly ApiSection[],
  { version, server }: { readonly version: string; readonly server: string },
): OpenApiDocument {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const section of sections) {
    for (const [route, operation] of Object.entries(section.operations)) {
      const [method = '', pattern = ''] = route.split(' ');
      const path = (paths[pathOf(pattern)] ??= {});
      if (path[method.toLowerCase()]) throw new Error(`${route} is described twice`);
      path[method.toLowerCase()] = describe(route, section.name, operation, schemas);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate',
      version,
      description:
        'The HTTP API of this site: the calls of models under `/v1`, and `/api` for programs that administer it. Dashboards read more over GraphQL.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server || '/' }],
    tags: sections.map(({ name, description }) => ({ name, description })),
    paths,
    components: { schemas: { ...failureSchemas, ...schemas.all }, responses: {}, securitySchemes },
  };
}

const securitySchemes = {
  accessToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'An access token of a user, with or without `Bearer`.',
  },
  session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'Together with the header `Veloera-User`.' },
  userId: { type: 'apiKey', in: 'header', name: 'Veloera-User', description: 'Id of the user of the session.' },
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `sk-…`.' },
};

const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const failureSchemas: Readonly<Record<string, JsonSchema>> = {
  Failure: {
    type: 'object',
    description: 'A failure. `message` is for people, `code` is stable.',
    required: ['success', 'message'],
    properties: {
      success: { const: false },
      message: { type: 'string' },
      code: { type: 'string', enum: Object.keys(restStatus) },
      data: {},
      error: { type: 'object', additionalProperties: true },
    },
  },
  RelayError: {
    description: 'A failure in the form of the dialect.',
    anyOf: [
      {
        type: 'object',
        description: 'OpenAI, and Google with a number as code',
        required: ['error'],
        properties: {
          error: {
            type: 'object',
            required: ['message'],
            properties: {
              message: { type: 'string' },
              type: { type: 'string' },
              param: { type: ['string', 'null'] },
              code: { type: ['string', 'integer', 'null'] },
              status: { type: 'string' },
            },
          },
        },
      },
      {
        type: 'object',
        description: 'Anthropic',
        required: ['type', 'error'],
        properties: { type: { const: 'error' }, error: { type: 'object', additionalProperties: true } },
      },
      {
        type: 'object',
        description: 'Tasks',
        required: ['code'],
        properties: {
          code: { type: ['string', 'integer'] },
          message: { type: 'string' },
          description: { type: 'string' },
        },
      },
    ],
  },
};

/** `/api/token/:id` → `/api/token/{id}`; the rest of a path is `{path}`. */
const pathOf = (pattern: string): string => pattern.replace(/:(\w+)/g, '{$1}').replace('*', '{path}');

function describe(route: string, tag: string, operation: ApiOperation, schemas: Schemas): OpenApiOperation {
  const { summary, description, role, example } = operation;
  const body = requestBody(operation, schemas);
  const isRelay = !route.includes(' /api/');
  const errors = isRelay ? [...(operation.errors ?? [])] : errorsOf(operation);
  return {
    operationId: operationId(route),
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    parameters: parametersOf(route, operation),
    ...(body && { requestBody: body }),
    responses: responsesOf(operation, errors, isRelay, schemas),
    security: role === 'anonymous' ? [] : role === 'key' ? [{ apiKey: [] }] : userSecurity,
    'x-role': role,
    'x-errors': errors,
    'x-example': example,
  };
}

const userSecurity: OpenApiOperation['security'] = [{ accessToken: [] }, { session: [], userId: [] }];

/** `GET /api/token/:id` → `getApiTokenById`. */
function operationId(route: string): string {
  const [method = '', pattern = ''] = route.split(' ');
  const words = pattern
    .replace('*', ':path')
    .replace(/:(\w+)/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/);
  const name = words.filter(Boolean).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return method.toLowerCase() + name.join('');
}

const idempotencyKey: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Chosen by the client for one intended change. A retry with the same key changes nothing and returns the first result with the header `Idempotent-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 128 },
};

function parametersOf(route: string, { path, query = {}, once }: ApiOperation): JsonSchema[] {
  const names = [...route.matchAll(/:(\w+)|(\*)/g)].map(([, name, rest]) => name ?? rest ?? '');
  return [
    ...names.map((name) => parameterOf(name === '*' ? 'path' : name, 'path', path?.[name] ?? id)),
    ...Object.entries(query)
      .map(([name, of]) => parameterOf(name, 'query', of))
      .filter(({ description }) => description !== undefined),
    ...(once ? [idempotencyKey] : []),
  ];
}

const id = z.int().describe('Id');

function parameterOf(name: string, place: 'path' | 'query', given: z.ZodType): JsonSchema {
  const { properties = {}, required } = z.toJSONSchema(z.object({ given }), { io: 'input', unrepresentable: 'any' });
  const { description, type, enum: values } = properties['given'] as JsonSchema;
  return {
    name,
    in: place,
    description,
    ...(place === 'path' || required ? { required: true } : {}),
    schema: { type, ...(values ? { enum: values } : {}) },
  };
}

function requestBody(
  { body, bodyOf, data, form, example }: ApiOperation,
  schemas: Schemas,
): OpenApiOperation['requestBody'] {
  if (form) return { required: true, content: { 'multipart/form-data': { schema: schemas.input(form) } } };
  if (!body) return undefined;
  const sample = example.body === undefined ? {} : { example: example.body };
  const schema = explained(schemas.input(body), bodyOf ?? data);
  return { required: true, content: { 'application/json': { schema, ...sample } } };
}

/**
 * Copies descriptions of fields: those of a body have none, so they get those of the shape that the operation writes.
 */
function explained(schema: JsonSchema, shape: z.ZodType | undefined): JsonSchema {
  if (!(shape instanceof z.ZodObject)) return schema;
  const fields = shape.shape as Readonly<Record<string, z.ZodType | undefined>>;
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  const entries = properties.map(([name, field]) => {
    const description = fields[name]?.description;
    return [name, description === undefined || 'description' in field ? field : { ...field, description }];
  });
  return { ...schema, properties: Object.fromEntries(entries) as Record<string, JsonSchema> };
}

const keyFailures: readonly ErrorCode[] = ['MISSING_API_KEY', 'INVALID_API_KEY', 'TOKEN_DISABLED', 'USER_BANNED'];
const signedIn: readonly ErrorCode[] = ['NOT_SIGNED_IN', 'USER_ID_MISMATCH', 'INVALID_ACCESS_TOKEN', 'USER_BANNED'];

/** The failures of an operation of the console API, those of its role first. */
function errorsOf({ role, body, once, errors = [] }: ApiOperation): ErrorCode[] {
  const all: ErrorCode[] = [
    ...(role === 'anonymous' ? [] : role === 'key' ? keyFailures : signedIn),
    ...(role === 'admin' || role === 'root' ? (['INSUFFICIENT_PRIVILEGES'] as const) : []),
    ...(body ? (['INVALID_INPUT', 'PAYLOAD_TOO_LARGE'] as const) : []),
    ...(once ? (['CONFLICT'] as const) : []),
    ...errors,
    ...(['RATE_LIMITED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const),
  ];
  return [...new Set(all)];
}

function responsesOf(
  operation: ApiOperation,
  errors: readonly ErrorCode[],
  isRelay: boolean,
  schemas: Schemas,
): Record<string, JsonSchema> {
  const responses: Record<string, JsonSchema> = {};
  const failure = json(reference('Failure'));
  const withStatus = (status: number): ErrorCode[] => errors.filter((code) => restStatus[code] === status);
  for (const status of new Set(errors.map((code) => restStatus[code]).filter((status) => status !== 200)))
    responses[status] = { description: withStatus(status).join(', '), content: failure };
  const relayFailure = isRelay && operation.role !== 'anonymous' ? reference('RelayError') : null;
  const ownFailure = operation.failure ? schemas.output(operation.failure) : relayFailure;
  if (ownFailure) responses['default'] = { description: 'A failure', content: json(ownFailure) };
  const quiet = withStatus(200);
  const failsWell = quiet.length > 0 && !isRelay;
  const why = failsWell ? `. Failures with \`success: false\`: ${quiet.join(', ')}` : '';
  if (operation.upgrades) return { 101: { description: 'The connection is a WebSocket' }, ...responses };
  if (operation.redirects) responses[302] = { description: 'Done' };
  const content = success(operation, failsWell, schemas);
  responses[200] = { description: `Success${why}`, content };
  for (const [status, description] of Object.entries(operation.also ?? {}))
    responses[status] = { description, content };
  return responses;
}

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

function success(operation: ApiOperation, failsWell: boolean, schemas: Schemas): JsonSchema {
  const failure = failsWell ? [reference('Failure')] : [];
  if (operation.media)
    return {
      [operation.media]: { schema: { type: 'string' } },
      ...(failsWell ? json(reference('Failure')) : {}),
    };
  const body = operation.response ? schemas.output(operation.response) : envelope(operation.data, schemas);
  const stream = operation.streams ? { 'text/event-stream': { schema: { type: 'string' } } } : {};
  return { ...json(failure.length > 0 ? { anyOf: [body, ...failure] } : body), ...stream };
}

const envelope = (data: z.ZodType | undefined, schemas: Schemas): JsonSchema => ({
  type: 'object',
  required: ['success', 'message', ...(data ? ['data'] : [])],
  properties: {
    success: { const: true },
    message: { type: 'string' },
    ...(data ? { data: schemas.output(data) } : {}),
  },
});

/** Converts shapes to JSON Schema and collects those with a name. */
class Schemas {
  readonly all: Record<string, JsonSchema> = {};

  input(shape: z.ZodType): JsonSchema {
    return this.#convert(shape, 'input');
  }

  output(shape: z.ZodType): JsonSchema {
    return this.#convert(shape, 'output');
  }

  #convert(shape: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const converted = z.toJSONSchema(shape, { io, unrepresentable: 'any', reused: 'inline', override: tidy });
    const { $schema: _, $defs, ...schema } = moved(converted) as Record<string, unknown>;
    for (const [name, named] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) this.#add(name, named);
    const { id: name } = schema;
    if (typeof name !== 'string') return schema;
    this.#add(name, schema);
    return reference(name);
  }

  #add(name: string, { id: _, ...schema }: JsonSchema): void {
    const known = this.all[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two shapes are named ${name}`);
    this.all[name] = schema;
  }
}

/**
 * Removes two statements: additional fields may come with later versions, and the bounds of safe integers carry no
 * information.
 */
function tidy({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  if (jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
}

/** Rewrites references of a schema to its own definitions as references to the components of the document. */
function moved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moved);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' ? inner.replace('#/$defs/', '#/components/schemas/') : moved(inner),
    ]),
  );
}
