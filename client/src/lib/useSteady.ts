import { useState } from 'react';

/** Returns the earlier object while the new one has equal values, to avoid renders. For rows of plain values. */
export function useSteady<T>(value: T): T {
  const [steady, setSteady] = useState(value);
  if (value === steady) return steady;
  if (JSON.stringify(value) === JSON.stringify(steady)) return steady;
  setSteady(value);
  return value;
}
