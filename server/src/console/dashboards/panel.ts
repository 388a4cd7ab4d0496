import { z } from 'zod';
import { InvalidInputError } from '../../shared/errors.js';
import type { StoredQuery } from '../../shared/stored-query.js';

export const panelKinds = ['number', 'line', 'bar', 'pie', 'ranking', 'table'] as const;
export type PanelKind = (typeof panelKinds)[number];

export const panelSizes = ['small', 'medium', 'wide', 'large'] as const;
export type PanelSize = (typeof panelSizes)[number];

/** One chart, number or table of a dashboard. */
export interface Panel extends StoredQuery {
  readonly title: string;
  readonly kind: PanelKind;
  readonly size: PanelSize;
}

/** Maximum number of panels of a dashboard. */
export const maxPanels = 24;
const maxQueryLength = 10_000;
const maxVariablesLength = 4000;
const maxNumbers = 20;

const lineOf = (name: string, length: number) =>
  z
    .string()
    .trim()
    .min(1, `${name} must not be empty`)
    .max(length, `${name} must have at most ${length} characters`)
    .refine((text) => !/\p{Cc}|\p{Surrogate}/u.test(text), `${name} must not contain control characters`);

/** Postgres cannot store these characters in JSON. */
const isStorable = (text: string): boolean => !/\0|\p{Surrogate}/u.test(text);

const panelRule = z.object({
  title: lineOf('title', 100),
  kind: z.enum(panelKinds),
  size: z.enum(panelSizes),
  query: z
    .string()
    .trim()
    .min(1, 'query must not be empty')
    .max(maxQueryLength, `query must have at most ${maxQueryLength} characters`)
    .refine(isStorable, 'query must not contain NUL'),
  variables: z
    .record(z.string(), z.unknown(), 'variables must be an object')
    .refine(
      (value) => JSON.stringify(value).length <= maxVariablesLength,
      `variables must have at most ${maxVariablesLength} characters as JSON`,
    )
    .refine((value) => isStorable(textsOf(value)), 'variables must not contain NUL'),
  numbers: z
    .array(lineOf('numbers', 100))
    .min(1, 'numbers must name at least one number')
    .max(maxNumbers, `numbers must have at most ${maxNumbers} names`)
    .nullish(),
});

const panelsRule = z
  .array(panelRule)
  .min(1, 'A dashboard needs at least one panel')
  .max(maxPanels, `A dashboard has at most ${maxPanels} panels`);

const nameRule = lineOf('name', 64);

/** @throws AppError INVALID_INPUT */
export const parseName = (given: unknown): string => parse(nameRule, given, 'name');

/** @throws AppError INVALID_INPUT with the place of the panel in `field`, such as `panels.0.title` */
export const parsePanels = (given: unknown): Panel[] => parse(panelsRule, given, 'panels');

/** @throws AppError INVALID_INPUT */
export const parsePanel = (given: unknown): Panel => parse(panelRule, given, 'panel');

function parse<Value>(rule: z.ZodType<Value>, given: unknown, at: string): Value {
  const parsed = rule.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InvalidInputError(issue?.message ?? `${at} is not valid`, [at, ...(issue?.path ?? [])].join('.'));
}

/** All names and texts of a value. JSON would write their forbidden characters as escapes. */
const textsOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([name, one]) => name + textsOf(one))
        .join('')
    : String(value);
