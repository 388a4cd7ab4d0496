import { useEffect, useState, type ComponentType } from 'react';
import { whenIdle } from '../lib/idle.js';

/** A part of the page in a chunk of its own, shown as soon as it is there. */
export interface LaterPart<P extends object> {
  readonly Part: ComponentType<P>;
  /** Fetches it ahead: the pointer is near, or it will be needed soon. */
  preload(): Promise<void>;
}

/**
 * For what most visits never open: menus, questions, toasts. A chunk that cannot be fetched shows nothing and is asked
 * for again the next time, where `lazy` would remember the failure and bring the whole page down.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): LaterPart<P> {
  let known: ComponentType<P> | undefined;
  const preload = async (): Promise<void> => {
    try {
      known ??= await load();
    } catch {
      // Shown as nothing; the next opening tries again.
    }
  };

  function Part(props: P) {
    const [arrived, setArrived] = useState(known !== undefined);
    // After every rendering: what could not be fetched is asked for again when the part gets new work.
    useEffect(() => {
      if (arrived) return undefined;
      let mounted = true;
      void preload().then(() => {
        if (mounted) setArrived(known !== undefined);
      });
      return () => {
        mounted = false;
      };
    });
    const Known = known;
    return Known ? <Known {...props} /> : null;
  }

  return { Part, preload };
}

/** Fetches parts ahead, one after the other, once the page has come to rest. Hand the same parts in every rendering. */
export function usePreloaded(...parts: readonly Pick<LaterPart<never>, 'preload'>[]): void {
  const [wanted] = useState(parts);
  useEffect(() => preloadInTurn(wanted), [wanted]);
}

/** @returns stops it */
export function preloadInTurn([first, ...rest]: readonly Pick<LaterPart<never>, 'preload'>[]): () => void {
  if (!first) return () => undefined;
  let stopped = false;
  let stop = whenIdle(async () => {
    await first.preload();
    if (!stopped) stop = preloadInTurn(rest);
  });
  return () => {
    stopped = true;
    stop();
  };
}
