import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isCardName, parsePriceCard } from '../../shared/price-card-input.js';
import { toolQuantities } from '../../shared/price-card.js';
import { pricesByMaker } from './prices.js';

const pattern = z.string().refine((text) => new RegExp(text) instanceof RegExp);
const address = z.string().regex(/^https:\/\/\S+$/);
const note = z.string().optional();
const rules = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .array(z.strictObject({ ...shape, models: pattern, note, source: address.optional() }))
    .min(1)
    .optional();
const schema = z.strictObject({
  channelType: z.int().optional(),
  asOf: z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/),
  source: address.optional(),
  note,
  completion: rules({
    ratio: z.number().positive(),
    locked: z.literal(true).optional(),
    anyCase: z.literal(true).optional(),
  }),
  audio: rules({ ratio: z.number().positive() }),
  tools: rules({ prices: z.partialRecord(z.enum([...toolQuantities, 'request']), z.number().positive()) }),
  ended: z.array(z.string()).min(1).optional(),
  byHand: z
    .array(z.strictObject({ models: z.array(z.string()).min(1), why: z.string().min(1) }))
    .min(1)
    .optional(),
  cards: z
    .array(z.looseObject({ models: z.array(z.string().refine(isCardName)).min(1), note }))
    .min(1)
    .optional(),
});

const file = (maker: string): string => join(import.meta.dirname, maker, 'prices.json');
const makers = readdirSync(import.meta.dirname).filter((maker) => existsSync(file(maker)));

it('reads the prices of every maker that has some', () => {
  expect(Object.keys(pricesByMaker).sort()).toEqual(makers.sort());
});

it.each(makers)('the prices of %s have the right shape, and each card is one that an operator could write', (maker) => {
  const {
    cards = [],
    ended = [],
    byHand = [],
    channelType,
    source,
  } = schema.parse(JSON.parse(readFileSync(file(maker), 'utf8')));
  for (const { models: _models, note: _note, ...card } of cards) expect(parsePriceCard(card)).toEqual(card);
  const names = cards.flatMap(({ models }) => models);
  const named = [...ended, ...byHand.flatMap(({ models }) => models)];
  expect(named.filter((model) => !names.includes(model))).toEqual([]);
  expect([channelType !== undefined, source !== undefined]).toEqual([cards.length > 0, cards.length > 0]);
});

it('names every model once', () => {
  const names = Object.values(pricesByMaker).flatMap(({ cards = [] }) => cards.flatMap(({ models }) => models));
  expect(names).toEqual([...new Set(names)]);
});
