import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import { defaultOptionValues } from '../../options/option-registry.js';
import { PaymentProviders } from './payment-providers.js';
import { PaymentSweep } from './payment-sweep.jobs.js';
import { stripe } from './providers/stripe/stripe.js';
import type { TopUpOrder } from './top-up-order.entity.js';

let gateway: Server;
const fetcher = new GuardedFetch(new OutboundGuard(['127.0.0.1']));
afterAll(async () => {
  await fetcher.close();
  gateway.closeAllConnections();
  gateway.close();
});

it('stops within a second while a gateway does not respond', async () => {
  const asked = new Promise<void>((resolve) => {
    gateway = createServer(() => resolve());
  });
  await new Promise<void>((resolve) => void gateway.listen(0, '127.0.0.1', resolve));
  const values = { ...defaultOptionValues(), StripeSecretKey: 'sk_test_x', StripeSigningSecret: 'whsec_x' };
  const apiAddress = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const order = { id: 1, provider: 'stripe', tradeNo: 'USR1NO1', providerOrderId: 'cs_1' } as TopUpOrder;
  const sweep = new PaymentSweep({
    database: {
      query: (sql: string) =>
        Promise.resolve(sql.startsWith('UPDATE top_up_orders') ? [[{ id: 1 }, { id: 2 }], 2] : []),
      manager: { findOneBy: () => Promise.resolve(order) },
    } as never,
    callbacks: { resume: () => Promise.resolve(), takeQueried: () => Promise.reject(new Error('not paid')) },
    refunds: { retry: () => Promise.resolve() },
    providers: new PaymentProviders({ list: [stripe], options: { values }, fetch: fetcher, apiAddress }),
    state: { lease: () => Promise.resolve(true) },
    nodeId: 'one',
    clock: { now: () => Date.now() },
    logger: { warn: () => undefined },
    intervalMilliseconds: 60_000,
  });
  sweep.start();
  await asked;
  const begun = Date.now();
  await sweep.stop();
  expect(Date.now() - begun).toBeLessThan(1000);
});
