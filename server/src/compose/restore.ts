import { AuditRecord, RestoreService } from '../console/audit/index.js';
import { channelFieldNames, channelTextNames, destinations } from '../console/channels/index.js';
import { pick } from '../shared/snake-case.js';
import type { Accounts } from './accounts.js';
import type { Catalogue } from './catalogue.js';
import type { Operations } from './operations.js';
import type { Platform } from './platform.js';

/** Lists the kinds of objects that the audit log can restore, each with its service. */
export function composeRestore(
  { dataSource }: Platform,
  { userService }: Accounts,
  { tokenBulk }: Catalogue,
  { channelService }: Operations,
): RestoreService {
  return new RestoreService(dataSource.getRepository(AuditRecord), {
    channel: {
      read: async (actor, id) => pick(await channelService.get(actor, id), channelFieldNames),
      write: (actor, id, fields, verify) => channelService.restore(actor, id, fields, verify),
      isText: (field) => channelTextNames.has(field),
      destinations,
    },
    user: {
      read: async (actor, id) =>
        pick(await userService.get(actor, id), ['username', 'displayName', 'email', 'group'] as const),
      write: (actor, id, fields, verify) => userService.update(actor, id, fields, null, verify),
      isText: () => true,
    },
    token: {
      read: (actor, id) => tokenBulk.read(actor, id),
      write: (actor, id, fields, verify) => tokenBulk.restore(actor, id, fields, verify),
      isText: () => true,
    },
  });
}
