import { useEffect, useState } from 'react';
import { useStore } from '../lib/store.js';
import { lazyPart } from './lazyPart.js';
import { messages } from './toast.js';

const load = async () => (await import('./Toasts.js')).Toasts;
const Toasts = lazyPart(load, ({ needed }: { readonly needed: boolean }) => needed);

const firstInputs = ['pointerdown', 'keydown'] as const;

/**
 * The container of toasts. Their code is loaded at the first click or key, before any toast can appear, so that it is
 * available even if the server is not.
 */
export function ToastProvider() {
  const isWaiting = useStore(messages).length > 0;
  const [isUsed, setUsed] = useState(false);
  useEffect(() => {
    const use = (): void => setUsed(true);
    for (const name of firstInputs) addEventListener(name, use, { capture: true, once: true });
    return () => {
      for (const name of firstInputs) removeEventListener(name, use, { capture: true });
    };
  }, []);
  return <Toasts needed={isWaiting || isUsed} />;
}
