import { useEffect, useState } from 'react';
import { whenIdle } from './idle.js';

/** Whether the page has what its reader waits for: time for the rest. */
export function useAtRest(): boolean {
  const [atRest, setAtRest] = useState(false);
  useEffect(
    () =>
      whenIdle(() => {
        setAtRest(true);
      }),
    [],
  );
  return atRest;
}
