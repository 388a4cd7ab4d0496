import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { parameter } from '../../../platform/http/openapi/operation.js';
import type { RestHandlers } from '../../../platform/http/rest.js';
import { restRoutes, routesFor } from '../../../platform/http/route.js';
import { InvalidInputError } from '../../../shared/errors.js';
import type { PriceCheckService } from './price-check.service.js';
import { maxDocumentBytes } from '../../../billing/prices/index.js';

const fileBody = z
  .unknown()
  .transform((body): Buffer => {
    if (Buffer.isBuffer(body)) return body;
    throw new InvalidInputError('Send the file as the body', 'file');
  })
  .meta({ type: 'object', additionalProperties: true, description: 'The list of prices' });

/** Null when absent. @throws InvalidInputError */
function checkId(text: string | undefined): number | null {
  const id = text ? Number(text) : null;
  if (id === null || Number.isSafeInteger(id)) return id;
  throw new InvalidInputError('Invalid parameter', 'with_check_id');
}

export const priceCheckRoutes = [
  routesFor<PriceCheckService>()('POST /api/price_check', {
    summary: 'Compare a list of prices with those of the site',
    description:
      'The body is the file itself: the table of LiteLLM, models.dev, OpenRouter, new-api or another Tollgate. Nothing is changed; the differences are read over GraphQL (`priceCheck`).',
    caller: { may: 'prices.sync' },
    bodyLimit: maxDocumentBytes,
    query: {
      name: parameter.words('Name of the file'),
      with_check_id: z.string().optional().transform(checkId).meta({
        description: 'Id of an earlier check whose lists are compared with this one',
        type: 'integer',
      }),
    },
    body: fileBody,
    data: z.object({ id: z.int() }),
    errors: ['INVALID_INPUT', 'PAYLOAD_TOO_LARGE'],
    example: {
      query: { name: 'prices.json' },
      body: {
        'gpt-4o': {
          litellm_provider: 'openai',
          mode: 'chat',
          input_cost_per_token: 0.0000025,
          output_cost_per_token: 0.00001,
        },
      },
    },
    handle: async (checks, { actor, query, body }) => {
      const { id } = await checks.checkFile(actor, { name: query.name ?? '', bytes: body }, query.with_check_id);
      return { id };
    },
  }),
];

/**
 * `/api/price_check`: a list of prices as a file. The body is the file itself, which may be larger than other bodies.
 */
export const priceCheckUploads =
  (checks: PriceCheckService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit: maxDocumentBytes },
      (_request, body, done) => done(null, body),
    );
    await app.register(restRoutes(priceCheckRoutes, checks, rest));
  };
