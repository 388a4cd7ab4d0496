import { holds, ranks, type Actor, type Role } from '../shared/actor.js';
import type { SortBy } from '../shared/page.js';
import { permissionsToWrite } from './option-permissions.js';
import { definitionOf, optionText, type OptionKey, type OptionValues } from './option-registry.js';

/** One setting in the form for an admin. The value of a secret is always empty. */
export interface OptionEntry {
  readonly key: OptionKey;
  readonly value: string;
  /** The value read as JSON; null for secrets and for texts. */
  readonly json: unknown;
  /** The built-in value; empty for a secret. */
  readonly defaultValue: string;
  readonly kind: 'boolean' | 'integer' | 'decimal' | 'text' | 'list' | 'json';
  readonly isSecret: boolean;
  /** Whether it differs from the built-in value; for a secret: whether one is stored. */
  readonly isSet: boolean;
  /** The lowest role that may write it. */
  readonly writer: Role;
  /** Whether this actor may write it. */
  readonly isWritable: boolean;
  /** Time of the last change. Null when it was never saved, or was reset. */
  readonly changedAt: Date | null;
  /** The user who saved it last. Null when it was never saved, or saved by the set-up of the site. */
  readonly changedById: number | null;
}

export type OptionSortField = 'key' | 'changedAt';

export interface OptionFilter {
  readonly keyword?: string | null;
  readonly keys?: readonly string[] | null;
  readonly isSet?: boolean | null;
}

export interface LastChange {
  readonly at: Date;
  readonly userId: number | null;
}

/**
 * Returns a setting in the form for an admin.
 * @param last absent when the setting was never saved
 */
export function optionEntry(
  actor: Actor,
  key: OptionKey,
  values: OptionValues,
  last: LastChange | undefined,
): OptionEntry {
  const { secret, kind, defaultValue, writer } = definitionOf(key);
  const value = optionText(key, values[key]);
  const defaultText = optionText(key, defaultValue);
  return {
    key,
    value: secret ? '' : value,
    json: secret || kind === 'text' ? null : kind === 'list' ? values[key] : parsed(value),
    defaultValue: secret ? '' : defaultText,
    kind,
    isSecret: secret,
    isSet: value !== defaultText,
    writer,
    isWritable: mayWrite(actor, key),
    changedAt: last?.at ?? null,
    changedById: last?.userId ?? null,
  };
}

/** Returns the settings that match a filter, in their order unless sorted. */
export function matchingEntries(
  entries: readonly OptionEntry[],
  { keyword, keys, isSet: wanted }: OptionFilter,
  sort: ReadonlyArray<SortBy<OptionSortField>>,
): OptionEntry[] {
  const part = keyword?.trim().toLowerCase() ?? '';
  const found = entries.filter(
    ({ key, isSet }) =>
      key.toLowerCase().includes(part) && (!keys || keys.includes(key)) && (wanted ?? isSet) === isSet,
  );
  for (const by of sort.toReversed()) found.sort(comparing(by));
  return found;
}

/** Settings that were never saved come first when sorted by change, oldest first. */
function comparing({ field, direction }: SortBy<OptionSortField>): (left: OptionEntry, right: OptionEntry) => number {
  const sign = direction === 'ASC' ? 1 : -1;
  const timeOf = ({ changedAt }: OptionEntry): number => changedAt?.getTime() ?? 0;
  return (left, right) =>
    sign * (field === 'key' ? left.key.localeCompare(right.key, 'en') : timeOf(left) - timeOf(right));
}

/** Parses a text. Texts of numbers, booleans and tables are JSON. An empty table is null. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whether the actor may write the setting. */
export const mayWrite = (actor: Actor, key: OptionKey): boolean => {
  const needed = permissionsToWrite(key);
  return needed === null
    ? ranks[actor.role] >= ranks[definitionOf(key).writer]
    : needed.every((one) => holds(actor, one));
};
