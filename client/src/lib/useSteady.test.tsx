import { renderHook } from '@testing-library/react';
import { useSteady } from './useSteady.js';

it('keeps the earlier value while the new one says the same', () => {
  const first = { items: [{ id: 1, name: 'one' }] };
  const { result, rerender } = renderHook(({ value }) => useSteady(value), { initialProps: { value: first } });
  rerender({ value: { items: [{ id: 1, name: 'one' }] } });
  expect(result.current).toBe(first);
  const second = { items: [{ id: 1, name: 'two' }] };
  rerender({ value: second });
  expect(result.current).toBe(second);
  // The value returns to the first one, which is another change.
  rerender({ value: first });
  expect(result.current).toBe(first);
});

it('follows from nothing to something and back', () => {
  const rows = { items: [] };
  const { result, rerender } = renderHook(({ value }) => useSteady<object | undefined>(value), {
    initialProps: { value: undefined as object | undefined },
  });
  expect(result.current).toBeUndefined();
  rerender({ value: rows });
  expect(result.current).toBe(rows);
  rerender({ value: undefined });
  expect(result.current).toBeUndefined();
});
