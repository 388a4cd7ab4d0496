import { useEffect, useRef, useState } from 'react';
import { useThrottled } from '../../lib/useThrottled.js';

const pauseMilliseconds = 300;

/**
 * A filter that takes effect with every key, and reaches the address a moment later. What the address says by itself (the
 * way back, a link) is taken over; what it echoes is not, or keys typed meanwhile would be lost.
 */
export function useTypedFilter(
  inAddress: string,
  write: (typed: string) => void,
): readonly [string, (typed: string) => void] {
  const [typed, setTyped] = useState(inAddress);
  const written = useRef(inAddress);
  const writeSoon = useThrottled(() => {
    if (typed === written.current) return;
    written.current = typed;
    write(typed);
  }, pauseMilliseconds);
  useEffect(() => {
    if (inAddress === written.current) return;
    written.current = inAddress;
    setTyped(inAddress);
  }, [inAddress]);
  return [
    typed,
    (next) => {
      setTyped(next);
      writeSoon();
    },
  ];
}
