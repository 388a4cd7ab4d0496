import { z } from 'zod';
import { asFields, type Fields } from './json.js';

/** When an operation applies. */
export interface OverrideCondition {
  /** Field of the body; `model`, `upstream_model` and `original_model` name the call's models. */
  readonly path: readonly string[];
  readonly mode: ConditionMode;
  readonly value: unknown;
  readonly invert: boolean;
  /** The result for a missing field. */
  readonly passMissing: boolean;
}

export type ConditionMode = (typeof conditionModes)[number];

/** The models and conditions of one operation. */
interface Applies {
  /** Names of models, each with at most one `*`; empty for all models. */
  readonly models: readonly string[];
  readonly conditions: readonly OverrideCondition[];
  /** Whether one matching condition suffices. */
  readonly any: boolean;
}

/** One change of a request body. Paths may lead through objects and lists. */
export type BodyOperation = Applies &
  (
    | { readonly mode: 'set'; readonly path: readonly string[]; readonly value: unknown; readonly keep: boolean }
    | {
        readonly mode: 'append' | 'prepend';
        readonly path: readonly string[];
        readonly value: unknown;
        /** Whether existing members of an object are kept. */
        readonly keep: boolean;
      }
    | { readonly mode: 'delete'; readonly path: readonly string[] }
    | { readonly mode: 'rename' | 'copy'; readonly from: readonly string[]; readonly to: readonly string[] }
  );

/** `param_override`: fields that are merged over the top level, then operations in their order. */
export interface BodyOverride {
  readonly fields: Fields;
  readonly operations: readonly BodyOperation[];
}

/** One change of a request's headers. Names are in lower case. */
export type HeaderOperation = Pick<Applies, 'models'> &
  (
    | { readonly mode: 'set'; readonly name: string; readonly value: string; readonly keep: boolean }
    | { readonly mode: 'append'; readonly name: string; readonly value: string }
    | { readonly mode: 'delete'; readonly name: string }
    | { readonly mode: 'rename'; readonly from: string; readonly to: string }
  );

const conditionModes = ['full', 'prefix', 'suffix', 'contains', 'gt', 'gte', 'lt', 'lte'] as const;
const maxOperations = 100;
const maxHeaderLength = 4096;

const path = z
  .string({ error: 'path must be a text' })
  .min(1, { error: 'path must not be empty' })
  .max(500, { error: 'path is too long' })
  .refine((text) => text.split('.').every((part) => part !== ''), { error: 'path must not have empty parts' })
  .transform((text) => text.split('.'));

const models = z
  .array(
    z
      .string()
      .min(1)
      .refine((text) => text.split('*').length <= 2, { error: 'a model may contain one * at most' }),
    { error: 'models must be a list of names' },
  )
  .nullish()
  .transform((list) => list ?? []);

const condition = z
  .strictObject({
    path,
    mode: z
      .enum(conditionModes, { error: `mode of a condition must be one of ${conditionModes.join(', ')}` })
      .nullish(),
    value: z.unknown(),
    invert: z.boolean().nullish(),
    pass_missing_key: z.boolean().nullish(),
  })
  .transform(({ mode, invert, pass_missing_key: pass, ...same }) => ({
    ...same,
    mode: mode ?? 'full',
    invert: invert ?? false,
    passMissing: pass ?? false,
  }));

const applies = {
  models,
  conditions: z
    .array(condition)
    .nullish()
    .transform((list) => list ?? []),
  logic: z.enum(['AND', 'OR', 'and', 'or'], { error: 'logic must be AND or OR' }).nullish(),
  description: z.string().nullish(),
};

const value = z.custom<unknown>((given) => given !== undefined, { error: 'value is missing' });
const keepOrigin = z.boolean({ error: 'keep_origin must be true or false' }).nullish();
const renames = ['rename', 'move'] as const;

const bodyModes = ['set', 'delete', 'append', 'prepend', 'rename', 'move', 'copy'] as const;
const bodyOperation = z.discriminatedUnion(
  'mode',
  [
    z.strictObject({ ...applies, mode: z.literal('set'), path, value, keep_origin: keepOrigin }),
    z.strictObject({ ...applies, mode: z.literal(['append', 'prepend']), path, value, keep_origin: keepOrigin }),
    z.strictObject({ ...applies, mode: z.literal('delete'), path }),
    z.strictObject({ ...applies, mode: z.literal([...renames, 'copy']), from: path, to: path }),
  ],
  { error: `mode must be one of ${bodyModes.join(', ')}` },
);

/**
 * Reads `param_override`: an object that is merged over the body, whose `operations` are applied afterwards.
 * @returns the message of what is wrong when it cannot be used
 */
export function parseBodyOverride(given: unknown): BodyOverride | string {
  const object = asFields(given);
  if (!object) return 'must be a JSON object';
  const { operations: list, ...fields } = object;
  if (list === undefined) return { fields, operations: [] };
  const parsed = parseOperations(list, bodyOperation);
  if (typeof parsed === 'string') return parsed;
  return { fields, operations: parsed.map(toBodyOperation) };
}

function toBodyOperation(given: z.output<typeof bodyOperation>): BodyOperation {
  const { conditions, logic } = given;
  const when = { models: given.models, conditions, any: (logic ?? 'OR').toUpperCase() === 'OR' };
  switch (given.mode) {
    case 'set':
      return { ...when, mode: 'set', path: given.path, value: given.value, keep: given.keep_origin ?? false };
    case 'append':
    case 'prepend':
      return { ...when, mode: given.mode, path: given.path, value: given.value, keep: given.keep_origin ?? false };
    case 'delete':
      return { ...when, mode: 'delete', path: given.path };
    default:
      return { ...when, mode: given.mode === 'copy' ? 'copy' : 'rename', from: given.from, to: given.to };
  }
}

