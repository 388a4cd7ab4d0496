import type { FastifyPluginAsync } from 'fastify';
import { RestAnswer, type RestHandlers } from '../../http/rest.js';
import { channelTypes } from './channel-catalogue.service.js';

/** `/api/models`: built-in model names by channel type; no `message` (`rest-api.md` 3.1). */
export const modelCatalogueRoutes =
  (rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    const data = Object.fromEntries(channelTypes.map(({ id, models }) => [String(id), models]));
    app.get(
      '/',
      rest.user(async () => new RestAnswer({ success: true, data })),
    );
  };
