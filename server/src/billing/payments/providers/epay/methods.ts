import type { OptionValues } from '../../../../options/option.service.js';
import type { PaymentMethod } from '../../provider.js';

/** The protocol has no field for the currency. */
export const currency = 'CNY';

const icon = (color: string, mark: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="${color}"/>${mark}</svg>`;
const stroke = 'fill="none" stroke="#fff" stroke-width="1.8" stroke-linecap="round"';

/** Ids are the values of the field `type`. Clients of Veloera and of older new-api send the short names. */
const methods = [
  {
    id: 'alipay',
    aliases: ['zfb'],
    names: { en: 'Alipay', zh: '支付宝' },
    icon: icon(
      '#1677ff',
      `<path d="M7 7h10M12 4.5V10M6 10h12M15.5 10c-1 5-4.5 9-9 9M8.5 13c3 1 6.5 3.5 9.5 5" ${stroke}/>`,
    ),
    currency,
  },
  {
    id: 'wxpay',
    aliases: ['wx'],
    names: { en: 'WeChat Pay', zh: '微信支付' },
    icon: icon('#07c160', `<path d="M6.5 12.5l3.5 3.5 7.5-8" ${stroke}/>`),
    currency,
  },
] as const;

export const epayMethodIds: readonly string[] = methods.map(({ id }) => id);

export const epayMethods = ({ Price }: Pick<OptionValues, 'Price'>): PaymentMethod[] =>
  methods.map((method) => ({ ...method, pricePerUsd: Price }));
