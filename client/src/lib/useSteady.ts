import { useState } from 'react';

/** The earlier value while the new one says the same, so that what was drawn of it stays: for rows of plain values. */
export function useSteady<T>(value: T): T {
  const [steady, setSteady] = useState(value);
  if (value === steady) return steady;
  if (JSON.stringify(value) === JSON.stringify(steady)) return steady;
  setSteady(value);
  return value;
}
