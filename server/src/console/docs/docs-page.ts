import type { RenderedMarkdown } from './markdown.js';

export type Language = 'en' | 'zh';

/** The side bar (`docs/site/contents.json`). Page names are paths below `docs` without `.md`. */
export interface ContentsPart {
  readonly title: Readonly<Record<Language, string>>;
  readonly pages: readonly string[];
}

/** One page in one language. */
export interface Page {
  /** The path below `docs` without `.md` and without the language, `guide/prices`; `README` is the folder's page. */
  readonly name: string;
  readonly language: Language;
  /** The path of the file below `docs`. */
  readonly file: string;
  /** The URL, such as `/docs/zh/guide/prices`. */
  readonly url: string;
  readonly title: string;
  /** The first paragraph, as plain text. */
  readonly summary: string;
  readonly rendered: RenderedMarkdown;
}

/** The pages, in the form that a page's frame needs. */
export interface DocsFolder {
  readonly contents: readonly ContentsPart[];
  page(name: string, language: Language): Page;
  /** Returns the URL of a page's Markdown file. */
  twinOf(url: string): string;
}
