import { z } from 'zod';
import { AppError } from '../../../../shared/errors.js';
import { parseJson } from '../../../../shared/json.js';
import type { ProviderContext } from '../../provider.js';

/**
 * The API of Stripe over plain HTTPS: four calls and a signature are less to keep than the SDK, which brings an HTTP
 * client of its own past the guard of outgoing calls.
 */
const publicAddress = 'https://api.stripe.com';
/** The version whose objects this folder reads. */
const version = '2025-09-30.clover';
const timeoutMs = 20_000;
const maxBytes = 1024 * 1024;

const failure = z.object({
  error: z.object({
    type: z.string(),
    code: z.string().optional(),
    param: z.string().optional(),
    message: z.string().optional(),
  }),
});

/** Stripe understood a request and does not do it. */
export class StripeRefusal extends AppError {
  constructor(
    readonly status: number,
    /** Stripe's code of the error, such as `amount_too_small` or `resource_missing`. */
    readonly reason: string,
    readonly text: string,
    /** The kind of the error, such as `card_error`. */
    readonly errorType: string,
    /** The field that it is about, or empty. */
    readonly parameter: string,
  ) {
    super('UPSTREAM_INVALID_RESPONSE', `The payment gateway refuses: ${reason}`);
  }
}

/** Fields of a form. A name such as `metadata[trade_no]` is a path. */
export type StripeForm = Readonly<Record<string, string>>;

export const getStripe = <T extends z.ZodType>(context: ProviderContext, path: string, form: T) =>
  call(context, { path }, form);

/** @param key makes a repeated request return the response of the first one, for at least 24 hours */
export const postStripe = <T extends z.ZodType>(
  context: ProviderContext,
  path: string,
  { key, fields }: { readonly key: string; readonly fields: StripeForm },
  form: T,
) => call(context, { path, key, fields }, form);

/**
 * @throws StripeRefusal; AppError UPSTREAM_UNREACHABLE while Stripe cannot tell, UPSTREAM_INVALID_RESPONSE for a response
 * that is not of Stripe
 */
async function call<T extends z.ZodType>(
  context: ProviderContext,
  request: { readonly path: string; readonly key?: string; readonly fields?: StripeForm },
  form: T,
): Promise<z.output<T>> {
  const { path, key, fields } = request;
  const { status, body } = await context.fetch({
    url: `${context.apiAddress ?? publicAddress}/v1/${path}`,
    policy: 'public-only',
    followRedirects: false,
    timeoutMs,
    maxBytes,
    method: fields ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${context.settings.StripeSecretKey}`,
      'stripe-version': version,
      ...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(fields && { body: new URLSearchParams(fields).toString() }),
  });
  const content = parseJson(body.toString('utf8'));
  const refusal = failure.safeParse(content);
  // 409: another request with this key is in progress. 429: too many requests. Neither decides about the request.
  if (status >= 500 || status === 409 || status === 429) {
    throw new AppError('UPSTREAM_UNREACHABLE', 'The payment gateway is not available');
  }
  if (refusal.success) {
    const { type, code, param = '', message } = refusal.data.error;
    throw new StripeRefusal(status, code ?? type, message ?? code ?? type, type, param);
  }
  const result = form.safeParse(content);
  if (status !== 200 || !result.success) {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The payment gateway does not respond as expected');
  }
  return result.data;
}
