import { renderHook } from '@testing-library/react';
import { useLastAnswer } from './useLastAnswer.js';

interface Props {
  readonly data?: string;
  readonly error?: Error;
  readonly question: string;
}
const failure = new Error('Internal server error');
const open = (first: Props) =>
  renderHook(({ data, error, question }: Props) => useLastAnswer(data, error, question), { initialProps: first });

it('keeps the last answer while the next one loads, and when it cannot be refreshed', () => {
  const { result, rerender } = open({ question: 'all' });
  expect(result.current).toBeUndefined();
  rerender({ data: 'rows of all', question: 'all' });
  rerender({ question: 'all', error: failure });
  expect(result.current).toBe('rows of all');
  rerender({ question: 'ada' });
  expect(result.current).toBe('rows of all');
  rerender({ data: 'rows of ada', question: 'ada' });
  expect(result.current).toBe('rows of ada');
});

it('does not show the answer to another question when one fails, nor while that one is asked again', () => {
  const { result, rerender } = open({ data: 'rows of all', question: 'all' });
  rerender({ question: 'ada' });
  rerender({ question: 'ada', error: failure });
  expect(result.current).toBeUndefined();
  rerender({ question: 'ada' });
  expect(result.current).toBeUndefined();
  rerender({ data: 'rows of ada', question: 'ada' });
  expect(result.current).toBe('rows of ada');
});
