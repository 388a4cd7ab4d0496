import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { AppError } from '../../shared/errors.js';
import type { OptionValues } from '../../options/option.service.js';
import type { PaymentTestOutcome } from './payment-test-outcomes.js';
import type { TopUpOrder } from './top-up-order.entity.js';

/** A way to pay at a provider. */
export interface PaymentMethod {
  /** Lower-case letters, digits and `_`. Stored in orders, and unique among the methods of all providers. */
  readonly id: string;
  /** Other names that REST clients send. */
  readonly aliases: readonly string[];
  /** The text that buyers read, by language. */
  readonly names: Readonly<Record<'en' | 'zh', string>>;
  /** An SVG image as text. */
  readonly icon: string;
  /** ISO 4217. Orders by this method are in this currency. */
  readonly currency: string;
  /** Units of the currency for 1 USD of balance. */
  readonly pricePerUsd: number;
  /** The smallest top-up in USD, if it is more than the smallest one of the site. */
  readonly minTopUp?: number;
}

/** The settings, the network and the addresses that a call to a provider needs. */
export interface ProviderContext {
  readonly settings: OptionValues;
  readonly fetch: GuardedFetch['fetch'];
  /** Where the provider reports payments. */
  readonly notifyUrl: string;
  /** Where the provider sends the buyer afterwards. */
  readonly returnUrl: string;
  /** Replaces the address of a provider's API that no setting names. */
  readonly apiAddress?: string | undefined;
}

/** The page of a provider where the buyer pays. */
export interface Checkout {
  /** The buyer's browser posts `fields` to this address, or just opens it when there are none. */
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The provider's number of the order, if it has one before it is paid. It is stored with the order. */
  readonly providerOrderId?: string;
}

/** A payment that a provider reports. Every field must match the order before the order is credited. */
export interface Payment {
  readonly tradeNo: string;
  /** The provider's number of the payment, if it has one. */
  readonly id: string | null;
  /** The account that received it. */
  readonly account: string;
  /** Minor units. Null: not an amount of the currency. */
  readonly money: number | null;
  readonly currency: string;
  /** The provider's number of the order that was paid, if it numbers orders. */
  readonly providerOrderId?: string;
}

/** Money that a provider pays back, or that a buyer's bank takes back. */
export interface ReportedReversal {
  readonly kind: 'refund' | 'dispute';
  /** The provider's number of it. */
  readonly id: string;
  /** The provider's number of the payment. */
  readonly payment: string;
  readonly account: string;
  /** Minor units. Null: not an amount of the currency. */
  readonly money: number | null;
  readonly currency: string;
  /** `undone`: the refund failed, or the dispute was won. This state is final. */
  readonly state: 'pending' | 'done' | 'undone';
  /** The key of a refund that was ordered here. */
  readonly key: string | null;
}

/** The content of an event. */
export type PaymentReport =
  | { readonly kind: 'paid'; readonly payment: Payment }
  /** The order was not paid, and its page is closed. */
  | { readonly kind: 'failed'; readonly tradeNo: string; readonly reason: string }
  | { readonly kind: 'reversal'; readonly reversal: ReportedReversal };

