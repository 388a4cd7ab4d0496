/** Languages of the console. Each has a folder here. */
export const languages = ['zh', 'en', 'ja', 'fr', 'ru', 'vi'] as const;
export type Language = (typeof languages)[number];

/** Returns the language of a tag such as `fr-CA`, English for one that the console does not speak. */
export function languageOf(tag: string): Language {
  const [primary] = tag.toLowerCase().split('-');
  return languages.find((language) => language === primary) ?? 'en';
}
