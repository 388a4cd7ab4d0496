import fc from 'fast-check';
import i18next from 'i18next';
import * as format from './format.js';

const display = { quotaPerUnit: 500_000, symbol: '$', rate: 1 } as const;

describe('money', () => {
  it.each([
    [642_155_000, 'balance', '$1,284.31'],
    [0, 'balance', '$0.00'],
    [-1, 'balance', '-$0.000002'],
    [720, 'balance', '$0.0014'],
    [36, 'balance', '$0.000072'],
    [2499, 'balance', '$0.0050'],
    [2500, 'balance', '$0.01'],
    [0.1, 'balance', '$0.00'],
    [-500_000, 'balance', '-$1.00'],
    [13_695, 'charge', '$0.027390'],
    [0, 'charge', '$0.000000'],
    [1_000_000_000, 'charge', '$2,000.000000'],
    [345_000, 'amount', '$0.690000'],
    [500_000, 'amount', '$1.00'],
    [0, 'amount', '$0.00'],
  ] as const)('writes %d quota as %s: %s', (quota, kind, text) => {
    expect(format.money(quota, kind, display)).toBe(text);
  });

  it.each([
    [642_155_000, 'balance', '¥9,247.03'],
    [-500_000, 'balance', '-¥7.20'],
    [13_695, 'charge', '¥0.197208'],
    [34_500, 'amount', '¥0.496800'],
    [500_000, 'amount', '¥7.20'],
  ] as const)('writes %d quota at 7.2 for a dollar as %s: %s', (quota, kind, text) => {
    expect(format.money(quota, kind, { ...display, symbol: '¥', rate: 7.2 })).toBe(text);
  });

  it.each([
    [3, '$3.00'],
    [0.3, '$0.30'],
    [0.0999, '$0.0999'],
    [0.075, '$0.075'],
    [0.125, '$0.125'],
    [1.375, '$1.375'],
    [0.0375, '$0.0375'],
    [0.1 * 3, '$0.30'],
    [2 / 3, '$0.666667'],
    [0, '$0.00'],
  ])('writes a unit price of %d as %s', (price, text) => {
    expect(format.unitPrice(price)).toBe(text);
  });

  it.each([
    [0.002, '$0.002'],
    [0.005, '$0.005'],
    [0.0005, '$0.0005'],
    [0.04, '$0.040'],
    [0.1, '$0.10'],
    [1.25, '$1.25'],
    [0.04 * 3, '$0.12'],
  ])('writes a price per call of %d as %s', (price, text) => {
    expect(format.callPrice(price)).toBe(text);
  });
});

it.each([
  [697, '697'],
  [1216, '1,216'],
  [9999, '9,999'],
  [10_000, '10.0k'],
  [12_200, '12.2k'],
  [999_949, '999.9k'],
  [999_950, '1.00M'],
  [1_920_000, '1.92M'],
  [412_800_000, '412.80M'],
  [999_995_000, '1.00B'],
  [3_400_000_000, '3.40B'],
])('shortens the count %d to %s', (value, text) => {
  expect(format.count(value)).toBe(text);
});

it.each([
  [8192, '8,192'],
  [10_000, '10k'],
  [100_000, '100k'],
  [128_000, '128k'],
  [131_072, '131.1k'],
  [1_000_000, '1M'],
  [1_048_576, '1.05M'],
  [1_100_000, '1.1M'],
])('shows the limit %d of a model as %s', (value, text) => {
  expect(format.limit(value)).toBe(text);
});

it.each([
  [0.0004, '0 ms'],
  [0.0412, '41 ms'],
  [0.4, '400 ms'],
  [0.9996, '1.0 s'],
  [3, '3.0 s'],
  [9.94, '9.9 s'],
  [9.96, '10 s'],
  [21, '21 s'],
  [358, '358 s'],
])('writes a duration of %d s as %s', (seconds, text) => {
  expect(format.duration(seconds)).toBe(text);
});

it.each([
  [640, '640 ms'],
  [999, '999 ms'],
  [1000, '1.00 s'],
  [9240, '9.24 s'],
])('writes a response time of %d ms as %s', (milliseconds, text) => {
  expect(format.responseTime(milliseconds)).toBe(text);
});

describe('times', () => {
  const time = new Date(2025, 10, 20, 4, 5, 8);

  it.each([
    ['seconds', '2025-11-20 04:05:08'],
    ['minutes', '2025-11-20 04:05'],
    ['card', '11-20 04:05'],
    ['day', '2025-11-20'],
  ] as const)('are local, in detail %s: %s', (detail, text) => {
    expect(format.dateTime(time, detail)).toBe(text);
  });

  it.each([
    ['Asia/Shanghai', '2026-03-08 15:30:05'],
    ['America/New_York', '2026-03-08 03:30:05'],
    ['Asia/Kolkata', '2026-03-08 13:00:05'],
  ])('are those of %s: %s', (zone, text) => {
    expect(format.dateTime('2026-03-08T07:30:05Z', 'seconds', zone)).toBe(text);
  });

  it('are a dash when there is none', () => {
    expect(format.dateTime(null)).toBe('–');
    expect(format.dateTime('nonsense')).toBe('–');
  });

  it('are told from now in the language of the reader', () => {
    const now = time.getTime();
    expect(format.relativeTime(now - 5 * 60_000, 'en', now)).toBe('5 minutes ago');
    expect(format.relativeTime(now - 86_400_000, 'zh', now)).toBe('昨天');
  });
});

