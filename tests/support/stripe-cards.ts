import type { ScriptedAnswer } from './scripted-server.js';

/**
 * The saved cards of a scripted Stripe, and the PaymentIntents that charge them without their owner
 * (docs.stripe.com/payments/save-and-reuse and /api/payment_intents, 2026-11-27). An intent is charged at most once. A declined
 * card leaves its intent, which can be confirmed again with a card.
 */

export interface StripeIntent {
  readonly id: string;
  readonly object: 'payment_intent';
  readonly livemode: boolean;
  readonly amount: number;
  amount_received: number;
  readonly currency: string;
  readonly customer: string | null;
  payment_method: string | null;
  status: string;
  readonly metadata: Record<string, string>;
  last_payment_error: { code: string; message: string; payment_method: { id: string } } | null;
}

type Form = Readonly<Record<string, string>>;

const refuse = (status: number, error: Record<string, unknown>): ScriptedAnswer => ({
  status,
  body: { error: { type: 'invalid_request_error', ...error } },
});

const intentParameters = /^(amount|currency|customer|payment_method|metadata\[\w+\])$/;
const confirmParameters = /^(payment_method|off_session|return_url)$/;

export class StripeCards {
  readonly intents = new Map<string, StripeIntent>();
  /** Decisions of the bank about the next charges; `paid` after them. */
  outcomes: Array<'paid' | 'declined' | 'authentication' | 'processing'> = [];
  /** Cards that were detached from their customer, and customers that were deleted. */
  readonly removed = new Set<string>();
  private readonly customerOf = new Map<string, string>();

  constructor(private readonly id: (prefix: string) => string) {}

  /** Charges that took money. */
  get charges(): StripeIntent[] {
    return [...this.intents.values()].filter(({ status, metadata }) => status === 'succeeded' && 'renewal' in metadata);
  }

  /** The intent of a page that was paid. @param isSaved the page asked to keep the card */
  paidOnPage(id: string, { amount, currency }: Pick<StripeIntent, 'amount' | 'currency'>, isSaved: boolean): void {
    if (this.intents.has(id)) return;
    const [card, customer] = [this.id('pm'), isSaved ? this.id('cus') : null];
    if (customer) this.customerOf.set(card, customer);
    this.add({ id, amount, currency, customer, payment_method: card, metadata: {} }, 'succeeded');
  }

  private add(
    given: Pick<StripeIntent, 'id' | 'amount' | 'currency' | 'customer' | 'payment_method' | 'metadata'>,
    status: string,
  ): StripeIntent {
    const amount_received = status === 'succeeded' ? given.amount : 0;
    const one: StripeIntent = {
      ...given,
      object: 'payment_intent',
      livemode: false,
      amount_received,
      status,
      last_payment_error: null,
    };
    this.intents.set(one.id, one);
    return one;
  }

  read(id: string): ScriptedAnswer {
    const found = this.intents.get(id);
    return found
      ? { body: { ...found } }
      : refuse(404, { code: 'resource_missing', param: 'intent', message: `No such payment_intent: '${id}'` });
  }

  create(form: Form): ScriptedAnswer {
    const extra = Object.keys(form).find((name) => !intentParameters.test(name));
    if (extra) return refuse(400, { code: 'parameter_unknown', message: `Received unknown parameter: ${extra}` });
    const { currency = '', customer = '', payment_method: card = '' } = form;
    const amount = Number(form.amount);
    if (!Number.isInteger(amount) || amount < 50) return refuse(400, { code: 'amount_too_small', param: 'amount' });
    if (this.removed.has(customer)) {
      return refuse(400, { code: 'resource_missing', param: 'customer', message: `No such customer: '${customer}'` });
    }
    const wrong = this.cardProblem(card, customer);
    if (wrong) return wrong;
    const metadata = Object.fromEntries(
      Object.entries(form).flatMap(([name, value]) => {
        const inner = /^metadata\[(\w+)\]$/.exec(name)?.[1];
        return inner === undefined ? [] : [[inner, value]];
      }),
    );
    const created = this.add(
      { id: this.id('pi'), amount, currency, customer, payment_method: card, metadata },
      'requires_confirmation',
    );
    return { body: { ...created } };
  }

  confirm(id: string, form: Form): ScriptedAnswer {
    const one = this.intents.get(id);
    if (!one) return this.read(id);
    const extra = Object.keys(form).find((name) => !confirmParameters.test(name));
    if (extra) return refuse(400, { code: 'parameter_unknown', message: `Received unknown parameter: ${extra}` });
    if (!['requires_confirmation', 'requires_payment_method'].includes(one.status)) {
      return refuse(400, {
        code: 'payment_intent_unexpected_state',
        message: `This PaymentIntent's status is ${one.status}.`,
      });
    }
    const card = form.payment_method ?? one.payment_method ?? '';
    const wrong = this.cardProblem(card, one.customer ?? '');
    if (wrong) return wrong;
    if (form.off_session !== 'true') return refuse(400, { param: 'off_session', message: 'The owner is not there' });
    const outcome = this.outcomes.shift() ?? 'paid';
    if (outcome === 'paid' || outcome === 'processing') {
      one.payment_method = card;
      one.status = outcome === 'paid' ? 'succeeded' : 'processing';
      one.amount_received = outcome === 'paid' ? one.amount : 0;
      return { body: { ...one } };
    }
    const code = outcome === 'declined' ? 'card_declined' : 'authentication_required';
    const message = outcome === 'declined' ? 'Your card was declined.' : 'Your card requires authentication.';
    Object.assign(one, {
      status: 'requires_payment_method',
      payment_method: null,
      last_payment_error: { code, message, payment_method: { id: card } },
    });
    return {
      status: 402,
      body: { error: { type: 'card_error', code, decline_code: code, message, payment_intent: { ...one } } },
    };
  }

  private cardProblem(card: string, customer: string): ScriptedAnswer | null {
    if (!this.removed.has(card) && this.customerOf.get(card) === customer) return null;
    return refuse(400, {
      param: 'payment_method',
      message: 'The provided PaymentMethod was detached from a Customer. It may not be used again.',
    });
  }
}
