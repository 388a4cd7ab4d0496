import { randomBytes } from 'node:crypto';
import type { PaymentTestOutcome } from '../../payment-test-outcomes.js';
import type { ProviderContext, ProviderTest } from '../../provider.js';
import { epayForm } from './form.js';

const timeoutMs = 10_000;
const maxBytes = 256 * 1024;
const maxReply = 200;

/**
 * Sends the form of an order of 0.00, which no gateway takes, once with the right and once with a wrong signature. Gateways
 * check the signature before the amount, so two different replies show that the key is right. The key itself is not sent:
 * users who may change the address must not learn it.
 */
export async function testEpay(context: ProviderContext): Promise<ProviderTest> {
  const { EpayId, EpayKey } = context.settings;
  const form = epayForm(
    {
      merchantId: EpayId,
      paymentMethod: 'alipay',
      tradeNo: `TEST${randomBytes(6).toString('hex')}`,
      notifyUrl: context.notifyUrl,
      returnUrl: context.returnUrl,
      name: 'TEST',
      money: '0.00',
    },
    EpayKey,
  );
  const signed = await send(form, context);
  const forged = await send({ ...form, sign: randomBytes(16).toString('hex') }, context);
  return { outcome: outcomeOf(signed, forged), reply: signed.text.slice(0, maxReply) || null };
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly location: string;
}

async function send(form: Readonly<Record<string, string>>, context: ProviderContext): Promise<Reply> {
  const { status, body, headers } = await context.fetch({
    url: `${context.settings.PayAddress}/submit.php`,
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
