import { createHmac, randomBytes } from 'node:crypto';
import { StripeCards } from './stripe-cards.js';
import { startScriptedServer, type ScriptedAnswer, type ScriptedCall, type ScriptedServer } from './scripted-server.js';

/**
 * A Stripe that refuses what the real one refuses, as docs.stripe.com describes it (2026-11-27): keys (/keys), form-encoded
 * bodies and errors (/api/errors, /error-codes), idempotency (/api/idempotent_requests), amounts (/currencies), Checkout
 * Sessions, Refunds, signatures of webhooks (/webhooks/signature). Of the parameters it knows those that may be sent here.
 */

export interface StripeSession {
  readonly id: string;
  readonly object: 'checkout.session';
  readonly mode: 'payment';
  readonly livemode: boolean;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'unpaid' | 'paid';
  readonly client_reference_id: string | null;
  amount_total: number;
  currency: string;
  payment_intent: string | null;
  url: string | null;
}

export interface StripeRefund {
  readonly id: string;
  readonly object: 'refund';
  readonly amount: number;
  readonly currency: string;
  readonly payment_intent: string;
  readonly charge: string;
  status: string;
  readonly metadata: Record<string, string>;
}

export interface StripeEvent {
  readonly id: string;
  readonly body: string;
}

type Form = Readonly<Record<string, string>>;
interface Saved {
  readonly path: string;
  readonly form: string;
  readonly answer: ScriptedAnswer;
}

/** Smallest charges (docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). */
const minimum: Readonly<Record<string, number>> = { usd: 50, eur: 50, jpy: 50, gbp: 30, hkd: 400 };
/** Counted in hundredths for compatibility, but without decimals (docs.stripe.com/currencies#special-cases). */
const wholeOnly = new Set(['isk', 'ugx']);

const refuse = (status: number, error: Record<string, string>): ScriptedAnswer => ({
  status,
  body: { error: { type: 'invalid_request_error', ...error } },
});

const sessionParameters =
  /^(mode|client_reference_id|success_url|cancel_url|line_items\[0\]\[(quantity|price_data\]\[(currency|unit_amount|product_data\]\[name))\]|payment_intent_data\[metadata\]\[\w+\]|customer_creation|payment_intent_data\[setup_future_usage\])$/;
const refundParameters = /^(payment_intent|amount|metadata\[\w+\])$/;

export class ScriptedStripe {
  readonly key = `sk_test_${randomBytes(12).toString('hex')}`;
  /** The account has revoked its key. */
  isRevoked = false;
  /** The signing secrets of the endpoint: two after one was rolled. */
  secrets = [`whsec_${randomBytes(16).toString('hex')}`];
  readonly sessions = new Map<string, StripeSession>();
  readonly refunds: StripeRefund[] = [];
  readonly disputed = new Set<string>();
  readonly cards = new StripeCards((prefix) => this.id(prefix));
  /** Pages that keep the card of their payer. */
  private readonly saving = new Set<string>();
  /** Endpoints of webhooks that the account has. */
  endpoints: Array<{ url: string; status: string; enabled_events: string[] }> = [];
  /** The next response to a path is lost on its way, although the request was processed. */
  losesResponseOf: string | null = null;
  /** The next request to a path does not arrive. */
  losesRequestTo: string | null = null;
  /** The next response to a path comes when this resolves. */
  delays: { readonly path: string; readonly until: Promise<void> } | null = null;
  private readonly saved = new Map<string, Saved>();
  private ids = 0;

  private constructor(private readonly server: ScriptedServer) {}

  static async start(): Promise<ScriptedStripe> {
    const server = await startScriptedServer(() => ({}));
    const stripe = new ScriptedStripe(server);
    server.answer = (call) => stripe.answer(call);
    return stripe;
  }

  get url(): string {
    return this.server.url;
  }

  get calls(): readonly ScriptedCall[] {
    return this.server.calls;
  }

