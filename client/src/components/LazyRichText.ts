import { lazyPart } from './lazyPart.js';

/** `RichText` for pages that usually show none: parsing and sanitising need large libraries. */
export const LazyRichText = lazyPart(async () => (await import('./RichText.js')).RichText);
