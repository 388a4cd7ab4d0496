import { asFields, asList, parseFields, parseJson, type Fields as Json } from '../../../shared/json.js';
import { Fields } from '../fields.js';

/** A row of one-hub, or of new-api that is made from it. */
export type Row = Record<string, unknown>;

export const without = (row: Row, ...names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** Returns the keys of an object as columns, so that those with a value are reported as left out. */
export const named = (prefix: string, object: Json): Row =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [`${prefix}.${name}`, value]));

/** Reads a JSON column, which MySQL and Postgres return as an object. */
export const jsonOf = (value: unknown): Json =>
  asFields(value) ?? parseFields(new Fields({ value }).text('value')) ?? {};

export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : asList(parseJson(new Fields({ value }).text('value')));
