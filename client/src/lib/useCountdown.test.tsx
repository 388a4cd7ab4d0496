import { act, renderHook } from '@testing-library/react';
import { useCountdown } from './useCountdown.js';

it('counts thirty seconds down to nothing', () => {
  jest.useFakeTimers();
  const { result } = renderHook(() => useCountdown());
  expect(result.current[0]).toBe(0);
  act(() => {
    result.current[1](30);
  });
  expect(result.current[0]).toBe(30);
  act(() => {
    jest.advanceTimersByTime(10_000);
  });
  expect(result.current[0]).toBe(20);
  act(() => {
    jest.advanceTimersByTime(20_000);
  });
  expect(result.current[0]).toBe(0);
  jest.useRealTimers();
});
