import type { FastifyPluginAsync } from 'fastify';
import { sendCsv } from '../../platform/http/csv.js';
import { queryNumber } from '../../platform/http/query.js';
import type { RestHandlers } from '../../platform/http/rest.js';
import { auditSubjects, type AuditSubject } from '../../shared/audit.js';
import { dateOf } from '../../shared/clock.js';
import { splitList } from '../../shared/comma-list.js';
import { maxInt32, lastSecond } from '../../shared/limits.js';
import { costOfSearch } from '../../shared/list-bounds.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { AuditFilter, AuditService } from './audit.service.js';

type Query = Readonly<Record<string, string | undefined>>;

/** `/api/audit` (docs/reference/rest/logs-and-usage.md#audit-log). */
export const auditRoutes =
  (auditService: Pick<AuditService, 'export'>, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/export',
      rest.may('audit', ({ actor, query, reply }) =>
        sendCsv(reply, 'audit', auditService.export(actor, toFilter(query))),
      ),
    );
  };

/** Empty and unreadable parameters do not restrict. */
function toFilter(query: Query): AuditFilter {
  const isSubject = (text: string): text is AuditSubject => (auditSubjects as readonly string[]).includes(text);
  const from = Math.min(queryNumber(query['start_timestamp']), lastSecond);
  const end = Math.min(queryNumber(query['end_timestamp']), lastSecond);
  const actor = queryNumber(query['actor_id']);
  const ids = namesIn(query, 'subject_id');
  const subjects = namesIn(query, 'subject').filter(isSubject);
  return omitUndefined({
    subjects: subjects.length > 0 ? subjects : undefined,
    subjectIds: ids.length > 0 ? ids : undefined,
    actorIds: actor > 0 ? [Math.min(actor, maxInt32)] : undefined,
    entry: query['entry'] || undefined,
    // The last second is included.
    created: {
      from: from > 0 ? dateOf(from) : null,
      until: end > 0 ? dateOf(end + 1) : null,
    },
  });
}

/** @throws InvalidInputError for more names than a search may have */
function namesIn(query: Query, parameter: string): string[] {
  const names = splitList(query[parameter] ?? '');
  costOfSearch(names, parameter);
  return names;
}
