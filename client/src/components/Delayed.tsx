import { useEffect, useState, type ReactNode } from 'react';

/** Shows its children only after 150 ms: what is faster needs no skeleton. */
export function Delayed({ children }: { readonly children: ReactNode }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setLate(true);
    }, 150);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  return late ? children : null;
}
