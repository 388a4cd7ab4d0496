import { randomBytes } from 'node:crypto';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { classify } from '../../platform/outbound/address-class.js';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import { AppError, isAppError } from '../../shared/errors.js';
import { siteAddress } from '../../shared/site-address.js';
import type { OptionValues } from '../../options/option.service.js';
import { epayForm } from '../../billing/payments/index.js';

/** Stable codes of a test, with the sentence that explains each (docs/guide/errors.md#test-of-the-payment-settings). */
export const paymentTestMessages = {
  WORKS: 'The gateway accepts requests of this merchant with this key.',
  CALLBACK_NOT_PUBLIC:
    'The gateway accepts this key, but cannot report payments to a private address. Set ServerAddress or CustomCallbackAddress.',
  NOT_CONFIGURED: 'Set the gateway address, the merchant id and the key first.',
  ADDRESS_REFUSED: 'This server does not call the gateway address: it is private, or has a port that is not allowed.',
  UNREACHABLE: 'The gateway address cannot be reached.',
  TIMED_OUT: 'The gateway did not respond within 10 seconds.',
  TLS_FAILED: 'The certificate of the gateway address is not valid.',
  NOT_A_GATEWAY: 'The address responds, but not as an Epay gateway.',
  WRONG_KEY: 'The gateway refuses the signature: the key is wrong.',
  UNKNOWN_MERCHANT: 'The gateway does not know this merchant id.',
  MERCHANT_DISABLED: 'The gateway has disabled this merchant.',
  UNCLEAR: 'The gateway responds the same with a right and a wrong signature. Make a small payment to check the key.',
} as const;

export type PaymentTestOutcome = keyof typeof paymentTestMessages;

export interface PaymentTest {
  readonly outcome: PaymentTestOutcome;
  /** The text that the gateway sent, without markup; null where none came. */
  readonly reply: string | null;
  /** Where the gateway reports payments. */
  readonly callbackUrl: string;
}

export interface PaymentTestDeps {
  readonly fetch: Pick<GuardedFetch, 'fetch'>;
  readonly options: { readonly values: OptionValues };
  readonly state: Pick<SharedState, 'hit'>;
}

const [testsPerWindow, windowSeconds] = [20, 600];
const timeoutMs = 10_000;
const maxBytes = 256 * 1024;
const maxReply = 200;

/**
 * Checks the settings of the payment gateway without a payment. It sends the form of an order of 0.00, which no gateway
 * takes, once with the right and once with a wrong signature. Gateways check the signature before the amount, so two
 * different replies show that the key is right. The key itself is not sent: users who may change the address must not
 * learn it.
 */
export class PaymentTestService {
  constructor(private readonly deps: PaymentTestDeps) {}

  /** @throws AppError INSUFFICIENT_PRIVILEGES, RATE_LIMITED */
  async test(actor: MaybeActor): Promise<PaymentTest> {
    const { id } = requirePermission(actor, 'payments.settings');
    const { allowed, retryAfterSeconds } = await this.deps.state.hit(`pay-test:${id}`, testsPerWindow, windowSeconds);
    if (!allowed) throw new AppError('RATE_LIMITED', 'Too many tests, try later', { retryAfterSeconds });
    const options = this.deps.options.values;
    const ourAddress = siteAddress(options.ServerAddress);
    const callbackUrl = `${options.CustomCallbackAddress || ourAddress}/api/user/epay/notify`;
    if (options.PayAddress === '' || options.EpayId === '' || options.EpayKey === '') {
      return { outcome: 'NOT_CONFIGURED', reply: null, callbackUrl };
    }
    const form = epayForm(
      {
        merchantId: options.EpayId,
        paymentMethod: 'alipay',
        tradeNo: `TEST${randomBytes(6).toString('hex')}`,
        notifyUrl: callbackUrl,
        returnUrl: `${ourAddress}/log`,
        name: 'TEST',
        money: '0.00',
      },
      options.EpayKey,
    );
    try {
      const signed = await this.send(form);
      const forged = await this.send({ ...form, sign: randomBytes(16).toString('hex') });
      const outcome = outcomeOf(signed, forged);
      return {
        outcome: outcome === 'WORKS' && !isPublic(callbackUrl) ? 'CALLBACK_NOT_PUBLIC' : outcome,
        reply: signed.text.slice(0, maxReply) || null,
        callbackUrl,
      };
    } catch (error) {
      if (!isAppError(error)) throw error;
      return { outcome: failureOf(error), reply: null, callbackUrl };
    }
  }

  private async send(form: Readonly<Record<string, string>>): Promise<Reply> {
    const { status, body, headers } = await this.deps.fetch.fetch({
      url: `${this.deps.options.values.PayAddress}/submit.php`,
      // Buyers' browsers open this address, so it is a public one. Only root may name others.
      policy: 'public-only',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'zh-CN' },
      body: new URLSearchParams(form).toString(),
      followRedirects: false,
      timeoutMs,
      maxBytes,
    });
    const location = headers['location'];
    return { status, text: textOf(body.toString('utf8')), location: typeof location === 'string' ? location : '' };
  }
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly location: string;
}

/** The visible text of a page, in one line. */
const textOf = (html: string): string =>
  html
    .replace(/<(script|style|head)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Numbers of orders and times differ between two equal replies. */
const comparable = ({ status, text, location }: Reply): string =>
  `${status} ${`${text} ${location}`.replace(/[0-9a-f]*\d[0-9a-f]*/gi, '#')}`;

const refusedSignature =
  /(签名|密钥).{0,12}(失败|错误|不正确|无效)|\b(sign|signature|key)\b.{0,20}(fail|error|wrong|invalid|mismatch|incorrect)|(invalid|wrong|bad).{0,12}\b(sign|signature|key)\b/i;
const unknownMerchant = /(商户|pid|merchant).{0,16}(不存在|为空|not exist|not found|unknown|invalid)/i;
const disabledMerchant = /封禁|冻结|停用|禁用|\b(disabled|banned|suspended)\b/i;

function outcomeOf(signed: Reply, forged: Reply): PaymentTestOutcome {
  const { text, status } = signed;
  if (refusedSignature.test(text)) return 'WRONG_KEY';
  if (unknownMerchant.test(text)) return 'UNKNOWN_MERCHANT';
  if (disabledMerchant.test(text)) return 'MERCHANT_DISABLED';
  if (comparable(signed) !== comparable(forged)) return 'WORKS';
  return status >= 400 ? 'NOT_A_GATEWAY' : 'UNCLEAR';
}

const tlsCode = /CERT|TLS|SSL|EPROTO|UNABLE_TO_VERIFY|SELF_SIGNED/;

function failureOf(error: AppError): PaymentTestOutcome {
  if (error.code === 'INVALID_INPUT') return 'ADDRESS_REFUSED';
  if (error.code === 'UPSTREAM_TIMEOUT') return 'TIMED_OUT';
  if (error.code === 'UPSTREAM_INVALID_RESPONSE') return 'NOT_A_GATEWAY';
  const cause = error.cause as { code?: unknown } | undefined;
  return typeof cause?.code === 'string' && tlsCode.test(cause.code) ? 'TLS_FAILED' : 'UNREACHABLE';
}

/** Names count as public, except those of this machine: only the gateway can resolve them as it does. */
function isPublic(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.local')) return false;
  return !/^[\d.]+$|:/.test(host) || classify(host) === 'public';
}
