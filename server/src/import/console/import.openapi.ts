import { z } from 'zod';
import { parameter, type ApiSection } from '../../platform/http/openapi/operation.js';

/** The REST section for imports from another program. */
export const importSection: ApiSection = {
  name: 'Import',
  description:
    'From one-api, new-api, Veloera or LiteLLM, into a fresh site. The file is uploaded here; everything else is GraphQL (`siteImport`, `checkImport`, `startImport`, `cancelImport`, `discardImport`).',
  operations: {
    'POST /api/import/file': {
      summary: 'Upload the database of the other program',
      description:
        'The body is the file itself: an SQLite database, or a `config.yaml` of LiteLLM, of at most `IMPORT_MAX_FILE_MB`. It replaces an earlier file.',
      role: 'root',
      query: { name: parameter.words('Name of the file') },
      body: { type: 'object', additionalProperties: true, description: 'The bytes of the file' },
      data: z.object({ name: z.string() }),
      errors: ['CONFLICT', 'CONFIRMATION_NEEDED', 'INVALID_INPUT', 'PAYLOAD_TOO_LARGE'],
      // The site on which the examples run is not fresh.
      example: { query: { name: 'one-api.db' }, body: {}, fails: 'CONFLICT' },
    },
    'GET /api/import/report': {
      summary: 'The whole report of the import, or else of the dry run',
      description: 'In the form that `npm run import -- --report` writes; null without one.',
      role: 'root',
      data: z.looseObject({ isDryRun: z.boolean() }).nullable(),
      example: {},
    },
  },
};
