import { AuditRecord, RestoreService } from '../console/audit/index.js';
import { channelFieldNames, channelTextNames } from '../console/channels/index.js';
import { pick } from '../shared/snake-case.js';
import type { Accounts } from './accounts.js';
import type { Catalogue } from './catalogue.js';
import type { Operations } from './operations.js';
import type { Platform } from './platform.js';

/** Which objects of the audit log can be restored, and by which service. */
export function composeRestore(
  { dataSource }: Platform,
  { userService }: Accounts,
  { tokenBulk }: Catalogue,
  { channelService }: Operations,
): RestoreService {
  return new RestoreService(dataSource.getRepository(AuditRecord), {
    channel: {
      read: async (actor, id) => pick(await channelService.get(actor, id), channelFieldNames),
      write: (actor, id, fields) => channelService.restore(actor, id, fields),
      isText: (field) => channelTextNames.has(field),
    },
    user: {
      read: async (actor, id) =>
        pick(await userService.get(actor, id), ['username', 'displayName', 'email', 'group'] as const),
      write: (actor, id, fields) => userService.update(actor, id, fields),
      isText: () => true,
    },
    token: {
      read: (actor, id) => tokenBulk.read(actor, id),
      write: (actor, id, fields) => tokenBulk.restore(actor, id, fields),
      isText: () => true,
    },
  });
}
