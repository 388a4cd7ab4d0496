import type { OptionValues } from '../../../../options/option.service.js';
import type { PaymentMethod } from '../../provider.js';

const id = 'stripe_checkout';

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="#635bff"/>' +
  '<rect x="5" y="7" width="14" height="10" rx="2" fill="none" stroke="#fff" stroke-width="1.8"/><path d="M5 10.5h14" stroke="#fff" stroke-width="1.8"/></svg>';

export const methodIds: readonly string[] = [id];

/** One method: its page offers those that the operator turned on at Stripe and that suit the buyer. */
export const stripeMethods = ({
  StripeCurrency,
  StripePrice,
  StripeMinTopUp,
}: Pick<OptionValues, 'StripeCurrency' | 'StripePrice' | 'StripeMinTopUp'>): PaymentMethod[] => [
  {
    id,
    aliases: [],
    names: { en: 'Card and more (Stripe)', zh: '银行卡等（Stripe）' },
    icon,
    currency: StripeCurrency,
    pricePerUsd: StripePrice,
    minTopUp: StripeMinTopUp,
  },
];
