import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
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
}

/** The settings, the network and the addresses that a call to a provider needs. */
export interface ProviderContext {
  readonly settings: OptionValues;
  readonly fetch: GuardedFetch['fetch'];
  /** Where the provider reports payments. */
  readonly notifyUrl: string;
  /** Where the provider sends the buyer afterwards. */
  readonly returnUrl: string;
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
}

/** A callback as it arrived. Signatures may cover any part of it. */
export interface RawCallback {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Empty for GET. */
  readonly body: string;
}

/** `refused`: not from the provider. `nothing`: from the provider, but no payment. */
export type CallbackReading =
  { readonly kind: 'refused' | 'nothing' } | { readonly kind: 'paid'; readonly payment: Payment };

export interface CallbackReply {
  readonly status: number;
  readonly text: string;
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
  /** All its methods, configured or not: lists name those of older orders. */
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
  /** Addresses to which browsers post the fields of a checkout. The console's page allows plain http to no others. */
  checkoutAddresses(settings: OptionValues): readonly string[];
  /** Query parameters of the callback, for the description of the API. */
  readonly callbackParameters: Readonly<Record<string, string>>;
  /** Checks the signature of a callback and reads it. */
  readCallback(raw: RawCallback, settings: OptionValues): CallbackReading;
  /** The response to a callback. One that is not accepted is repeated by the provider. */
  replyTo(accepted: boolean): CallbackReply;
  /** Asks for the payment of an order. Null: it is not paid. */
  query(order: TopUpOrder, context: ProviderContext): Promise<Payment | null>;
  /**
   * Pays back a part of a paid order, or all of it.
   * @param money minor units of the order's currency
   * @throws AppError UPSTREAM_INVALID_RESPONSE when the provider refuses, with its text
   */
  refund(order: TopUpOrder, money: number, context: ProviderContext): Promise<void>;
  /** Tries the settings without a payment. Called only when it is configured. */
  test(context: ProviderContext): Promise<ProviderTest>;
}
