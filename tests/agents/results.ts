import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Kind, Refusals } from './kinds.js';
import type { Feature } from './program.js';
import { resultsFile, writePages } from './pages.js';

/** Results by program, kind and feature: that it was shown, or why not. */
export interface ResultsOf {
  readonly packages: readonly string[];
  readonly kinds: Record<string, Partial<Record<Feature, string>>>;
}
export type AllResults = Record<string, ResultsOf>;

type Tested = { readonly name: string; readonly packages: readonly string[] };

const readResults = (): AllResults =>
  existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as AllResults) : {};

/** The rows that one of the words in an environment variable names, as a whole or in part, or all. */
export function chosen<T extends { readonly name: string }>(rows: readonly T[], variable: 'AGENT' | 'KIND'): T[] {
  const words = process.env[variable]?.toLowerCase().split(',');
  const names = rows.map(({ name }) => name.toLowerCase());
  const isNamed = (name: string, word: string): boolean => (names.includes(word) ? name === word : name.includes(word));
  return rows.filter((_, index) => !words || words.some((word) => isNamed(names[index]!, word)));
}

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

  /** Writes what was found since the last time into the file of results, so that a run that is ended early keeps it. */
  save(): void {
    const all = readResults();
    for (const [{ name, packages }, kind, feature, result] of this.found) {
      if (all[name]?.packages.join() !== packages.join()) all[name] = { packages, kinds: {} };
      const { kinds } = all[name];
      kinds[kind.name] = { ...kinds[kind.name], [feature]: result };
    }
    writeFileSync(resultsFile, JSON.stringify(all));
    this.found = [];
  }

  /** Writes the pages that are made of the results. */
  publish(): void {
    writePages(readResults());
  }
}
