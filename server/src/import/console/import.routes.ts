import type { FastifyPluginAsync } from 'fastify';
import { Readable } from 'node:stream';
import type { RestHandlers } from '../../platform/http/rest.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { ImportService } from './import.service.js';

/**
 * `/api/import`: uploads a database file and downloads the whole report. The request body is the file, without a form.
 * It is written to the disk as it arrives, because it may be larger than the memory.
 */
export const importRoutes =
  (service: ImportService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', (_request, body, done) => done(null, body));
    app.post(
      '/file',
      rest.root(async ({ actor, query, body, request }) => {
        if (!(body instanceof Readable)) throw new InvalidInputError('Send the file as the body', 'file');
        const announced = Number(request.headers['content-length'] ?? NaN);
        const { job } = await service.receive(actor, body, announced, query['name'] ?? '');
        return { name: job?.sourceName ?? '' };
      }),
    );
    app.get(
      '/report',
      rest.root(({ actor }) => service.report(actor)),
    );
  };
