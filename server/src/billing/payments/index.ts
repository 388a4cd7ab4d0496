export { CardRenewals } from './card-renewals.js';
export { creditOrder, type OrderCredit } from './credit-order.js';
export { CreditService } from './credit.service.js';
export { formatMoney, parseMoney } from './money.js';
export { OrderEvent, type OrderEventKind, orderEventKinds } from './order-event.entity.js';
export { recordOrderEvent } from './order-events.js';
export {
  methodOf,
  methodSql,
  type OrderFilter,
  ordersBy,
  type OrderSortField,
  type OrderStatus,
  type OrderSums,
  otherMethod,
  sortKeysAt,
  statusAt,
  sumsOf,
} from './order-query.js';
export { PaymentCallbacks } from './payment-callbacks.js';
export { PaymentProviders, type ProviderMethod } from './payment-providers.js';
export { paymentTestMessages, type PaymentTestOutcome } from './payment-test-outcomes.js';
export {
  type CallbackResult,
  type Checkout,
  type PaymentProvider,
  type ProviderTest,
  RefundRefused,
} from './provider.js';
export { newApiFlagFields, newApiFlags } from './providers/new-api-flags.js';
export { paymentMethodIds, paymentProviders } from './providers/all.js';
export { Refunds } from './refunds.js';
export { Reversals } from './reversals.js';
export { TopUpOrder } from './top-up-order.entity.js';
export { TopUpReversal } from './top-up-reversal.entity.js';
export { pricePlan, priceTopUp, type TopUpPrice } from './top-up-price.js';
