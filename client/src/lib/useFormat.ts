import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import * as format from './format.js';
import { useReader } from './reader.js';
import { localCurrency } from './site-status.js';
import { useStatus } from './status.js';

/** Formats bound to the settings of the site and the reader: amounts in USD, in the local currency, or as quota. */
export function useFormat() {
  const status = useStatus();
  const { currency } = useReader();
  const { t, i18n } = useTranslation();
  const language = i18n.language;
  return useMemo(() => {
    const { quotaPerUnit, displayInCurrency, quotaDisplayType } = status;
    const local = localCurrency(status);
    const isInCurrency = currency !== null || displayInCurrency;
    const isLocal = currency === null ? displayInCurrency && quotaDisplayType !== 'USD' : currency === 'LOCAL';
    const display = { quotaPerUnit, ...(isLocal ? local : { symbol: '$', rate: 1 }) };
    const quota = (value: number) => t('units.quota', { amount: format.integer(value) });
    return {
      /** Amounts are shown in the local currency. */
      isLocal,
      /** The symbol of that currency, whether amounts are shown in it or not. */
      localSymbol: local.symbol,
      /** Amounts are shown in a currency. Otherwise as quota. */
      isInCurrency,
      /** Units of that currency for 1 USD. */
      rate: display.rate,
      /** `¥7.30 for $1`. */
      rateText: t('units.rate', { amount: format.amountIn(local.symbol, local.rate, local.rate < 0.1 ? 6 : 2) }),
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
  }, [status, currency, t, language]);
}
