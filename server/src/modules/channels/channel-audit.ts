import type { AuditChange } from '../../shared/audit.js';
import type { Channel } from './channel.entity.js';

/** What an admin can set of a channel. Its key is told apart: the row here never has it. */
export const auditedFields = (channel: Channel): Readonly<Record<string, unknown>> => {
  const { keySealed: _key, usedQuota: _used, ...rest } = channel;
  const { testTime: _time, responseTime: _response, balance: _balance, balanceUpdatedTime: _updated, ...fields } = rest;
  return fields;
};

/** Stands for a key that is not opened just to say that it was another. */
export const formerKey = '(former key)';

export const channelChange = (
  action: string,
  id: number,
  before: AuditChange['before'],
  after: AuditChange['after'],
): AuditChange => ({ action, subject: 'channel', id, before, after });
