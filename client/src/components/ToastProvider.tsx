import { useIsUsed } from '../lib/useIsUsed.js';
import { useStore } from '../lib/store.js';
import { lazyPart } from './lazyPart.js';
import { messages } from './toast.js';

const load = async () => (await import('./Toasts.js')).Toasts;
const Toasts = lazyPart(load, ({ needed }: { readonly needed: boolean }) => needed);

/**
 * The container of toasts. Their code is loaded at the first click or key, before any toast can appear, so that it is
 * available even if the server is not.
 */
export function ToastProvider() {
  const isWaiting = useStore(messages).length > 0;
  const isUsed = useIsUsed();
  return <Toasts needed={isWaiting || isUsed} />;
}
