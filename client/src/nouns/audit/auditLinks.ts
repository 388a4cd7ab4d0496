import type { Permission } from '../../lib/permissions.js';
import { channelAddress, modelAddress, tokenAddress, userAddress } from '../objects/addresses.js';
import { priceKeys, priceSettings } from '../settings/priceSettings.js';
import { settingAddress, settingsByKey } from '../settings/settingsByKey.js';
import { namesIn, type AuditEntry, type Change } from './auditChanges.js';

/** The page of an object, and the permission that opens it. */
export interface ObjectLink {
  readonly to: string;
  readonly permission: Permission;
}

const userPage = (id: number): ObjectLink => ({ to: userAddress(id), permission: 'USERS_READ' });
const channelPage = (id: number): ObjectLink => ({ to: channelAddress(id), permission: 'CHANNELS_READ' });
const tokenPage = (id: number): ObjectLink => ({ to: tokenAddress(id), permission: 'USERS_READ' });
const modelPage = (name: string): ObjectLink => ({ to: modelAddress(name), permission: 'USAGE_READ' });

const isId = (text: string | null): text is string => text !== null && /^[1-9]\d{0,9}$/.test(text);

/** Subjects without a page of their own: the list that has them. */
const lists: Partial<Record<AuditEntry['subject'], ObjectLink>> = {
  PLAN: { to: '/plan', permission: 'PRICES' },
  WEBHOOK: { to: '/webhook', permission: 'WEBHOOKS' },
};

/** The page of the changed object. Null: it has none, or was deleted. */
export function subjectPage({ subject, subjectId, subjectName, action }: AuditEntry): ObjectLink | null {
  if (subject === 'OPTION') {
    if (!settingsByKey.has(subjectId)) return null;
    return { to: settingAddress(subjectId), permission: priceKeys.includes(subjectId) ? 'PRICES' : 'OPTIONS' };
  }
  if (!isId(subjectId) || action === 'delete') return null;
  if (subject === 'REDEMPTION') return { to: `/redemption?row=${subjectId}`, permission: 'CODES' };
  if (subject === 'DASHBOARD') return { to: `/dashboards/${subjectId}`, permission: 'USAGE_READ' };
  if (subject === 'ORGANISATION') return { to: `/organisations/${subjectId}`, permission: 'USERS_READ' };
  const list = lists[subject];
  if (list) return list;
  return subjectName == null ? null : pageOf(subject.toLowerCase(), subjectId);
}

/** The page of a user, a channel or an API key. */
function pageOf(kind: string | null, id: string): ObjectLink | null {
  if (!isId(id)) return null;
  if (kind === 'user') return userPage(Number(id));
  if (kind === 'channel') return channelPage(Number(id));
  return kind === 'token' ? tokenPage(Number(id)) : null;
}

const modelTables = priceSettings.map(({ key }) => key);

/** The page of the row of a table: of a model in price tables and in the model mapping of a channel. */
export function rowPage({ field, row, setting }: Change): ObjectLink | null {
  if (row === null) return null;
  return field === 'modelMapping' || (setting !== undefined && modelTables.includes(setting)) ? modelPage(row) : null;
}

/** Fields whose value is the id of a user. */
const userFields = ['userId', 'ownerId', 'createdBy'];

/** The objects that a value names, each with its page. Null: it names none. */
export function mentionsOf(
  { changes }: AuditEntry,
  { field, row }: Change,
  value: string,
): readonly { readonly text: string; readonly page: ObjectLink | null }[] | null {
  if (row !== null || value === '') return null;
  if (userFields.includes(field)) return [{ text: value, page: pageOf('user', value) }];
  if (field === 'subjectId') {
    const level = changes.find((one) => one.field === 'level');
    return [{ text: value, page: pageOf(level?.after ?? level?.before ?? null, value) }];
  }
  if (field !== 'models' && field !== 'testModel') return null;
  return (namesIn(value) ?? [value]).map((name) => ({ text: name, page: modelPage(name) }));
}
