import { useInsertionEffect } from 'react';

/**
 * How the style library writes a component's styles, in place of its own module of the same name (`vite.config.ts`). Its
 * own waits for React to put the whole screen into the page, which no browser can interrupt, and then turns hundreds of styles into
 * rules at once: half of the longest task on a phone. Here each is written while its component is rendered, a
 * step that React divides into pieces.
 */
export const useInsertionEffectAlwaysWithSyncFallback = <T>(write: () => T): T => write();

/** Styles of the whole page: few, and they may only change together with the page. */
export const useInsertionEffectWithLayoutFallback = useInsertionEffect;
