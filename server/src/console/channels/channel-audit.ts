import type { AuditChange } from '../../shared/audit.js';
import type { Channel } from './channel.entity.js';

/**
 * Returns the fields of a channel that an admin can set, for the audit log. Its key is audited separately: the row here
 * never contains it.
 */
export const auditedFields = (channel: Channel): Readonly<Record<string, unknown>> => {
  const { keySealed: _key, usedQuota: _used, ...rest } = channel;
  const {
    testedAt: _time,
    testError: _error,
    responseTime: _response,
    balance: _balance,
    balanceAt: _updated,
    ...fields
  } = rest;
  return fields;
};

/** The text that is audited in place of the previous key, which is not decrypted for this purpose. */
export const formerKey = '(former key)';

export const channelChange = (
  action: string,
  id: number,
  before: AuditChange['before'],
  after: AuditChange['after'],
): AuditChange => ({ action, subject: 'channel', id, before, after });
