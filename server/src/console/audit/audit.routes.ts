import type { z } from 'zod';
import { sendCsv } from '../../platform/http/csv.js';
import { parameter } from '../../platform/http/openapi/operation.js';
import { routesFor } from '../../platform/http/route.js';
import { auditSubjects, type AuditSubject } from '../../shared/audit.js';
import { dateOf } from '../../shared/clock.js';
import { splitList } from '../../shared/comma-list.js';
import { maxInt32, lastSecond } from '../../shared/limits.js';
import { costOfSearch } from '../../shared/list-bounds.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { AuditFilter, AuditService } from './audit.service.js';

const query = {
  subject: parameter.words(
    '`option`, `user`, `channel`, `redemption`, `budget`, `role`, `token`, `import`, `log`; separated by commas',
  ),
  subject_id: parameter.words('Ids, for settings their keys; separated by commas'),
  actor_id: parameter.whole('Id of the admin'),
  entry: parameter.words('A model or group whose price changed'),
  start_timestamp: parameter.whole('First Unix second'),
  end_timestamp: parameter.whole('Last Unix second'),
};
type Query = z.output<z.ZodObject<typeof query>>;

/** `/api/audit` (docs/reference/rest/logs-and-usage.md#audit-log). Dashboards read it over GraphQL. */
export const auditRoutes = [
  routesFor<Pick<AuditService, 'export'>>()('GET /api/audit/export', {
    summary: 'Changes by admins as CSV, newest first',
    description: 'One line for each changed field. Values of secrets are hidden.',
    caller: { may: 'audit' },
    query,
    errors: ['CONFIRMATION_NEEDED'],
    media: 'text/csv',
    example: {},
    handle: (auditService, { actor, query, reply }) =>
      sendCsv(reply, 'audit', auditService.export(actor, toFilter(query))),
  }),
];

/** Empty and unreadable parameters do not restrict. */
function toFilter(query: Query): AuditFilter {
  const isSubject = (text: string): text is AuditSubject => (auditSubjects as readonly string[]).includes(text);
  const from = Math.min(query.start_timestamp, lastSecond);
  const end = Math.min(query.end_timestamp, lastSecond);
  const ids = namesIn(query, 'subject_id');
  const subjects = namesIn(query, 'subject').filter(isSubject);
  return omitUndefined({
    subjects: subjects.length > 0 ? subjects : undefined,
    subjectIds: ids.length > 0 ? ids : undefined,
    actorIds: query.actor_id > 0 ? [Math.min(query.actor_id, maxInt32)] : undefined,
    entry: query.entry || undefined,
    // The last second is included.
    created: {
      from: from > 0 ? dateOf(from) : null,
      until: end > 0 ? dateOf(end + 1) : null,
    },
  });
}

/** @throws InvalidInputError for more names than a search may have */
function namesIn(query: Query, name: 'subject' | 'subject_id'): string[] {
  const names = splitList(query[name] ?? '');
  costOfSearch(names, name);
  return names;
}
