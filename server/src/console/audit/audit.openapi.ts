import { parameter, type ApiOperations } from '../../platform/http/openapi/operation.js';

/** The audit log as a file. Dashboards read it over GraphQL. */
export const auditOperations: ApiOperations = {
  'GET /api/audit/export': {
    summary: 'Changes by admins as CSV, newest first',
    description: 'One line for each changed field. Values of secrets are hidden.',
    role: 'root',
    query: {
      subject: parameter.words(
        '`option`, `user`, `channel`, `redemption`, `budget`, `role`, `token`, `import`, `log`; separated by commas',
      ),
      subject_id: parameter.words('Ids, for settings their keys; separated by commas'),
      actor_id: { type: 'integer', description: 'Id of the admin' },
      entry: parameter.words('A model or group whose price changed'),
      start_timestamp: { type: 'integer', description: 'First Unix second' },
      end_timestamp: { type: 'integer', description: 'Last Unix second' },
    },
    errors: ['CONFIRMATION_NEEDED'],
    media: 'text/csv',
    example: {},
  },
};
