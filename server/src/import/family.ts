import { SourceError, type SourceDatabase } from './source/source.js';

/** Programs whose databases can be imported. */
export type Family = 'one-api' | 'veloera' | 'new-api' | 'one-hub' | 'litellm';

/**
 * Recognizes the program that wrote a database by its tables and columns.
 * @throws SourceError for programs that cannot be imported, and for other databases
 */
export function familyOf({ columns, engine }: Pick<SourceDatabase, 'columns'> & Partial<SourceDatabase>): Family {
  if (engine === 'config') return 'litellm';
  const has = (table: string, ...names: string[]): boolean => {
    const known = columns.get(table);
    return known !== undefined && names.every((name) => known.has(name));
  };
  if (has('LiteLLM_VerificationToken')) {
    throw new SourceError(
      'This is the database of LiteLLM, which has no models: pass its config.yaml as the source, and this database with --keys-database.',
    );
  }
  if (has('accounts') && has('api_keys') && has('groups', 'platform')) {
    throw new SourceError(
      'This is a database of sub2api. It cannot be moved: sub2api keeps balances as decimal dollars per subscription and shares of accounts, which have no counterpart here.',
    );
  }
  if (has('channels', 'custom_parameter') || (has('prices') && has('user_groups'))) {
    const isCurrent =
      has('prices', 'model', 'type', 'input', 'output', 'extra_ratios') &&
      has('user_groups', 'symbol', 'ratio') &&
      has('tokens', 'key', 'setting') &&
      has('channels', 'plugin', 'custom_parameter') &&
      has('users', 'quota', 'username');
    if (isCurrent) return 'one-hub';
    throw new SourceError(
      'This database of one-hub or done-hub is older than the oldest one that can be moved: start the newest version of the old program on it once.',
    );
  }
  if (!has('users', 'quota', 'username') || !has('tokens', 'key') || !has('channels', 'type', 'key')) {
    throw new SourceError(
      'This is no database of one-api, new-api, Veloera, one-hub or done-hub: the tables users, tokens and channels are missing or have other columns.',
    );
  }
  if (has('redemptions', 'is_gift') || has('channels', 'model_prefix') || has('users', 'last_check_in_time')) {
    return 'veloera';
  }
  if (has('tokens', 'subnet') && !has('tokens', 'group')) return 'one-api';
  if (has('tokens', 'model_limits_enabled')) return 'new-api';
  throw new SourceError(
    'This database is older than the oldest one-api that can be moved: start the newest version of the old program on it once.',
  );
}
