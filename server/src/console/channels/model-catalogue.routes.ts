import type { FastifyPluginAsync } from 'fastify';
import { RestAnswer, type RestHandlers } from '../../platform/http/rest.js';
import { oldModelLists } from './channel-catalogue.js';

/**
 * `/api/models`: built-in model names by channel type; no `message`
 * (docs/reference/rest/public.md#built-in-model-names).
 */
export const modelCatalogueRoutes =
  (rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.user(async () => new RestAnswer({ success: true, data: oldModelLists })),
    );
  };
