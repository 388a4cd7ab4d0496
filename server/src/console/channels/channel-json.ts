import { z } from 'zod';
import { CostRuleError, parseCostRule, writeCostRule } from '../../shared/cost-rule.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { Fields } from '../../shared/json.js';

/** The JSON texts of a channel. They are empty when unset; the old console's form sends the text `null` for that. */
type Field =
  | 'modelMapping'
  | 'statusCodeMapping'
  | 'paramOverride'
  | 'headerOverride'
  | 'limits'
  | 'timeouts'
  | 'setting'
  | 'other'
  | 'costRule';

const labels: Record<Field, string> = {
  modelMapping: 'Model mapping',
  statusCodeMapping: 'Status code mapping',
  paramOverride: 'Parameter override',
  headerOverride: 'Header override',
  limits: 'Limits',
  timeouts: 'Timeouts',
  setting: 'Channel setting',
  other: 'Deployment region',
  costRule: 'Cost',
};

/** Names of fields in errors: those of the GraphQL inputs. */
const inputName: Partial<Record<Field, string>> = {
  paramOverride: 'parameters',
  headerOverride: 'headers',
  other: 'variant',
  costRule: 'cost',
};

const proxySchemes = ['http:', 'https:', 'socks5:'];

const settingSchema = z.looseObject({
  proxy: z
    .string()
    .refine((text) => text === '' || (URL.canParse(text) && proxySchemes.includes(new URL(text).protocol)), {
      error: 'proxy must be an http://, https:// or socks5:// address',
    })
    .nullish(),
  force_format: z.boolean({ error: 'force_format must be true or false' }).nullish(),
  thinking_to_content: z.boolean({ error: 'thinking_to_content must be true or false' }).nullish(),
  stream_support: z.string({ error: 'stream_support must be a text' }).nullish(),
  chat_upstream: z.enum(['chat', 'responses'], { error: 'chat_upstream must be chat or responses' }).nullish(),
});

const mappingSchema = z.record(z.string(), z.string({ error: 'values must be texts' }));
const objectSchema = z.record(z.string(), z.unknown());

/**
 * Checks a JSON object from text to text.
 * @returns the text, empty for unset
 * @throws InvalidInputError
 */
export const checkMapping = (text: string, field: Field): string => check(text, field, mappingSchema);

/** Checks any JSON object. */
export const checkObject = (text: string, field: Field): string => check(text, field, objectSchema);

/** Checks the settings. Known keys are type-checked; others are stored unchanged. */
export const checkSetting = (text: string): string => check(text, 'setting', settingSchema);

/**
 * Checks an override of a request's body or headers.
 * @param parse returns the error message
 * @throws InvalidInputError
 */
export function checkOverride(text: string, field: Field, parse: (given: unknown) => unknown): string {
  const given = text.trim();
  if (given === '' || given === 'null') return '';
  const parsed = parse(parseJson(given, field));
  if (typeof parsed === 'string') throw new InvalidInputError(`${labels[field]}: ${parsed}`, inputName[field] ?? field);
  return given;
}

/**
 * Checks the cost rule.
 * @returns the stored text
 * @throws InvalidInputError
 */
export function checkCostRule(text: string): string {
  const given = text.trim();
  if (given === '' || given === 'null') return '';
  try {
    return writeCostRule(parseCostRule(parseJson(given, 'costRule')));
  } catch (error) {
    throw error instanceof CostRuleError
      ? new InvalidInputError(`${labels.costRule}: ${error.message}`, 'cost')
      : error;
  }
}

/**
 * Checks a JSON object with rules of its own.
 * @param problem returns the error message
 * @throws InvalidInputError
 */
export function checkProblem(text: string, field: Field, problem: (given: Fields) => string | null): string {
  const stored = checkObject(text, field);
  const message = stored === '' ? null : problem(JSON.parse(stored) as Fields);
  if (message !== null) throw new InvalidInputError(`${labels[field]}: ${message}`, field);
  return stored === '{}' ? '' : stored;
}

function check(text: string, field: Field, schema: z.ZodType): string {
  const given = text.trim();
  if (given === '' || given === 'null') return '';
  const result = schema.safeParse(parseJson(given, field));
  if (result.success) return given;
  const issue = result.error.issues[0];
  const detail = issue && issue.path.length > 0 ? issue.message : 'must be a JSON object';
  throw new InvalidInputError(`${labels[field]}: ${detail}`, inputName[field] ?? field);
}

function parseJson(text: string, field: Field): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInputError(`${labels[field]} must be valid JSON`, inputName[field] ?? field);
  }
}
