import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { markReplayed } from '../../platform/http/idempotency-key.js';
import { sendCsv } from '../../platform/http/csv.js';
import { listOf, nullish, pages, parameter } from '../../platform/http/openapi/operation.js';
import { wirePage } from '../../platform/http/paging.js';
import { RestAnswer, type RestHandlers } from '../../platform/http/rest.js';
import { restRoutes, routesFor } from '../../platform/http/route.js';
import { type ErrorCode, isAppError } from '../../shared/errors.js';
import {
  formatMoney,
  newApiFlags,
  type CallbackResult,
  type PaymentCallbacks,
  type PaymentProvider,
  paymentMethodIds,
  paymentProviders,
  type TopUpOrder,
} from '../../billing/payments/index.js';
import type { OrderService } from './order.service.js';
import type { WalletService } from './wallet.service.js';
import {
  amountBody,
  notPaid,
  orderQuery,
  outcomeBody,
  payBody,
  refundBody,
  refundedOrder,
  settledOrder,
  startedPayment,
  success,
  toOrderFilter,
  toTopUpFilter,
  toTopUpOrder,
  topUpInfo,
  topUpOrderShape,
  topUpPrice,
  topUpQuery,
} from './wallet.wire.js';

const ownFailures: readonly ErrorCode[] = ['INVALID_INPUT', 'NOT_IMPLEMENTED', 'SERVICE_UNAVAILABLE'];

/**
 * Business failures have their own response shape on these two endpoints. Authentication failures use the usual one.
 */
function ownFailure(error: unknown): RestAnswer | undefined {
  if (error instanceof z.ZodError) return new RestAnswer(notPaid('Invalid parameter'));
  return isAppError(error) && ownFailures.includes(error.code) ? new RestAnswer(notPaid(error.message)) : undefined;
}

const route = routesFor<WalletService>({ isScoped: true });
const orderRoute = routesFor<OrderService>({ isScoped: true });

const toRowOf = (walletService: WalletService) => (order: TopUpOrder) =>
  toTopUpOrder(order, walletService.statusOf(order), walletService.quotaPerUnit);

/** Online top-up (docs/reference/rest/tokens-and-wallet.md#online-top-up). */
export const topUpPaymentRoutes = [
  route('GET /api/user/topup/info', {
    summary: 'The ways to pay, as new-api lists them',
    caller: 'user',
    data: topUpInfo,
    example: {},
    handle: async (walletService, { actor }) => {
      const { methods, minTopUp } = walletService.offer(actor);
      return {
        enable_online_topup: methods.length > 0,
        ...newApiFlags,
        pay_methods: methods.map(({ method }) => ({ name: method.names.zh, type: method.id })),
        min_topup: minTopUp,
        amount_options: [],
        discount: {},
      } as const;
    },
  }),
  route('GET /api/user/topup/self', {
    summary: 'Own orders, newest first, as new-api lists them',
    caller: 'user',
    query: { ...pages, ...topUpQuery },
    data: listOf(topUpOrderShape),
    example: { query: { p: 1 } },
    handle: (walletService, { actor, query, request }) =>
      wirePage(request, query, { paged: true }, toRowOf(walletService), (page) =>
        walletService.listOwn(actor, toTopUpFilter(query), page),
      ),
  }),
  route('GET /api/user/topup', {
    summary: 'Orders of all users, newest first, as new-api lists them',
    caller: { may: 'payments' },
    query: { ...pages, ...topUpQuery },
    data: listOf(topUpOrderShape),
    example: { query: { p: 1 } },
    handle: (walletService, { actor, query, request }) =>
      wirePage(request, query, { paged: true }, toRowOf(walletService), (page) =>
        walletService.list(actor, toTopUpFilter(query), page),
      ),
  }),
  route('POST /api/user/amount', {
    summary: 'What a top-up costs',
    caller: 'user',
    body: amountBody,
    response: topUpPrice,
    ownFailure,
    example: { body: { amount: 10 } },
    handle: async (walletService, { actor, body }) => {
      const { amount } = walletService.payable(actor, body.amount);
      return { ...success, data: amount };
    },
  }),
  route('POST /api/user/pay', {
    summary: 'Start an online top-up',
    description: 'The client posts the fields to `url`, the page of the payment gateway.',
    caller: 'user',
    once: true,
    body: payBody,
    response: startedPayment,
    ownFailure,
    example: { body: { amount: 10, payment_method: paymentMethodIds[0] } },
    handle: async (walletService, { actor, body, idempotencyKey, reply }) => {
      const { checkout, replayed } = await walletService.pay(
        actor,
        body.amount,
        body.payment_method,
        idempotencyKey,
        body.top_up_code,
      );
      markReplayed(reply, replayed);
      return { ...success, data: checkout.fields, url: checkout.url };
    },
  }),
  route('POST /api/plan/pay', {
    summary: 'Start an online payment of a plan',
    description:
      'Like `POST /api/user/pay`. The payment is credited to the balance, which buys the plan in the same step. ' +
      'With `renews` its card is saved, and pays the renewals.',
    caller: 'user',
    once: true,
    body: z.object({ plan_id: z.int(), payment_method: z.string(), renews: nullish.flag }),
    response: startedPayment,
    ownFailure,
    example: { body: { plan_id: 2_000_000_000, payment_method: paymentMethodIds[0] }, fails: 'NOT_FOUND' },
    handle: async (walletService, { actor, body, idempotencyKey, reply }) => {
      const { plan_id: planId, payment_method: method, renews } = body;
      const { checkout, replayed } = await walletService.payForPlan(
        actor,
        planId,
        method,
        idempotencyKey,
        renews ?? false,
      );
      markReplayed(reply, replayed);
      return { ...success, data: checkout.fields, url: checkout.url };
    },
  }),
];

