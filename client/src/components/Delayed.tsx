import { useEffect, useState, type ReactNode } from 'react';

/** Renders its children after 150 ms, so that fast responses show no skeleton. */
export function Delayed({ children }: { readonly children: ReactNode }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return late ? children : null;
}
