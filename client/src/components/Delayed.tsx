import { useEffect, useState, type ReactNode } from 'react';

/**
 * Renders its children after 150 ms, so that fast responses show no skeleton. The hidden element announces from the
 * start that content is loading: React shows a component up to 300 ms after its code has arrived.
 */
export function Delayed({ children }: { readonly children: ReactNode }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <span hidden aria-busy />
      {late && children}
    </>
  );
}
