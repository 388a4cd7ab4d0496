import { z } from 'zod';
import { parseBodyOverride, parseHeaderOverride } from '../../shared/channel-override.js';
import { limitsProblem, timeoutsProblem, type LimitSetting, type TimeoutSetting } from '../../shared/channel-limits.js';
import { CostRuleError, parseCostRule, type CostRule } from '../../shared/cost-rule.js';
import { InvalidInputError } from '../../shared/errors.js';
import { asFields, type Fields } from '../../shared/json.js';
import { settingSchema, toSetting } from './channel-setting.js';

/** Names of the fields in errors. */
const labels = {
  modelMapping: 'Model mapping',
  statusCodeMapping: 'Status code mapping',
  parameters: 'Parameter override',
  headers: 'Header override',
  limits: 'Limits',
  timeouts: 'Timeouts',
  setting: 'Channel setting',
  variant: 'Deployment region',
  cost: 'Cost',
} as const;
type JsonField = keyof typeof labels;

const objectSchema = z.record(z.string(), z.unknown());

/** Fails with the error of a JSON field. */
const refuse = (field: JsonField, detail: string): never => {
  throw new InvalidInputError(`${labels[field]}: ${detail}`, field);
};

/**
 * Parses a JSON text of the REST API. The old console's form sends the text `null` for none.
 * @throws InvalidInputError
 */
export function readJson(text: string, field: JsonField): unknown {
  const given = text.trim();
  if (given === '') return null;
  try {
    return JSON.parse(given) as unknown;
  } catch {
    throw new InvalidInputError(`${labels[field]} must be valid JSON`, field);
  }
}

/** Checks a value, and returns it as it is: zod leaves out the key `__proto__`. */
function check<Value>(value: unknown, field: JsonField, schema: z.ZodType<Value>): Value {
  const { error } = schema.safeParse(value);
  if (!error) return value as Value;
  const [issue] = error.issues;
  return refuse(field, issue && issue.path.length > 0 ? issue.message : 'must be a JSON object');
}

/** Checks an object from name to name. @throws InvalidInputError */
export function parseMapping(value: unknown, field: JsonField): Readonly<Record<string, string>> {
  const given = check(value ?? {}, field, objectSchema);
  const isNames = Object.values(given).every((name) => typeof name === 'string');
  return isNames ? (given as Readonly<Record<string, string>>) : refuse(field, 'values must be texts');
}

/** Returns a status code of a mapping; null for any other value. */
export function statusCodeOf(value: unknown): number | null {
  const code = typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN;
  return Number.isInteger(code) && code >= 100 && code <= 599 ? code : null;
}

/** Reads the codes as texts or numbers. */
function parseStatusCodes(value: unknown): Readonly<Record<string, number>> {
  const entries = Object.entries(check(value ?? {}, 'statusCodeMapping', objectSchema));
  return Object.fromEntries(
    entries.map(([from, to]) => {
      const [code, target] = [statusCodeOf(from), statusCodeOf(to)];
      if (code !== null && target !== null) return [code, target];
      throw new InvalidInputError('Status codes are whole numbers from 100 to 599', 'statusCodeMapping');
    }),
  );
}

/** @param parse returns the error message */
function parseOverride(value: unknown, field: JsonField, parse: (given: unknown) => unknown): object | null {
  if (value == null) return null;
  const parsed = parse(value);
  return typeof parsed === 'string' ? refuse(field, parsed) : asFields(value);
}

/** @param problem returns the error message */
function parseBounds<Value>(value: unknown, field: JsonField, problem: (given: Fields) => string | null): Value | null {
  const given = check(value ?? {}, field, objectSchema);
  const message = problem(given);
  if (message !== null) return refuse(field, message);
  return Object.keys(given).length > 0 ? (given as Value) : null;
}

function parseCost(value: unknown): CostRule {
  try {
    return parseCostRule(value ?? {});
  } catch (error) {
    if (error instanceof CostRuleError) return refuse('cost', error.message);
    throw error;
  }
}

/**
 * Checks the JSON fields of a channel, which come from outside in the form of the REST API. Null stands for none.
 * Each throws InvalidInputError.
 */
export const jsonFields = {
  modelMapping: (value: unknown) => parseMapping(value, 'modelMapping'),
  statusCodeMapping: parseStatusCodes,
  parameters: (value: unknown) => parseOverride(value, 'parameters', parseBodyOverride),
  headers: (value: unknown) => parseOverride(value, 'headers', parseHeaderOverride),
  limits: (value: unknown) => parseBounds<LimitSetting>(value, 'limits', limitsProblem),
  timeouts: (value: unknown) => parseBounds<TimeoutSetting>(value, 'timeouts', timeoutsProblem),
  cost: parseCost,
  setting: (value: unknown) => toSetting(check(value ?? {}, 'setting', settingSchema)),
};