/** `/api/payment` (docs/reference/rest/tokens-and-wallet.md#online-top-up). */
export const orderRoutes = [
  orderRoute('GET /api/payment/export', {
    summary: 'Orders of all users as CSV, oldest first',
    description: 'Times are in UTC. Admins confirm with their second factor.',
    caller: { may: 'payments' },
    query: orderQuery,
    media: 'text/csv',
    errors: ['CONFIRMATION_NEEDED'],
    example: { query: { status: 'success' } },
    handle: (orders, { actor, query, reply }) => sendCsv(reply, 'payments', orders.export(actor, toOrderFilter(query))),
  }),
  orderRoute('POST /api/payment/:id/refund', {
    summary: 'Refund a paid order',
    description:
      'Takes back the quota, and the rebate of the inviter with it, then pays the money back at the gateway. Without an amount: all that is not refunded yet. Needs `payments` too. Admins confirm with their second factor.',
    caller: { may: 'users.quota' },
    once: true,
    body: refundBody,
    data: refundedOrder,
    errors: [
      'NOT_FOUND',
      'CONFIRMATION_NEEDED',
      'CONFLICT',
      'INSUFFICIENT_QUOTA',
      'UPSTREAM_INVALID_RESPONSE',
      'UPSTREAM_UNREACHABLE',
    ],
    example: { path: { id: 1 }, body: { amount: '7.30', note: 'the buyer asked for it' } },
    handle: async (orders, { actor, id, body, idempotencyKey, reply }) => {
      const { amount, note, below_zero: belowZero } = body;
      const { order, confirmed, replayed } = await orders.refund(actor, id, {
        amount,
        note,
        belowZero,
        idempotencyKey,
      });
      markReplayed(reply, replayed);
      const refunded = formatMoney(order.refunded, order.currency);
      return { trade_no: order.tradeNo, currency: order.currency, refunded, confirmed };
    },
  }),
  orderRoute('POST /api/payment/:id/refund/outcome', {
    summary: 'Report whether a refund was made',
    description:
      'Ends a refund that the gateway did not confirm; `made: false` returns the quota. `amount` is needed if refunds of different amounts are open. Not for gateways that the server asks again. Needs `payments` too. Admins confirm with their second factor.',
    caller: { may: 'users.quota' },
    body: outcomeBody,
    data: settledOrder,
    errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED', 'CONFLICT'],
    example: { path: { id: 1 }, body: { made: false, note: 'not in the list of the gateway' } },
    handle: async (orders, { actor, id, body: { amount, made: isMade, note } }) => {
      const order = await orders.settleRefund(actor, id, { amount, isMade, note });
      const refunded = formatMoney(order.refunded, order.currency);
      return { trade_no: order.tradeNo, currency: order.currency, refunded };
    },
  }),
];

const failures: Readonly<Record<Exclude<CallbackResult, 'accepted'>, string>> = {
  refused: 'The payment does not match its order',
  forged: 'The signature is not valid',
  failed: 'Not processed: send it again',
};

/** The statuses of a provider's callback that are not 200. */
const otherReplies = (provider: PaymentProvider): Record<number, string> =>
  Object.fromEntries(
    Object.entries(failures)
      .map(([result, reason]) => [provider.replyTo(result as CallbackResult).status, reason] as const)
      .filter(([status]) => status !== 200),
  );

/** The callback of each provider. Older gateways send it by `GET`. */
export const callbackRoutes = paymentProviders.flatMap((provider) =>
  (['GET', 'POST'] as const).map((method) =>
    routesFor<PaymentCallbacks>()(`${method} /api/user/${provider.name}/notify`, {
      summary: "The payment gateway's message about an order",
      description:
        method === 'POST' && Object.keys(provider.callbackParameters).length > 0
          ? 'The fields come as a form.'
          : undefined,
      caller: 'open',
      bodyLimit: provider.maxCallbackBytes,
      withoutHead: true,
      query: Object.fromEntries(
        Object.entries(provider.callbackParameters).map(([name, meaning]) => [name, parameter.words(meaning)]),
      ),
      media: 'text/plain',
      also: otherReplies(provider),
      example: {},
      handle: async (callbacks, { request: { headers, body }, rawQuery: query }) => {
        const { text, status } = await callbacks.take(provider, {
          headers,
          query,
          body: typeof body === 'string' ? body : '',
        });
        return new RestAnswer(text, status);
      },
    }),
  ),
);

/** Signatures may cover the bytes of a body, so each provider parses its own. */
export const paymentCallbacks =
  (callbacks: PaymentCallbacks, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
      done(null, body);
    });
    await app.register(restRoutes(callbackRoutes, callbacks, rest));
  };