  /** The settings of a site that is paid here. */
  get settings(): Record<string, string> {
    return { StripeSecretKey: this.key, StripeSigningSecret: this.secrets[0] ?? '' };
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  sessionOf(tradeNo: string): StripeSession {
    const found = [...this.sessions.values()].find((one) => one.client_reference_id === tradeNo);
    if (!found) throw new Error(`no session of ${tradeNo}`);
    return found;
  }

  /** The buyer finishes the page. A delayed method is unpaid at first. */
  pay(tradeNo: string, status: StripeSession['payment_status'] = 'paid'): StripeSession {
    const session = this.sessionOf(tradeNo);
    session.payment_intent ??= this.id('pi');
    const { amount_total: amount, currency } = session;
    this.cards.paidOnPage(session.payment_intent, { amount, currency }, this.saving.has(session.id));
    return Object.assign(session, { status: 'complete', payment_status: status, url: null });
  }

  event(type: string, object: object, over: Record<string, unknown> = {}): StripeEvent {
    const id = this.id('evt');
    const created = Math.floor(Date.now() / 1000);
    const event = { id, object: 'event', type, livemode: false, created, data: { object }, pending_webhooks: 1 };
    return { id, body: JSON.stringify({ ...event, ...over }, null, 2) };
  }

  completed(session: StripeSession): StripeEvent {
    return this.event('checkout.session.completed', { ...session });
  }

  dispute(payment: string, status: string, over: Record<string, unknown> = {}): object {
    this.disputed.add(payment);
    const session = [...this.sessions.values()].find((one) => one.payment_intent === payment);
    const money = { amount: session?.amount_total, currency: session?.currency };
    return { object: 'dispute', charge: `ch_${payment}`, payment_intent: payment, status, ...money, ...over };
  }

  signature(
    body: string,
    {
      secrets = this.secrets,
      time = Math.floor(Date.now() / 1000),
    }: { secrets?: readonly string[]; time?: number } = {},
  ): string {
    const signs = secrets.map((secret) => createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'));
    return [`t=${time}`, ...signs.map((sign) => `v1=${sign}`), `v0=${'0'.repeat(64)}`].join(',');
  }

  /** Sends an event to a site. @returns the status of the response */
  async send(site: string, { body }: StripeEvent, signature = this.signature(body)): Promise<number> {
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
    const response = await fetch(`${site}/api/user/stripe/notify`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  }

  /** Makes a refund in the dashboard, if no form of the API is given. */
  refund(payment: string, amount: number, metadata: Record<string, string> = {}): StripeRefund {
    const refund: StripeRefund = {
      id: this.id('re'),
      object: 'refund',
      amount,
      currency: this.cards.intents.get(payment)?.currency ?? '',
      payment_intent: payment,
      charge: `ch_${payment}`,
      status: 'succeeded',
      metadata,
    };
    this.refunds.push(refund);
    return refund;
  }

  private id(prefix: string): string {
    return `${prefix}_test_${(this.ids += 1)}${randomBytes(6).toString('hex')}`;
  }

  private async answer(call: ScriptedCall): Promise<ScriptedAnswer> {
    const path = call.url.pathname.replace(/^\/v1\//, '');
    if (this.losesRequestTo === path) {
      this.losesRequestTo = null;
      return { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>502 Bad Gateway</h1>' };
    }
    const answer = this.process(call, path);
    if (this.delays?.path === path) await this.delays.until;
    if (this.losesResponseOf !== path) return answer;
    this.losesResponseOf = null;
    return { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>502 Bad Gateway</h1>' };
  }

  private process({ method, url, headers, body }: ScriptedCall, path: string): ScriptedAnswer {
    if (this.isRevoked || headers.authorization !== `Bearer ${this.key}`) {
      return refuse(401, { message: 'Invalid API Key provided: sk_test_****************' });
    }
    if (!/^\d{4}-\d\d-\d\d(\.[a-z]+)?$/.test(String(headers['stripe-version']))) {
      return refuse(400, { message: 'Invalid Stripe API version' });
    }
    if (method === 'GET') return this.read(path, url);
    if (headers['content-type'] !== 'application/x-www-form-urlencoded') {
      return refuse(400, {
        message: 'Invalid request (check that your POST content type is application/x-www-form-urlencoded).',
      });
    }
    const key = String(headers['idempotency-key'] ?? '');
    if (key.length > 255) return refuse(400, { message: 'Idempotency key is too long' });
    const saved = this.saved.get(key);
    if (saved) {
      if (saved.path === path && saved.form === body) return saved.answer;
      return refuse(400, {
        type: 'idempotency_error',
        message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
      });
    }
    const form = Object.fromEntries(new URLSearchParams(body));
    const answer =
      path === 'checkout/sessions'
        ? this.createSession(form)
        : path === 'refunds'
          ? this.createRefund(form)
          : path === 'payment_intents'
            ? this.cards.create(form)
            : /^payment_intents\/\w+\/confirm$/.test(path)
              ? this.cards.confirm(path.split('/')[1] ?? '', form)
              : unknown(path);
    // Only what began to be executed is saved, not what failed validation.
    if (key !== '' && (answer.status === undefined || answer.status === 402))
      this.saved.set(key, { path, form: body, answer });
    return answer;
  }

  private read(path: string, url: URL): ScriptedAnswer {
    if (path === 'balance') return { body: { object: 'balance', livemode: false, available: [] } };
    if (path === 'webhook_endpoints') return { body: { object: 'list', data: this.endpoints } };
    if (path === 'refunds') {
      const payment = url.searchParams.get('payment_intent');
      return { body: { object: 'list', data: this.refunds.filter((one) => one.payment_intent === payment) } };
    }
    // docs.stripe.com/search, 2026-11-27: without a query, or with a field that cannot be searched, it is a bad request.
    if (path === 'payment_intents/search') {
      const wanted = /^metadata\['trade_no'\]:'(\w+)' AND status:'succeeded'$/.exec(
        url.searchParams.get('query') ?? '',
      );
      if (!wanted) return refuse(400, { message: 'We were unable to parse your search query.' });
      const paid = [...this.sessions.values()].filter(
        (one) => one.client_reference_id === wanted[1] && one.payment_status === 'paid',
      );
      const data = paid.map((one) => ({ id: one.payment_intent, object: 'payment_intent', status: 'succeeded' }));
      return { body: { object: 'search_result', url: '/v1/payment_intents/search', has_more: false, data } };
    }
    if (path === 'checkout/sessions') {
      const payment = url.searchParams.get('payment_intent');
      return {
        body: { object: 'list', data: [...this.sessions.values()].filter((one) => one.payment_intent === payment) },
      };
    }
    if (path.startsWith('payment_intents/')) return this.cards.read(path.slice('payment_intents/'.length));
    const session = this.sessions.get(path.replace(/^checkout\/sessions\//, ''));
    return session ? { body: { ...session } } : refuse(404, { code: 'resource_missing', message: `No such ${path}` });
  }

  private createSession(form: Form): ScriptedAnswer {
    const extra = Object.keys(form).find((name) => !sessionParameters.test(name));
    if (extra) return refuse(400, { code: 'parameter_unknown', message: `Received unknown parameter: ${extra}` });
    const currency = form['line_items[0][price_data][currency]'] ?? '';
    const amount = Number(form['line_items[0][price_data][unit_amount]']);
    for (const name of ['success_url', 'cancel_url']) {
      if (!/^https?:\/\//.test(form[name] ?? ''))
        return refuse(400, { code: 'url_invalid', message: 'Not a valid URL' });
    }
    if (form.mode !== 'payment' || form['line_items[0][quantity]'] !== '1') {
      return refuse(400, { code: 'parameter_missing', message: 'Missing required param' });
    }
    if (!form['line_items[0][price_data][product_data][name]']) {
      return refuse(400, { code: 'parameter_missing', message: 'Missing required param: product_data' });
    }
    if (!/^[a-z]{3}$/.test(currency)) return refuse(400, { message: `Invalid currency: ${currency}` });
    if (!Number.isInteger(amount) || amount < 0) {
      return refuse(400, { code: 'parameter_invalid_integer', message: 'Invalid integer' });
    }
    if (wholeOnly.has(currency) && amount % 100 !== 0) return refuse(400, { message: 'Invalid amount' });
    if (amount < (minimum[currency] ?? 1))
      return refuse(400, { code: 'amount_too_small', message: 'Amount too small' });
    if (amount > 99_999_999) return refuse(400, { code: 'amount_too_large', message: 'Amount too large' });
    const id = this.id('cs');
    const session: StripeSession = {
      id,
      object: 'checkout.session',
      mode: 'payment',
      livemode: false,
      status: 'open',
      payment_status: 'unpaid',
      client_reference_id: form.client_reference_id ?? null,
      amount_total: amount,
      currency,
      payment_intent: null,
      url: `https://checkout.stripe.com/c/pay/${id}`,
    };
    this.sessions.set(id, session);
    if (form['payment_intent_data[setup_future_usage]'] === 'off_session' && form.customer_creation === 'always') {
      this.saving.add(id);
    }
    return { body: { ...session } };
  }

  private createRefund(form: Form): ScriptedAnswer {
    const extra = Object.keys(form).find((name) => !refundParameters.test(name));
    if (extra) return refuse(400, { code: 'parameter_unknown', message: `Received unknown parameter: ${extra}` });
    const payment = form.payment_intent ?? '';
    const paid = this.cards.intents.get(payment);
    if (!paid) return refuse(404, { code: 'resource_missing', message: `No such payment_intent: '${payment}'` });
    if (this.disputed.has(payment)) return refuse(400, { code: 'charge_disputed', message: 'Charge is disputed.' });
    const amount = Number(form.amount);
    const refunded = this.refunds
      .filter((one) => one.payment_intent === payment && !['failed', 'canceled'].includes(one.status))
      .reduce((sum, one) => sum + one.amount, 0);
    const left = paid.amount - refunded;
    if (left === 0)
      return refuse(400, { code: 'charge_already_refunded', message: 'Charge has already been refunded.' });
    if (!Number.isInteger(amount) || amount < 1 || amount > left) {
      return refuse(400, {
        message: `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`,
      });
    }
    const metadata = Object.fromEntries(
      Object.entries(form).flatMap(([name, value]) => {
        const inner = /^metadata\[(\w+)\]$/.exec(name)?.[1];
        return inner === undefined ? [] : [[inner, value]];
      }),
    );
    return { body: { ...this.refund(payment, amount, metadata) } };
  }
}

const unknown = (path: string): ScriptedAnswer =>
  refuse(404, { message: `Unrecognized request URL (POST: /v1/${path}).` });
