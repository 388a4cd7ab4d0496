import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kind, Refusals } from './kinds.js';
import { type Feature, features } from './program.js';
import { writePages } from './pages.js';

/** The results of a program at one kind of channel, each a word for how, or the reason why not, and their day. */
export type Shown = { readonly on: string } & Partial<Readonly<Record<Feature, string>>>;
/** The results of a program at these versions of its packages, by kind. */
export interface ResultsOf {
  readonly packages: readonly string[];
  readonly kinds: Record<string, Shown>;
}

export interface Tested {
  readonly name: string;
  readonly packages: readonly string[];
}

const folder = join(import.meta.dirname, 'results');
/** One file for each program, so that programs can run side by side. */
const fileOf = ({ name }: Tested): string => join(folder, `${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.json`);

/** The results of the pinned versions; those of others are gone. */
export function resultsOf(tested: Tested): ResultsOf {
  const { packages } = tested;
  const read = existsSync(fileOf(tested)) ? (JSON.parse(readFileSync(fileOf(tested), 'utf8')) as ResultsOf) : undefined;
  return read?.packages.join() === packages.join() ? read : { packages, kinds: {} };
}

/** The rows that one of the words in an environment variable names, as a whole or in part, or all. */
export function chosen<T extends { readonly name: string }>(rows: readonly T[], variable: 'AGENT' | 'KIND'): T[] {
  const words = process.env[variable]?.toLowerCase().split(',');
  const names = rows.map(({ name }) => name.toLowerCase());
  const isNamed = (name: string, word: string): boolean => (names.includes(word) ? name === word : name.includes(word));
  return rows.filter((_, index) => !words || words.some((word) => isNamed(names[index]!, word)));
}

const maxDays = 30;
const isGood = (result: string | undefined): boolean => result !== undefined && !result.startsWith('fails');
const isDue = (shown: Shown | undefined): boolean =>
  shown === undefined ||
  !features.every((feature) => isGood(shown[feature])) ||
  Date.now() - Date.parse(shown.on) > maxDays * 86_400_000;

/** The kinds at which a program has no good result of the last 30 days. */
export function dueKinds<T extends { readonly name: string }>(tested: Tested, kinds: readonly T[]): T[] {
  const { kinds: shown } = resultsOf(tested);
  return kinds.filter(({ name }) => isDue(shown[name]));
}

/** The kinds at which a run tries a program: those that are due, or with `AGAIN` all. */
export const kindsToRun = <T extends { readonly name: string }>(tested: Tested, kinds: readonly T[]): T[] =>
  process.env['AGAIN'] ? [...kinds] : dueKinds(tested, kinds);

/** The values that differ in a failed expectation, or the message of another error, in one line of a table. */
function reasonOf(error: unknown): string {
  const { matcherResult: { actual, expected } = {}, message } = error as Error & {
    matcherResult?: { actual: unknown; expected: unknown };
  };
  const text = expected === undefined ? message : `expected ${shown(expected)}, got ${shown(actual)}`;
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '/').slice(0, 400);
}

/** The end of the output of a program says the most. */
function shown(value: unknown): string {
  const { output, stdout = output } = (value ?? {}) as { output?: unknown; stdout?: unknown };
  return (typeof stdout === 'string' ? stdout : JSON.stringify(value)).slice(-160);
}

/** The results of one run. They replace those of earlier runs, cell by cell, and all of another version. */
export class Results {
  private found: Array<[Tested, Kind, Feature, string]> = [];

  /** Notes that a check passed, with a word for how, or the refusal of the provider that made it fail. */
  async of(
    tested: Tested,
    kind: Kind,
    feature: Feature,
    result: string,
    check: () => Promise<void>,
    refusals: Refusals,
  ): Promise<void> {
    try {
      await check();
      this.found.push([tested, kind, feature, result]);
    } catch (error) {
      this.found.push([tested, kind, feature, `fails: ${refusals.unexpected[0] ?? reasonOf(error)}`]);
      throw error;
    }
  }

  /** Notes a result without a check of its own. */
  note(tested: Tested, kind: Kind, feature: Feature, result: string): void {
    this.found.push([tested, kind, feature, result]);
  }

  /** Writes what was found since the last time into the files of results, so that a run that is ended early keeps it. */
  save(): void {
    const on = new Date().toISOString().slice(0, 10);
    mkdirSync(folder, { recursive: true });
    for (const [tested, kind, feature, result] of this.found) {
      const { packages, kinds } = resultsOf(tested);
      const all = { packages, kinds: { ...kinds, [kind.name]: { ...kinds[kind.name], on, [feature]: result } } };
      writeFileSync(fileOf(tested), JSON.stringify(all));
    }
    this.found = [];
  }

  /** Writes the pages that are made of the results. */
  publish(): void {
    writePages(resultsOf, folder);
  }
}
