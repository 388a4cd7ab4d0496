import { definitionOf, isOptionKey, optionKeys, optionText, type OptionKey } from '../options/option-registry.js';
import { table } from './markdown-table.js';

const region = /(<!-- options -->\n)([^]*?)(<!-- end -->)/g;
/** The first and the last cell of a row. A pipe within a cell is escaped. */
const row = /^\| (`.+?) \|.*(?<!\\)\| ((?:\\\||[^|\n])*?) +\|$/gm;

/** Defaults with more characters are not shown; the number of their entries is. */
const maxShown = 24;

/**
 * Fills type, default and writer in the option tables of a page, between `<!-- options -->` and `<!-- end -->`. A row has one
 * or more keys of related options in its first cell, and their effect in its last one: both are kept.
 * @throws Error for a key that is no option, and for an option that the page lists twice or not at all; so for a page without marks
 */
export function withOptionTables(markdown: string): string {
  const listed: OptionKey[] = [];
  const filled = markdown.replace(region, (_, begin: string, old: string, end: string) => {
    const rows = [...old.matchAll(row)].map(([, names = '', effect = '']) => {
      const keys = [...names.matchAll(/`([^`]+)`/g)].map(([, key = '']) => needKey(key));
      listed.push(...keys);
      return [keys.map(code).join(', '), each(keys, typeOf), each(keys, defaultOf), each(keys, writerOf), effect];
    });
    return `${begin}\n${table([['Key', 'Type', 'Default', 'Written by', 'Effect'], ...rows])}\n\n${end}`;
  });
  assertComplete(listed);
  return filled;
}

function needKey(key: string): OptionKey {
  if (!isOptionKey(key)) throw new Error(`There is no option ${key}`);
  return key;
}

function assertComplete(listed: readonly OptionKey[]): void {
  const wrong = optionKeys.filter((key) => listed.filter((one) => one === key).length !== 1);
  if (wrong.length > 0) throw new Error(`Not listed exactly once: ${wrong.join(', ')}`);
}

/** One fact about the options of a row: a single text if it is the same for all of them. */
function each(keys: readonly OptionKey[], fact: (key: OptionKey) => string): string {
  const facts = keys.map(fact);
  return new Set(facts).size === 1 ? (facts[0] ?? '') : facts.join(', ');
}

const typeNames = {
  boolean: 'bool',
  integer: 'int',
  decimal: 'decimal',
  text: 'text',
  list: 'list',
  json: 'JSON',
} as const;

function typeOf(key: OptionKey): string {
  const { kind, secret } = definitionOf(key);
  return secret ? 'secret' : typeNames[kind];
}

const writerOf = (key: OptionKey): string => definitionOf(key).writer;

function defaultOf(key: OptionKey): string {
  const { defaultValue, kind } = definitionOf(key);
  const text = kind === 'json' ? JSON.stringify(defaultValue) : optionText(key, defaultValue);
  if (text === '') return 'empty';
  const entries = typeof defaultValue === 'object' && defaultValue !== null ? Object.keys(defaultValue).length : 0;
  const isLong = text.length > maxShown || text.includes('\n') || kind === 'list';
  return isLong && entries > 0 ? `${entries} ${entries === 1 ? 'entry' : 'entries'}` : code(text);
}

const code = (text: string): string => `\`${text}\``;
