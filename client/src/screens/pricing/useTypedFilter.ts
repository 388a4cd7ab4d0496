import { useEffect, useRef, useState } from 'react';
import { useThrottled } from '../../lib/useThrottled.js';

const pauseMilliseconds = 300;

/**
 * A filter that applies with every keystroke and is written to the URL with a delay. A change of the URL from elsewhere (Back,
 * a link) updates the filter; the echo of an own change does not, or keystrokes in between would be lost.
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
