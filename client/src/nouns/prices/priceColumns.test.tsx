import { render } from '@testing-library/react';
import type { GridRenderCellParams } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { priceColumns } from './priceColumns.js';
import type { PriceRow } from './priceTables.js';

const columns = priceColumns({
  t: ((key: string) => key) as TFunction,
  builtIn: new Map(),
  losses: new Map(),
  isNarrow: false,
  remove: () => undefined,
});

const textOf = (field: string, row: PriceRow): string => {
  const column = columns.find((one) => one.field === field);
  return render(<>{column?.renderCell?.({ row } as GridRenderCellParams<PriceRow>)}</>).container.textContent;
};

/** Figures of 13 px are at most 8 px wide; 10 px of padding are on both sides. */
const room = (field: string): number => {
  const width = columns.find((one) => one.field === field)?.width ?? 0;
  return Math.floor((width - 20) / 8);
};

it.each([
  [60 / 11, '5.45455×'],
  [1 / 3, '0.333333×'],
  [4, '4×'],
])('shows a completion ratio of %d with six digits, which fit its column', (completion, expected) => {
  const row = { model: 'gpt-4o', price: null, ratio: 0.55, completion, changed: false };
  expect(textOf('completion', row)).toBe(expected);
  expect(expected.replace('.', '').length).toBeLessThanOrEqual(room('completion'));
});

it.each([
  [1.363_636_363_6, '1.36364'],
  [37.5, '37.5'],
])('shows a ratio of %d with six digits, which fit its column', (ratio, expected) => {
  const row = { model: 'gpt-4o', price: null, ratio, completion: 4, changed: false };
  expect(textOf('ratio', row)).toBe(expected);
  expect(expected.replace('.', '').length).toBeLessThanOrEqual(room('ratio'));
});
