import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { builtInCard } from '../../server/src/billing/prices/built-in-prices.js';
import { chargeOfCard, chargeOfUsage } from '../../server/src/billing/prices/card-charge.js';
import { type Count } from '../../server/src/billing/prices/card-lines.js';
import {
  priceOfCall,
  priceOfRatios,
  type Formula,
  type Price,
} from '../../server/src/billing/prices/compiled-price.js';
import { imageFactor, oneCall, transcriptionTokens } from '../../server/src/billing/prices/table-usage.js';
import { noUsage, type Usage } from '../../server/src/shared/usage.js';

const quotaPerUnit = 500_000;
const guides = ['guide/prices.md', 'zh/guide/prices.md'];
const read = (file: string): string => readFileSync(join(import.meta.dirname, '../../docs', file), 'utf8');
/** The rows of the tables with this many columns whose quota is a number. */
const rows = (text: string, columns: number): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter((cells) => cells.length === columns && cells.some((cell) => cell.includes('×')));

/** Computes a formula of the guide. */
function byHand(sum: string): number {
  const expression = sum.replaceAll('×', '*');
  if (!/^[\d\s.+*()/]+$/.test(expression)) throw new Error(`not a sum: ${sum}`);
  return runInNewContext(expression) as number;
}

function ratio(modelRatio: number, completionRatio: number, cacheRatio: number, groupRatio = 1): Price {
  const ratios = { modelRatio, completionRatio, cacheRatio };
  const others = { cacheWriteRatio: 1.25, audioRatio: 20, audioCompletionRatio: 2 };
  return priceOfRatios('m', { ...ratios, ...others }, { groupRatio }, quotaPerUnit);
}

const chargeAs = (formula: Formula, { cards, groupRatio }: Price, usage: Partial<Usage>, times?: number): number =>
  chargeOfUsage(cards[formula], { ...noUsage, ...usage }, groupRatio, quotaPerUnit, times).quota;
const perCall = (usd: number): Price => priceOfCall('m', usd, { groupRatio: 1 });

describe.each(guides)('%s', (file) => {
  const text = read(file);

  it('has sums by ratio that are right by hand and in the pricing code', () => {
    const sums = rows(text, 11);
    expect(sums).toHaveLength(5);
    for (const [model, prompt, cached, output, model_, completion, cache, group, sum, quota, usd] of sums) {
      const price = ratio(Number(model_), Number(completion), Number(cache), Number(group));
      const usage = { promptTokens: Number(prompt), completionTokens: Number(output), cachedTokens: Number(cached) };
      expect([model, chargeAs('text', price, usage)]).toEqual([model, Number(quota)]);
      expect([model, Math.round(byHand(sum!))]).toEqual([model, Number(quota)]);
      expect([model, Number(quota) / quotaPerUnit]).toEqual([model, Number(usd)]);
    }
  });

  it('has sums by list price that are right by hand and in the pricing code', () => {
    const sums = rows(text, 5);
    expect(sums).toHaveLength(5);
    for (const [model, quantities, group, sum, quota] of sums) {
      const counts = quantities!.split(', ').map((one) => one.split(' ')) as unknown as Array<[Count[0], string]>;
      const usage = { counts: counts.map(([name, count]): Count => [name, Number(count)]), when: null };
      const charge = chargeOfCard(builtInCard(model!)!.card, usage, Number(group), quotaPerUnit).quota;
      expect([model, quantities, charge]).toEqual([model, quantities, Number(quota)]);
      expect([model, quantities, Math.round(byHand(sum!) * quotaPerUnit)]).toEqual([model, quantities, Number(quota)]);
    }
  });

  it('has the other sums as the pricing code computes them', () => {
    const messages = {
      promptTokens: 10 + 2000 + 500,
      completionTokens: 100,
      cachedTokens: 2000,
      cacheWriteTokens: 500,
    };
    const sonnet = ratio(1.5, 5, 0.1);
    const written = '(10 + 2000 × 0.1 + 500 × 1.25 + 100 × 5) × 1.5 = 2002.5';
    expect(text.replace(/\s+/g, ' ')).toContain(written);
    expect(byHand(written.split(' = ')[0]!)).toBe(2002.5);
    expect([chargeAs('messages', sonnet, messages), chargeAs('text', sonnet, messages)]).toEqual([2002, 2003]);

    const order = { size: '1024x1792', quality: 'hd', count: 2, upstreamModel: 'dall-e-3' };
    const image = '0.04 × 2 × 1.5 × 2 × 500000 = 120000';
    expect(text).toContain(image);
    expect(byHand(image.split(' = ')[0]!)).toBeCloseTo(120_000, 6);
    expect(chargeAs('images', perCall(0.04), oneCall, imageFactor(order))).toBe(120_000);

    const video = '8 × 0.6 × 500000 = 2400000';
    expect(text).toContain(video);
    expect(byHand(video.split(' = ')[0]!)).toBeCloseTo(2_400_000, 6);
    const { card } = builtInCard('veo-3.1-generate-001')!;
    expect(chargeOfCard(card, { counts: [['second', 8]], when: { resolution: '4k' } }, 1, quotaPerUnit).quota).toBe(
      2_400_000,
    );

    expect(text).toContain('1000 × 15 = 15000');
    const minute = { promptTokens: transcriptionTokens(60), completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0 };
    expect(chargeAs('text', ratio(15, 1, 1), minute)).toBe(15_000);
    expect(chargeAs('task', perCall(0.1), oneCall)).toBe(50_000);
    expect(text).toContain('50000');
  });
});
