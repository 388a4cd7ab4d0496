import type { FastifyPluginAsync } from 'fastify';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { parameter } from '../../platform/http/openapi/operation.js';
import type { RestHandlers } from '../../platform/http/rest.js';
import { restRoutes, routesFor } from '../../platform/http/route.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { ImportService } from './import.service.js';

const fileBody = z
  .unknown()
  .transform((body): Readable => {
    if (body instanceof Readable) return body;
    throw new InvalidInputError('Send the file as the body', 'file');
  })
  .meta({ type: 'object', additionalProperties: true, description: 'The bytes of the file' });

const route = routesFor<ImportService>();

/** `/api/import`: uploads a database file and downloads the whole report. */
export const importRoutes = [
  route('POST /api/import/file', {
    summary: 'Upload the database of the other program',
    description:
      'The body is the file itself: an SQLite database, or a `config.yaml` of LiteLLM, of at most `IMPORT_MAX_FILE_MB`. It replaces an earlier file.',
    caller: 'root',
    query: { name: parameter.words('Name of the file') },
    body: fileBody,
    data: z.object({ name: z.string() }),
    errors: ['CONFLICT', 'CONFIRMATION_NEEDED', 'INVALID_INPUT', 'PAYLOAD_TOO_LARGE'],
    // The site on which the examples run is not fresh.
    example: { query: { name: 'one-api.db' }, body: {}, fails: 'CONFLICT' },
    handle: async (service, { actor, query, body, request }) => {
      const announced = Number(request.headers['content-length'] ?? NaN);
      const { job } = await service.receive(actor, body, announced, query.name ?? '');
      return { name: job?.sourceName ?? '' };
    },
  }),
  route('GET /api/import/report', {
    summary: 'The whole report of the import, or else of the dry run',
    description: 'In the form that `npm run import -- --report` writes; null without one.',
    caller: 'root',
    data: z.looseObject({ isDryRun: z.boolean() }).nullable(),
    example: {},
    handle: async (service, { actor }) => {
      const report = await service.report(actor);
      return report && { ...report };
    },
  }),
];

/**
 * Serves `importRoutes`. The request body is the file, without a form. It is written to the disk as it arrives, because
 * it may be larger than the memory.
 */
export const importUploads =
  (service: ImportService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', (_request, body, done) => done(null, body));
    await app.register(restRoutes(importRoutes, service, rest));
  };
