import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import * as format from './format.js';
import { useReader } from './reader.js';
import { useStatus } from './status.js';

/** Formats bound to the settings of the site and the reader: amounts in USD, in the local currency, or as quota. */
export function useFormat() {
  const { quotaPerUnit, displayInCurrency, price } = useStatus();
  const { currency } = useReader();
  const { t, i18n } = useTranslation();
  const language = i18n.language;
  return useMemo(() => {
    const isLocal = currency === 'LOCAL';
    const display = { quotaPerUnit, symbol: isLocal ? '¥' : '$', rate: isLocal ? price : 1 } as const;
    const isInCurrency = currency !== null || displayInCurrency;
    const quota = (value: number) => t('units.quota', { amount: format.integer(value) });
    return {
      /** Amounts are shown in the local currency. */
      isLocal,
      /** Amounts are shown in a currency. Otherwise as quota. */
      isInCurrency,
      /** Units of that currency for 1 USD. */
      rate: display.rate,
      /** `¥7.30 for $1`. */
      rateText: t('units.rate', { amount: format.amountIn('¥', price, price < 0.1 ? 6 : 2) }),
      /** `15,199 quota` */
      quota,
      money: (value: number, kind: format.MoneyKind) =>
        isInCurrency ? format.money(value, kind, display) : quota(value),
      /** An amount in USD, such as a cost at a provider. */
      usd: (value: number, digits: number) => format.amountIn(display.symbol, value * display.rate, digits),
      /** A sum of amounts in USD, such as a cost or a margin. */
      total: (usd: number) => format.total(usd, display),
      relative: (value: Date | string | number) => format.relativeTime(value, language),
    };
  }, [quotaPerUnit, displayInCurrency, price, currency, t, language]);
}
