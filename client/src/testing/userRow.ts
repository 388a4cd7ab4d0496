import type { UserRowFragment } from '../screens/users/users.generated.js';

const invite = { __typename: 'Invite', count: 3 };
const typed = { __typename: 'User' };

/** A common user with half of a dollar used. */
export const userRow = (id: number, username: string, more: Partial<UserRowFragment> = {}): UserRowFragment => ({
  ...typed,
  id,
  username,
  displayName: username,
  kind: 'PERSON',
  role: 'COMMON',
  status: 'ENABLED',
  email: null,
  group: 'default',
  quota: 1_000_000,
  usedQuota: 250_000,
  requestCount: 12_345,
  customRole: null,
  externalId: null,
  hasSecondFactor: false,
  invite,
  createdAt: '2025-06-02T10:11:00.000Z',
  deletedAt: null,
  ...more,
});

/** A page of users. */
export const userPage = (...items: readonly UserRowFragment[]) => ({
  users: { __typename: 'UserPage', totalCount: items.length, items },
});
