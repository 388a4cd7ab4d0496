import { languages } from '../../client/src/i18n/languages.js';
import { pdfText } from '../support/pdf-text.js';
import type { StatementDocument } from '../../server/src/billing/statements/index.js';
import { paperHtml } from '../../server/src/console/statements/statement-html.js';
import { toPaper } from '../../server/src/console/statements/statement-paper.js';
import { paperPdf } from '../../server/src/console/statements/statement-pdf.js';
import { paperLanguage, paperTexts } from '../../server/src/console/statements/statement-texts.js';

const line = {
  tokenId: 3,
  tokenName: 'Schlüssel',
  modelName: 'gpt-4o',
  calls: 1234,
  promptTokens: 10,
  completionTokens: 5,
};
const statement: StatementDocument = {
  id: 1,
  number: '2026-000042',
  accountId: 7,
  month: '2026-10',
  closedAt: new Date('2026-10-31T21:00:00Z'),
  opening: 500_000,
  credits: 1_000_000,
  usage: 250_001,
  closing: 1_249_999,
  reserved: 0,
  content: {
    startsAt: '2026-09-30T15:00:00.000Z',
    endsAt: '2026-10-31T15:00:00.000Z',
    timeZone: 'Asia/Tokyo',
    seller: {
      name: '深圳市示例科技有限公司',
      address: '廣東省',
      taxNumber: '91440300',
      note: 'Спасибо. Cảm ơn quý khách.',
    },
    buyer: { username: '<b>ada</b>', name: '株式会社 例', address: '東京都 辻町', taxNumber: 'T123' },
    quotaPerUnit: 500_000,
    inCurrency: true,
    credits: [{ kind: 'top_up', count: 1, amount: 1_000_000 }],
    payments: [{ kind: 'top_up', at: '2026-10-02T00:00:00.000Z', amount: 1_000_000, reference: 'USR7NO1' }],
    usage: [
      { ...line, quota: 250_000 },
      { ...line, tokenId: 0, tokenName: '', quota: 1 },
    ],
  },
};

it('has every text in every language of the console', () => {
  expect(Object.keys(paperTexts).sort()).toEqual([...languages].sort());
  for (const texts of Object.values(paperTexts)) {
    expect(Object.values(texts).every(Boolean)).toBe(true);
    expect(Object.keys(texts.kinds)).toEqual(Object.keys(paperTexts.en.kinds));
    expect(Object.values(texts.kinds).every(Boolean)).toBe(true);
  }
  expect([paperLanguage('vi'), paperLanguage('toString'), paperLanguage(undefined)]).toEqual(['vi', 'en', 'en']);
});

it('shows the month as it is in the zone, and amounts to the last unit', () => {
  const { facts, sums, tables, mark } = toPaper(statement, 'en');
  expect(mark).toBeNull();
  expect(facts).toEqual([
    ['Number', '2026-000042'],
    ['Period', '2026-10-01 – 2026-10-31 (Asia/Tokyo)'],
    ['Closed', '2026-11-01 06:00'],
    ['Account', '<b>ada</b>'],
  ]);
  expect(sums.map(([, amount]) => amount)).toEqual(['$1.00', '$2.00', '-$0.500002', '$2.499998']);
  expect(tables[2]?.rows).toEqual([
    ['Schlüssel', 'gpt-4o', '1,234', '10', '5', '-$0.50'],
    ['Without a key', 'gpt-4o', '1,234', '10', '5', '-$0.000002'],
  ]);
  const quota = toPaper({ ...statement, content: { ...statement.content, inCurrency: false } }, 'en');
  expect(quota.sums.map(([, amount]) => amount)).toEqual(['500,000', '1,000,000', '-250,001', '1,249,999']);
  expect(toPaper({ ...statement, id: null, number: null, closedAt: null }, 'fr').mark).toContain('Aperçu');
});

it('escapes every text on the print page, which loads nothing', () => {
  const html = paperHtml(toPaper(statement, 'ja'));
  expect(html).toContain('株式会社 例');
  expect(html).toContain('&#60;b&#62;ada&#60;/b&#62;');
  expect(html).not.toContain('<b>');
  expect(html).toContain('<html lang="ja">');
});

it.each(languages)('writes a PDF file in %s whose text can be read and copied', async (language) => {
  const paper = toPaper(statement, language);
  const file = await paperPdf(paper);
  expect(file.subarray(0, 5).toString()).toBe('%PDF-');
  const compact = (value: string): string => value.replaceAll(/\s/g, '');
  const text = compact(pdfText(file));
  expect(text).not.toContain('\ufffd');
  const wanted = [
    ...[
      paper.title,
      paper.note,
      ...paper.facts.flat(),
      ...paper.sums.flat(),
      ...paper.parties.flatMap(({ lines }) => lines),
    ],
    ...paper.tables.flatMap(({ title, columns, rows }) => [title, ...columns.map(({ head }) => head), ...rows.flat()]),
  ];
  expect(wanted.filter((one) => !text.includes(compact(one)))).toEqual([]);
  // Only the characters that are used are embedded.
  expect(file.length).toBeLessThan(200_000);
});

it('sums the lines of usage that a PDF file has no room for, and goes on over pages', async () => {
  const usage = Array.from({ length: 500 }, (_, index) => ({ ...line, modelName: `model-${index}`, quota: 500 }));
  const paper = toPaper({ ...statement, content: { ...statement.content, usage } }, 'en', 300);
  expect(paper.tables[2]?.rows).toHaveLength(301);
  expect(paper.tables[2]?.rows.at(-1)).toEqual([
    ...['Further lines (see the CSV file)', '', '246,800', '2,000', '1,000', '-$0.20'],
  ]);
  const text = pdfText(await paperPdf(paper));
  expect(text).toContain('model-299');
  expect(text).not.toContain('model-300');
});
