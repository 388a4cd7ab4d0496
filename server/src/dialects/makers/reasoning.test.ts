import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { efforts } from '../neutral/request.js';
import { reasoningByMaker } from './reasoning.js';

const pattern = z.string().refine((text) => !text.startsWith('^') && new RegExp(text) instanceof RegExp);
const schema = z.strictObject({
  refusesEffort: z.array(pattern).optional(),
  efforts: z
    .array(z.strictObject({ models: pattern, taken: z.array(z.enum(efforts)).min(1) }))
    .min(1)
    .optional(),
  thinksOnlyWhenAsked: z.array(pattern),
});

const file = (maker: string): string => join(import.meta.dirname, maker, 'reasoning.json');
const makers = readdirSync(import.meta.dirname).filter((maker) => existsSync(file(maker)));

it('reads the reasoning of every maker that has some', () => {
  expect(Object.keys(reasoningByMaker).sort()).toEqual(makers.sort());
});

it.each(makers)('the reasoning of %s has the right shape, and efforts in their order', (maker) => {
  const { efforts: rows = [] } = schema.parse(JSON.parse(readFileSync(file(maker), 'utf8')));
  for (const { taken } of rows) expect(taken).toEqual(efforts.filter((effort) => taken.includes(effort)));
});
