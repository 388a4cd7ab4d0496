import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { limitsByMaker, publishedLimits } from './limits.js';

const tokens = z.int().min(0).max(10_000_000);
const schema = z.strictObject({
  asOf: z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/),
  limits: z
    .array(
      z.strictObject({
        input: tokens,
        output: tokens,
        models: z.array(z.string().regex(/^[\w.-]+$/)).min(1),
        note: z.string().optional(),
      }),
    )
    .min(1),
});

const folder = (maker: string): string => join(import.meta.dirname, maker, 'limits.json');
const makers = readdirSync(import.meta.dirname).filter((maker) => existsSync(folder(maker)));

it('reads the limits of every maker that has some', () => {
  expect(Object.keys(limitsByMaker).sort()).toEqual(makers.sort());
});

it.each(makers)('the limits of %s have the right shape, in order', (maker) => {
  const { limits } = schema.parse(JSON.parse(readFileSync(folder(maker), 'utf8')));
  const order = limits.map(({ input, output }) => input * 1e8 + output);
  expect(order).toEqual([...new Set(order)].sort((left, right) => left - right));
  for (const { models } of limits) expect(models).toEqual([...models].sort());
});

it('names every model once', () => {
  const names = publishedLimits.flatMap(({ models }) => models);
  expect(names).toEqual([...new Set(names)]);
});
