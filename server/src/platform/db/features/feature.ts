import type pg from 'pg';

/** One ability of the database that the gateway relies on. */
export interface Feature {
  /** A stable code, for scripts. */
  readonly code: string;
  /** The ability, as a part of a sentence. */
  readonly ability: string;
  /** The consequence of its absence, as a whole sentence. */
  readonly without: string;
  /**
   * Tries the ability in an empty schema that both sessions resolve unqualified names to. Transactions that are left open are rolled
   * back by the caller.
   * @returns whether the result is right
   * @throws the database's error
   */
  probe(first: pg.Client, second: pg.Client): Promise<boolean>;
}

/** Result of one check. */
export interface FeatureResult {
  readonly code: string;
  readonly status: 'ok' | 'missing' | 'skipped';
  /** The text is one or two plain sentences. */
  readonly text: string;
}

/** Returns the first column of the first row. */
export async function valueOf(client: pg.Client, text: string): Promise<unknown> {
  const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
  return rows[0]?.[0];
}

/** Tries every feature, also after a missing one. */
export async function tryFeatures(
  features: readonly Feature[],
  first: pg.Client,
  second: pg.Client,
): Promise<FeatureResult[]> {
  const results: FeatureResult[] = [];
  for (const feature of features) results.push(await tryFeature(feature, first, second));
  return results;
}

async function tryFeature(feature: Feature, first: pg.Client, second: pg.Client): Promise<FeatureResult> {
  const { code, ability, without } = feature;
  const missing = (reason: string): FeatureResult => ({
    code,
    status: 'missing',
    text: `the database has no ${ability} (${reason}). ${without}`,
  });
  try {
    return (await feature.probe(first, second))
      ? { code, status: 'ok', text: ability }
      : missing('it gave another result than Postgres');
  } catch (error) {
    return missing(error instanceof Error ? error.message : String(error));
  } finally {
    for (const client of [first, second]) await client.query('ROLLBACK');
  }
}
