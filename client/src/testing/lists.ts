import { screen, waitFor, within } from '@testing-library/react';
import type { DocumentNode } from 'graphql';

/** The words at the top of the grid's columns, in order; boxes and actions have none. */
export async function headers(): Promise<readonly string[]> {
  await screen.findByRole('grid');
  return [...document.querySelectorAll('[role=columnheader] .MuiDataGrid-columnHeaderTitle')]
    .map((title) => title.textContent)
    .filter((title) => title !== '');
}

/** The row of the grid with this text in it. */
export async function rowOf(text: string | RegExp) {
  // A filter may have the text, too.
  return waitFor(() => {
    const cell = screen.getAllByText(text).find((found) => found.closest('[role=row]'));
    const row = cell?.closest<HTMLElement>('[role=row]');
    if (!row) throw new Error(`no row with ${String(text)}`);
    return within(row);
  });
}

/** The tone of the chip with this word; `outline` is grey text without a tint. */
export function toneOf(word: HTMLElement): string {
  const chip = word.closest<HTMLElement>('span.num');
  if (!chip) throw new Error(`no chip around ${word.textContent}`);
  const tones = [...chip.classList].filter((name) => name.startsWith('tone-') && name !== 'tone-explained');
  return tones.length === 1 ? (tones[0] ?? '').slice('tone-'.length) : `not a tone: ${chip.className}`;
}

/** A mock with one result for all variables, up to 99 times. */
export const answers = (query: DocumentNode | object, data: object) => ({
  request: { query, variables: () => true },
  result: { data },
  maxUsageCount: 99,
});

/** A query that fails once, as the server words it, and answers from then on. */
export const failsOnce = (query: DocumentNode | object, message: string, data: object) => [
  {
    request: { query, variables: () => true },
    result: { errors: [{ message, extensions: { code: 'UPSTREAM' } }] },
  },
  answers(query, data),
];
