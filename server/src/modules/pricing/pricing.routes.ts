import type { FastifyPluginAsync } from 'fastify';
import { RestAnswer, type RestHandlers } from '../../http/rest.js';
import type { PricingService } from './pricing.service.js';
import { toWire } from './pricing.wire.js';

/** `/api/pricing`: public; reads the session if there is one. */
export const pricingRoutes =
  (pricingService: PricingService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/',
      rest.session(async ({ actor }) => new RestAnswer(toWire(await pricingService.list(actor)))),
    );
  };
