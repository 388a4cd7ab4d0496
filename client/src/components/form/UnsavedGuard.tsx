import { useCallback, useEffect, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router-dom';
import { useConfirm } from '../ConfirmProvider.js';

/** Returns a function that asks whether unsaved changes are discarded. It resolves true if they are. */
export function useMayDiscard(): () => Promise<boolean> {
  const { t } = useTranslation();
  const confirm = useConfirm();
  return useCallback(
    () =>
      confirm({
        title: t('form.discard'),
        body: t('form.discardBody'),
        verb: t('form.discardVerb'),
        no: t('form.keepEditing'),
        destructive: true,
      }),
    [confirm, t],
  );
}

/**
 * Asks before the page is left or the window is closed. The router asks only the guard that was mounted last. On a page
 * with a guard of its own, mount another one only while there are changes. Elsewhere mount it at once, because it takes
 * effect some renders later.
 */
export function UnsavedGuard({
  isActive = true,
  leaving,
}: {
  readonly isActive?: boolean;
  /**
   * Whether leaving needs no confirmation, because changes were saved or discarded. The guard sets it when changes are
   * discarded here.
   */
  readonly leaving?: RefObject<boolean>;
}) {
  const mayDiscard = useMayDiscard();
  const {
    state: way,
    proceed,
    reset,
  } = useBlocker(useCallback(() => isActive && leaving?.current !== true, [isActive, leaving]));
  useEffect(() => {
    if (way !== 'blocked') return;
    void mayDiscard().then((yes) => {
      if (!yes) {
        reset();
        return;
      }
      if (leaving) leaving.current = true;
      proceed();
    });
  }, [way, mayDiscard, proceed, reset, leaving]);
  useEffect(() => {
    if (!isActive) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isActive]);
  return null;
}