/** Headers whose values belong to the connection, to the body, or to the signature of the request. */
const reserved =
  /^(?:host|connection|keep-alive|upgrade|te|trailer|transfer-encoding|content-.*|accept-encoding|expect|cookie|set-cookie|proxy-.*|sec-websocket-.*|x-amz-.*|x-tc-.*)$/;
/** Headers with credentials. They may only contain the channel's own key. */
const credentials = /^(?:authorization|x-api-key|api-key|x-goog-api-key|mj-api-secret|x-auth-token|x-access-token)$/;
const ownKey = /^(?:[A-Za-z]+ )?\{api_key\}$/;
const clientHeader = /\{client_header:([^{}]*)\}/g;

const headerName = z
  .string({ error: 'the name of a header must be a text' })
  .transform((name) => name.trim().toLowerCase())
  .superRefine((name, context) => {
    const wrong = problemOfName(name);
    if (wrong) context.addIssue({ code: 'custom', message: wrong });
  });

const headerValue = z
  .string({ error: 'the value of a header must be a text' })
  .max(maxHeaderLength, { error: 'the value of a header is too long' })
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, {
    error: 'the value of a header must not contain line breaks or control characters',
  })
  .superRefine((text, context) => {
    const wrong = problemOfPlaceholders(text);
    if (wrong) context.addIssue({ code: 'custom', message: wrong });
  });

const headerModes = ['set', 'delete', 'append', 'rename', 'move'] as const;
const headerOperation = z
  .discriminatedUnion(
    'mode',
    [
      z.strictObject({
        ...ofHeaders(),
        mode: z.literal('set'),
        path: headerName,
        value: headerValue,
        keep_origin: keepOrigin,
      }),
      z.strictObject({ ...ofHeaders(), mode: z.literal('append'), path: headerName, value: headerValue }),
      z.strictObject({ ...ofHeaders(), mode: z.literal('delete'), path: headerName }),
      z.strictObject({ ...ofHeaders(), mode: z.literal(renames), from: headerName, to: headerName }),
    ],
    { error: `mode must be one of ${headerModes.join(', ')}` },
  )
  .superRefine((given, context) => {
    if (!('value' in given) || !credentials.test(given.path) || ownKey.test(given.value)) return;
    context.addIssue({ code: 'custom', message: `${given.path} may only contain {api_key}, the key of this channel` });
  });

function ofHeaders() {
  return { models, description: applies.description };
}

/**
 * Reads `header_override`: header values by name (null removes a header), and `operations` that are applied afterwards.
 * @returns the message of what is wrong when it cannot be used
 */
export function parseHeaderOverride(given: unknown): readonly HeaderOperation[] | string {
  const object = asFields(given);
  if (!object) return 'must be a JSON object';
  const { operations: list = [], ...plain } = object;
  const named = Object.entries(plain).map(([name, text]) =>
    text === null ? { mode: 'delete', path: name } : { mode: 'set', path: name, value: text },
  );
  if (!Array.isArray(list)) return 'operations must be a list';
  const parsed = parseOperations([...named, ...(list as unknown[])], headerOperation);
  return typeof parsed === 'string' ? parsed : parsed.map(toHeaderOperation);
}

function toHeaderOperation(given: z.output<typeof headerOperation>): HeaderOperation {
  const { models } = given;
  switch (given.mode) {
    case 'set':
      return { models, mode: 'set', name: given.path, value: given.value, keep: given.keep_origin ?? false };
    case 'append':
      return { models, mode: 'append', name: given.path, value: given.value };
    case 'delete':
      return { models, mode: 'delete', name: given.path };
    default:
      return { models, mode: 'rename', from: given.from, to: given.to };
  }
}

function problemOfName(name: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]{1,200}$/.test(name))
    return `${JSON.stringify(name.slice(0, 100))} is not a header name`;
  if (name === '*' || name.startsWith('re:')) return 'headers of clients are passed by name, with {client_header:Name}';
  return reserved.test(name) ? `${name} cannot be changed` : null;
}

function problemOfPlaceholders(text: string): string | null {
  for (const [, name = ''] of text.matchAll(clientHeader)) {
    const wrong = problemOfName(name.toLowerCase());
    if (wrong) return wrong;
    if (credentials.test(name.toLowerCase()))
      return `${name} of a client is its key for this server, and is not passed on`;
  }
  return null;
}

function parseOperations<Schema extends z.ZodType>(list: unknown, schema: Schema): Array<z.output<Schema>> | string {
  if (!Array.isArray(list)) return 'operations must be a list';
  if (list.length > maxOperations) return `at most ${maxOperations} operations are possible`;
  const operations: Array<z.output<Schema>> = [];
  for (const [index, each] of list.entries()) {
    const parsed = schema.safeParse(each);
    if (!parsed.success) return `${describe(each, index)}: ${messageOf(parsed.error)}`;
    operations.push(parsed.data);
  }
  return operations;
}

function messageOf({ issues: [issue] }: z.ZodError): string {
  if (issue?.code === 'unrecognized_keys') return `${issue.keys.join(', ')} is not known here`;
  return issue?.message ?? 'is not valid';
}

function describe(given: unknown, index: number): string {
  const { mode } = asFields(given) ?? {};
  return `operation ${index + 1}${typeof mode === 'string' ? ` (${mode.slice(0, 30)})` : ''}`;
}

/** Returns all texts that an override can add to a request. */
export function textsOfOverride(given: unknown): string[] {
  if (typeof given === 'string') return [given];
  if (typeof given !== 'object' || given === null) return [];
  return Object.values(given).flatMap(textsOfOverride);
}
