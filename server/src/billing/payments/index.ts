export { CreditService } from './credit.service.js';
export { epayForm, type EpayParameters, isSignedBy } from './epay.js';
export {
  methodOf,
  methodSql,
  type OrderFilter,
  type OrderMethod,
  ordersBy,
  type OrderSortField,
  type OrderStatus,
  type OrderSums,
  sortKeysAt,
  statusAt,
  sumsOf,
} from './order-query.js';
export { TopUpOrder } from './top-up-order.entity.js';
export { formatMoney, parseMoney, priceTopUp } from './top-up-price.js';
