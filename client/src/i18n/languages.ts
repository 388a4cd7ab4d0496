/** Languages of the console. Each has a folder here. */
export const languages = ['zh', 'en'] as const;
export type Language = (typeof languages)[number];
