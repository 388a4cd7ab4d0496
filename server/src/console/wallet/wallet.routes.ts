import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { anonymousBodyLimit } from '../../platform/http/api-scope.js';
import { idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency-key.js';
import { RestAnswer, withoutHead, type RestContext, type RestHandlers } from '../../platform/http/rest.js';
import type { Actor } from '../../shared/actor.js';
import { type ErrorCode, isAppError } from '../../shared/errors.js';
import type { PaymentCallbacks, PaymentProvider } from '../../billing/payments/index.js';
import type { WalletService } from './wallet.service.js';
import { amountBody, payBody } from './wallet.wire.js';

/** `/api/user/amount`, `/api/user/pay` and the callback of each provider (docs/reference/rest/tokens-and-wallet.md). */
export const walletRoutes =
  (
    walletService: WalletService,
    callbacks: PaymentCallbacks,
    providers: readonly PaymentProvider[],
    rest: RestHandlers,
  ): FastifyPluginAsync =>
  async (app) => {
    app.post(
      '/amount',
      rest.user(
        inOwnShape(async ({ actor, body }) => paid(walletService.payable(actor, amountBody.parse(body).amount).amount)),
      ),
    );

    app.post(
      '/pay',
      rest.user(
        inOwnShape(async ({ actor, body, request, reply }) => {
          const { amount, payment_method } = payBody.parse(body);
          const key = idempotencyKeyOf(request);
          const { checkout, replayed } = await walletService.pay(actor, amount, payment_method, key);
          markReplayed(reply, replayed);
          return paid(checkout.fields, { url: checkout.url });
        }),
      ),
    );

    await app.register(async (callback) => {
      // Signatures may cover the bytes of a body, so each provider parses its own.
      callback.removeAllContentTypeParsers();
      callback.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
        done(null, body);
      });
      for (const provider of providers) {
        callback.route({
          ...withoutHead,
          method: ['GET', 'POST'],
          url: `/${provider.name}/notify`,
          bodyLimit: anonymousBodyLimit,
          handler: rest.open(async ({ request, query, body }) => {
            const raw = { headers: request.headers, query, body: typeof body === 'string' ? body : '' };
            const { text, status } = await callbacks.take(provider, raw);
            return new RestAnswer(text, status);
          }),
        });
      }
    });
  };

const ownFailures: readonly ErrorCode[] = ['INVALID_INPUT', 'NOT_IMPLEMENTED', 'SERVICE_UNAVAILABLE'];

type Handler = (context: RestContext<Actor>) => Promise<Record<string, unknown>>;

/**
 * Business failures have their own response shape on these two endpoints. Authentication failures use the usual one.
 */
const inOwnShape =
  (handler: Handler) =>
  async (context: RestContext<Actor>): Promise<RestAnswer> => {
    try {
      return new RestAnswer(await handler(context));
    } catch (error) {
      if (error instanceof z.ZodError) return new RestAnswer(notPaid('Invalid parameter'));
      if (isAppError(error) && ownFailures.includes(error.code)) return new RestAnswer(notPaid(error.message));
      throw error;
    }
  };

/**
 * The two wallet endpoints have their own response shape (docs/reference/rest/tokens-and-wallet.md#online-top-up);
 * `success` is an addition.
 */
const paid = (data: unknown, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  success: true,
  message: 'success',
  data,
  ...more,
});
const notPaid = (reason: string): Record<string, unknown> => ({
  success: false,
  message: 'error',
  data: reason,
});