it('writes ratios as they are stored', () => {
  expect(format.ratio(0.625)).toBe('0.625');
  expect(format.ratio(0.1 + 0.2)).toBe('0.3');
  expect(format.ratio(4)).toBe('4');
});

it('shows of a key what tells it apart, never the key', () => {
  const key = `sk-${'a1B2'.repeat(12)}`;
  expect(format.maskKey(key)).toBe('sk-a1B…a1B2');
  expect(format.maskKey('short')).not.toContain('short');
});

describe('a number is written as Intl would', () => {
  const intl = (value: number, digits: number) =>
    new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
      .format(value)
      .replace(/^-(?=[0.,]+$)/, '');
  const places = [0, 1, 2, 3, 6];

  it('of any size', () => {
    const amounts = fc.oneof(
      fc.double({ noNaN: true }),
      fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
      fc.maxSafeInteger(),
      // The values include halves at every decimal, which binary fractions cannot represent.
      fc.integer({ min: -10_000_000, max: 10_000_000 }).map((number) => number / 2000),
    );
    fc.assert(
      fc.property(amounts, fc.constantFrom(...places), (value, digits) => {
        expect(format.decimal(value, digits)).toBe(intl(value, digits));
      }),
      { numRuns: 5000 },
    );
  });

  it('also next to a half, where a product would round up', () => {
    expect(format.decimal(12652.824999999999, 2)).toBe('12,652.82');
    expect(format.decimal(0.44999999999999996, 1)).toBe('0.4');
    const neighbours = fc.tuple(fc.integer({ min: 0, max: 15 }), fc.double({ noNaN: true, min: 0, max: 1 }));
    fc.assert(
      fc.property(neighbours, fc.constantFrom(...places), fc.integer({ min: -2, max: 2 }), (at, digits, steps) => {
        const [power, share] = at;
        const bits = new DataView(new ArrayBuffer(8));
        bits.setFloat64(0, (Math.floor(10 ** power * share) + 0.5) / 10 ** digits);
        bits.setBigInt64(0, bits.getBigInt64(0) + BigInt(steps));
        const value = bits.getFloat64(0);
        expect(format.decimal(value, digits)).toBe(intl(value, digits));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('in other languages', () => {
  beforeAll(() => i18next.init({ lng: 'en', resources: {} }));
  afterEach(() => i18next.changeLanguage('en'));

  it.each([
    ['en', '1,284.31', '$12.50', '12%', '2025-11-20 14:32', '11-20 14:32', '2025-11', '12.2k', '128k'],
    ['zh', '1,284.31', '$12.50', '12%', '2025-11-20 14:32', '11-20 14:32', '2025-11', '12.2k', '128k'],
    ['ja', '1,284.31', '$12.50', '12%', '2025/11/20 14:32', '11/20 14:32', '2025/11', '12.2k', '128k'],
    ['fr', '1\u202f284,31', '12,50\u00a0$', '12\u00a0%', '20/11/2025 14:32', '20/11 14:32', '11/2025', '12,2k', '128k'],
    ['ru', '1\u00a0284,31', '12,50\u00a0$', '12\u00a0%', '20.11.2025 14:32', '20.11 14:32', '11.2025', '12,2k', '128k'],
    ['vi', '1.284,31', '12,50\u00a0$', '12%', '20/11/2025 14:32', '20/11 14:32', '11/2025', '12,2k', '128k'],
  ])('writes numbers, amounts and dates of %s', async (language, ...texts) => {
    await i18next.changeLanguage(language);
    const time = new Date(Date.UTC(2025, 10, 20, 14, 32, 8));
    expect([
      format.decimal(1284.31, 2),
      format.dollars(12.5, 2),
      format.percent(0.12),
      format.dateTime(time, 'minutes', 'UTC'),
      format.dateTime(time, 'card', 'UTC'),
      format.dateTime(time, 'month', 'UTC'),
      format.count(12_200),
      format.limit(128_000),
    ]).toEqual(texts);
  });

  it.each([
    ['en', '0.0375', '$0.0375', '99.9%', '¥146.00'],
    ['zh', '0.0375', '$0.0375', '99.9%', '¥146.00'],
    ['ja', '0.0375', '$0.0375', '99.9%', '¥146.00'],
    ['fr', '0,0375', '0,0375\u00a0$', '99,9\u00a0%', '146,00\u00a0¥'],
    ['ru', '0,0375', '0,0375\u00a0$', '99,9\u00a0%', '146,00\u00a0¥'],
    ['vi', '0,0375', '0,0375\u00a0$', '99,9%', '146,00\u00a0¥'],
  ])('writes ratios, exact prices, shares and payments of %s', async (language, ...texts) => {
    await i18next.changeLanguage(language);
    expect([
      format.ratio(0.0375),
      format.exactDollars(0.0375),
      format.percent(0.999, 1),
      format.moneyOf(146, 'CNY'),
    ]).toEqual(texts);
    expect(format.exactPercent(0.9)).toBe(texts[2]?.replace(/^99.9/, '90'));
    expect(format.duration(3)).toBe(`${format.decimal(3, 1)} ${language === 'ru' ? 'с' : 's'}`);
    // Fields take the text of a program, whatever the language.
    expect(format.editable(0.0375)).toBe('0.0375');
  });
});
