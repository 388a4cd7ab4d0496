import { useCallback, useEffect, useState } from 'react';

/** A countdown in seconds, and the function that starts it. */
export function useCountdown(): readonly [number, (seconds: number) => void] {
  const [end, setEnd] = useState(0);
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (end === 0) return;
    const tick = () => {
      const seconds = Math.max(0, Math.ceil((end - Date.now()) / 1000));
      setLeft(seconds);
      if (seconds === 0) setEnd(0);
    };
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [end]);
  const start = useCallback((seconds: number) => {
    setLeft(seconds);
    setEnd(Date.now() + seconds * 1000);
  }, []);
  return [left, start];
}
