import { defaultOptionValues } from '../../../../options/option-registry.js';
import type { GuardedRequest } from '../../../../platform/outbound/guarded-fetch.js';
import type { ProviderContext } from '../../provider.js';
import type { TopUpOrder } from '../../top-up-order.entity.js';
import { epay } from './epay.js';
import { epaySign } from './form.js';

const settings = {
  ...defaultOptionValues(),
  PayAddress: 'https://pay.example.com',
  EpayId: '1000',
  EpayKey: 'the key',
};
const order = { tradeNo: 'USR1NO1', money: 1460, currency: 'CNY', merchantId: '1000' } as TopUpOrder;

const paid = {
  code: 1,
  msg: 'succ',
  trade_no: '2026112000001',
  out_trade_no: 'USR1NO1',
  pid: 1000,
  type: 'wxpay',
  money: '14.60',
  status: 1,
};

let asked: GuardedRequest[] = [];
beforeEach(() => (asked = []));

/** A gateway that checks merchant, key and order before it responds, as real ones do. */
function gateway(found: object): ProviderContext {
  return {
    settings,
    notifyUrl: 'https://gate.example.com/api/user/epay/notify',
    returnUrl: 'https://gate.example.com/log',
    fetch: (call) => {
      asked.push(call);
      const url = new URL(call.url);
      const fields = new URLSearchParams(call.method === 'POST' ? String(call.body) : url.search);
      const refusal =
        fields.get('pid') !== '1000' || fields.get('key') !== 'the key'
          ? { code: -3, msg: '商户密钥错误' }
          : fields.get('out_trade_no') !== 'USR1NO1' && { code: -1, msg: '订单号不存在' };
      const body = Buffer.from(JSON.stringify(refusal || found));
      return Promise.resolve({ status: 200, body, headers: {}, url: call.url });
    },
  };
}

describe('the id of a callback', () => {
  const idOf = (query: Readonly<Record<string, string>>): string | undefined => {
    const signed = { ...query, sign: epaySign(query, 'the key') };
    return epay.verify({ headers: {}, query: signed, body: '', receivedAt: 0 }, settings)?.id;
  };

  it('differs for two contents that share a signature, and not for what is not signed', () => {
    const [one, two] = [
      { money: '1', name: 'x&type=y' },
      { money: '1', name: 'x', type: 'y' },
    ];
    expect(epaySign(one, 'the key')).toBe(epaySign(two, 'the key'));
    expect(idOf(one)).not.toBe(idOf(two));
    expect(idOf({ ...two, param: '', sign_type: 'md5' })).toBe(idOf(two));
  });
});

describe('a query of an order', () => {
  it('reads the payment as a callback has it', async () => {
    expect(await epay.query(order, gateway(paid))).toEqual({
      tradeNo: 'USR1NO1',
      id: '2026112000001',
      account: '1000',
      money: 1460,
      currency: 'CNY',
    });
    expect(asked[0]).toMatchObject({ policy: 'public-only', followRedirects: false });
  });

  it.each([
    ['not paid', order, { ...paid, status: 0 }],
    ['refunded', order, { ...paid, status: '2' }],
    ['unknown', { ...order, tradeNo: 'USR1NO2' }, paid],
  ])('finds no payment of an order that is %s', async (_, which, response) => {
    expect(await epay.query(which, gateway(response))).toBeNull();
  });

  it('fails for a page that is not of a gateway', async () => {
    for (const text of ['<h1>Not found</h1>', '[]', '{}']) {
      await expect(epay.query(order, { ...gateway(paid), fetch: respondsWith(text) })).rejects.toMatchObject({
        code: 'UPSTREAM_INVALID_RESPONSE',
      });
    }
  });
});

const refundOf = (money: number) => ({ key: 'reversal-1', money, isRetry: false });

describe('a refund', () => {
  it('sends the amount with two decimals and keeps the key out of the address', async () => {
    await epay.refund(order, refundOf(730), gateway({ code: 1, msg: '退款成功' }));
    const [call] = asked;
    expect(call?.url).toBe('https://pay.example.com/api.php?act=refund');
    expect(Object.fromEntries(new URLSearchParams(String(call?.body)))).toEqual({
      pid: '1000',
      key: 'the key',
      out_trade_no: 'USR1NO1',
      money: '7.30',
    });
  });

  it('fails with the reason of the gateway', async () => {
    await expect(epay.refund(order, refundOf(730), gateway({ code: -1, msg: '余额不足' }))).rejects.toMatchObject({
      code: 'UPSTREAM_INVALID_RESPONSE',
      message: 'The gateway refuses the refund: 余额不足',
    });
    await expect(
      epay.refund(order, refundOf(730), { ...gateway({}), fetch: respondsWith('{}') }),
    ).rejects.toMatchObject({
      code: 'UPSTREAM_INVALID_RESPONSE',
    });
  });
});

const respondsWith =
  (text: string): ProviderContext['fetch'] =>
  ({ url }) =>
    Promise.resolve({ status: 200, body: Buffer.from(text), headers: {}, url });
