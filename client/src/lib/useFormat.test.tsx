import { renderHook } from '@testing-library/react';
import { loadAllTexts, startI18n } from '../i18n/i18n.js';
import { signInAs } from '../testing/signInAs.js';
import { reader } from './reader.js';
import { siteStatus } from './status.js';
import { useFormat } from './useFormat.js';

const before = siteStatus.get();
beforeAll(async () => {
  await startI18n();
  await loadAllTexts();
});
beforeEach(() => signInAs());
afterEach(() => {
  siteStatus.set(before);
  reader.set({ currency: null, timeZone: null });
});

function shown(): ReturnType<typeof useFormat> {
  const { result, unmount } = renderHook(() => useFormat());
  unmount();
  return result.current;
}

const custom = { customCurrencySymbol: '₽', customCurrencyExchangeRate: 90 };

it.each([
  ['USD', null, '$2.00', '¥7.30'],
  ['USD', 'LOCAL', '¥14.60', '¥7.30'],
  ['CNY', null, '¥14.00', '¥7.00'],
  ['CNY', 'USD', '$2.00', '¥7.00'],
  ['CNY', 'LOCAL', '¥14.00', '¥7.00'],
  ['CUSTOM', null, '₽180.00', '₽90.00'],
  ['CUSTOM', 'LOCAL', '₽180.00', '₽90.00'],
  ['CUSTOM', 'USD', '$2.00', '₽90.00'],
] as const)('shows 2 USD on a site of %s to a reader who chose %s as %s', (type, currency, amount, one) => {
  siteStatus.set({ ...before, ...custom, quotaDisplayType: type, usdExchangeRate: 7 });
  reader.set({ currency, timeZone: null });
  const format = shown();
  expect(format.money(1_000_000, 'balance')).toBe(amount);
  expect(format.total(2)).toBe(amount);
  expect(format.usd(2, 2)).toBe(amount);
  expect(format.isLocal).toBe(!amount.startsWith('$'));
  expect(format.rate).toBe(amount.startsWith('$') ? 1 : Number(one.slice(1)));
});

it('shows quota on a site that shows no currency, and the local currency to a reader who chose it', () => {
  siteStatus.set({ ...before, displayInCurrency: false, quotaDisplayType: 'TOKENS' });
  expect(shown()).toMatchObject({ isInCurrency: false, isLocal: false });
  expect(shown().money(1_000_000, 'balance')).toBe('1,000,000 quota');
  reader.set({ currency: 'LOCAL', timeZone: null });
  expect(shown().money(1_000_000, 'balance')).toBe('¥14.60');
});