/** A callback as it arrived. Signatures may cover any part of it. */
export interface RawCallback {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Empty for GET. */
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** A callback whose signature is valid. */
export interface ProviderEvent {
  /** Unique among the events of the provider. */
  readonly id: string;
  /** Everything that `read` needs. It is stored. */
  readonly body: string;
}

/**
 * `forged`: not from the provider. `refused`: stored, but it does not match its order. `failed`: not processed, although
 * it may be stored.
 */
export type CallbackResult = 'accepted' | 'refused' | 'forged' | 'failed';

export interface CallbackReply {
  readonly status: number;
  readonly text: string;
}

/** The provider refuses a refund: no money goes back. */
export class RefundRefused extends AppError {
  constructor(reason: string) {
    super('UPSTREAM_INVALID_RESPONSE', `The gateway refuses the refund: ${reason}`);
  }
}

/** Why a saved card was not charged. `declined`: a later charge may succeed. The others need the buyer. */
export type ChargeProblem = 'declined' | 'authentication' | 'removed' | 'refused';

/** The provider does not charge a saved card: no money moves. */
export class ChargeRefused extends AppError {
  constructor(
    readonly problem: ChargeProblem,
    reason: string,
  ) {
    super('UPSTREAM_INVALID_RESPONSE', `The gateway does not charge the card: ${reason}`);
  }
}

/** Charges of a card without its buyer. */
export interface CardCharges {
  /**
   * Prepares the charge of an order. Nothing is charged.
   * @param paidWith the paid order that saved the card
   * @returns the provider's number of the order. It is stored before the charge
   * @throws ChargeRefused
   */
  prepare(order: TopUpOrder, paidWith: TopUpOrder, context: ProviderContext): Promise<string>;
  /**
   * Charges a prepared order: once, however often and from wherever it is called. Null: the payment is in progress.
   * @throws ChargeRefused
   */
  charge(order: TopUpOrder, context: ProviderContext): Promise<Payment | null>;
  /**
   * Finds the payment of an order, without a charge. Null: it is in progress.
   * @throws ChargeRefused if there is none
   */
  find(order: TopUpOrder, context: ProviderContext): Promise<Payment | null>;
}

/** A refund that is ordered. */
export interface RefundOrder {
  /** The idempotency key. Each attempt of one refund has the same key. */
  readonly key: string;
  /** Minor units of the order's currency. */
  readonly money: number;
  /** Whether an earlier attempt may have reached the provider. */
  readonly isRetry: boolean;
}

/** The result of a test of the settings, and the text of the provider's response, if there was one. */
export interface ProviderTest {
  readonly outcome: PaymentTestOutcome;
  readonly reply: string | null;
}

/**
 * A payment gateway. Everything that is particular to one is in its folder in `providers/`.
 * Methods with a context call the provider and throw what `GuardedFetch.fetch` throws.
 */
export interface PaymentProvider {
  /** Stored in orders; its callback is `/api/user/<name>/notify`. */
  readonly name: string;
  readonly methodIds: readonly string[];
  /** All methods of the provider, configured or not: lists name the methods of older orders. */
  methods(settings: OptionValues): readonly PaymentMethod[];
  /** Buyers are offered its methods, and its callback is open. */
  isConfigured(settings: OptionValues): boolean;
  /** Our account there. An order keeps it, and is not paid by a payment to another one. */
  account(settings: OptionValues): string;
  /**
   * The page where an order is paid. May be called again for an order that is not paid.
   * @param amount as the buyer asked for it: USD, or quota if the site shows quota
   */
  start(order: TopUpOrder, amount: number, context: ProviderContext): Promise<Checkout>;
  /** Absent: cards are not saved, and `TopUpOrder.savesCard` is false. */
  readonly cards?: CardCharges;
  /** Addresses to which browsers post the fields of a checkout. The console's page allows plain http to no others. */
  checkoutAddresses(settings: OptionValues): readonly string[];
  /** The longest body of a callback. */
  readonly maxCallbackBytes: number;
  /** Query parameters of the callback, for the description of the API. */
  readonly callbackParameters: Readonly<Record<string, string>>;
  /** Checks the signature of a callback. Null: it is not from the provider. */
  verify(raw: RawCallback, settings: OptionValues): ProviderEvent | null;
  /** Reads a verified event, also long after it came. Null: it concerns no order. */
  read(body: string): PaymentReport | null;
  /** The response to a callback. Some providers repeat a callback that is not accepted. */
  replyTo(result: CallbackResult): CallbackReply;
  /** Asks for the payment of an order. Null: it is not paid. */
  query(order: TopUpOrder, context: ProviderContext): Promise<Payment | null>;
  /** Whether a refund that is sent twice with one key is made once. */
  readonly repeatsRefunds: boolean;
  /**
   * Pays back a part of a paid order, or all of it.
   * @returns the provider's number of the refund; null if it has none
   * @throws RefundRefused with the text of the provider
   */
  refund(order: TopUpOrder, refund: RefundOrder, context: ProviderContext): Promise<string | null>;
  /** Tries the settings without a payment. Called only when it is configured. */
  test(context: ProviderContext): Promise<ProviderTest>;
}
