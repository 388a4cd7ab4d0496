import { InvalidInputError } from '../../shared/errors.js';
import { asFields, type Fields } from './fields.js';
import { maxTokenCount } from '../../shared/limits.js';

/*
 * Readers of client input. Every error names the field as the client wrote it; null counts as absent, as in all
 * dialects.
 */

const refuse = (field: string, expected: string): InvalidInputError =>
  new InvalidInputError(`${field} must be ${expected}`, field);

/** @throws AppError INVALID_INPUT */
export function needFields(value: unknown, field: string): Fields {
  const fields = asFields(value);
  if (!fields) throw refuse(field, 'an object');
  return fields;
}

/** @throws AppError INVALID_INPUT */
export function needList(value: unknown, field: string): readonly unknown[] {
  if (!Array.isArray(value)) throw refuse(field, 'a list');
  return value as unknown[];
}

/** @throws AppError INVALID_INPUT */
export function needText(value: unknown, field: string): string {
  if (typeof value !== 'string') throw refuse(field, 'text');
  return value;
}

/** @throws AppError INVALID_INPUT for empty text too */
export function needName(value: unknown, field: string): string {
  if (typeof value !== 'string' || value === '') throw refuse(field, 'text that is not empty');
  return value;
}

/** Undefined for null too. All functions of this kind throw AppError INVALID_INPUT for other types. */
export const optionalFields = (value: unknown, field: string): Fields | undefined =>
  value === undefined || value === null ? undefined : needFields(value, field);

export const optionalList = (value: unknown, field: string): readonly unknown[] =>
  value === undefined || value === null ? [] : needList(value, field);

export const optionalText = (value: unknown, field: string): string | undefined =>
  value === undefined || value === null ? undefined : needText(value, field);

/** @throws AppError INVALID_INPUT for anything but a finite number */
export function optionalNumber(value: unknown, field: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw refuse(field, 'a number');
  return value;
}

/** @throws AppError INVALID_INPUT for anything but true or false */
export function optionalFlag(value: unknown, field: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw refuse(field, 'true or false');
  return value;
}

/** Reads a boolean of a form, which has texts only, in the spellings that servers accept. Null for any other text. */
export function spelledFlag(text: string): boolean | null {
  if (/^(?:true|t|yes|y|on|1)$/i.test(text)) return true;
  return /^(?:false|f|no|n|off|0)?$/i.test(text) ? false : null;
}

/**
 * A non-negative, bounded integer.
 * @throws AppError INVALID_INPUT
 */
export function optionalCount(value: unknown, field: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > maxTokenCount) {
    throw new InvalidInputError(`${field} is invalid`, field);
  }
  return value;
}

/** @throws AppError INVALID_INPUT naming the allowed values */
export function needOneOf<T extends string>(value: unknown, allowed: readonly T[], field: string): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw refuse(field, `one of ${allowed.join(', ')}`);
  return found;
}

/** Text or a list of texts. */
export function textList(value: unknown, field: string): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return [value];
  return needList(value, field).map((entry, index) => needText(entry, `${field}[${index}]`));
}
