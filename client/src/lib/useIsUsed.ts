import { useEffect, useState } from 'react';

const firstInputs = ['pointerdown', 'keydown'] as const;

/** Whether the user has clicked or pressed a key on this page. */
export function useIsUsed(): boolean {
  const [isUsed, setUsed] = useState(false);
  useEffect(() => {
    const use = (): void => setUsed(true);
    for (const name of firstInputs) addEventListener(name, use, { capture: true, once: true });
    return () => {
      for (const name of firstInputs) removeEventListener(name, use, { capture: true });
    };
  }, []);
  return isUsed;
}
