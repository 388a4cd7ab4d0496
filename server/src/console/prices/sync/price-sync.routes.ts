import type { FastifyPluginAsync } from 'fastify';
import type { RestHandlers } from '../../../platform/http/rest.js';
import { InvalidInputError } from '../../../shared/errors.js';
import type { PriceCheckService } from './price-check.service.js';
import { maxDocumentBytes } from '../../../billing/prices/index.js';

/**
 * `/api/price_check`: a list of prices as a file. The body is the file itself, which may be larger than other bodies.
 */
export const priceSyncRoutes =
  (checks: PriceCheckService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit: maxDocumentBytes },
      (_request, body, done) => done(null, body),
    );
    app.post(
      '/',
      { bodyLimit: maxDocumentBytes },
      rest.may('prices.sync', async ({ actor, query, body }) => {
        if (!Buffer.isBuffer(body)) throw new InvalidInputError('Send the file as the body', 'file');
        const earlier = query['with_check_id'] ? Number(query['with_check_id']) : null;
        if (earlier !== null && !Number.isSafeInteger(earlier))
          throw new InvalidInputError('Invalid parameter', 'with_check_id');
        const { id } = await checks.checkFile(actor, { name: query['name'] ?? '', bytes: body }, earlier);
        return { id };
      }),
    );
  };
