import { LRUCache } from 'lru-cache';
import type { IOptions } from 'sanitize-html';

/** Markdown links with an active scheme. */
const activeLink = /(\]\(\s*<?|^\s*\[[^\]\n]+\]:\s*<?)(?:javascript|vbscript|data):/gim;

/**
 * Sanitizes admin texts that every visitor reads: Markdown, HTML or one URL. Text without tags stays unchanged. HTML
 * loses scripts, handlers, styles, frames and forms.
 */
export class Cleaner {
  /** Cleaned texts. They are cached, because the same few texts are requested repeatedly. */
  private readonly known = new LRUCache<string, string>({ max: 8 });

  /**
   * Removes active content.
   * @returns the text without anything that could run in a browser
   */
  async clean(text: string): Promise<string> {
    if (text === '') return '';
    const held = this.known.get(text);
    if (held !== undefined) return held;
    const cleaned = await clean(text);
    this.known.set(text, cleaned);
    return cleaned;
  }
}

async function clean(text: string): Promise<string> {
  const html = text.includes('<') ? withQuotes(await sanitize(text)) : text;
  return html.replace(activeLink, '$1#');
}

async function sanitize(html: string): Promise<string> {
  // The library is loaded with the first text that has tags, because most sites have none.
  const { default: library } = await import('sanitize-html');
  const rules: IOptions = {
    allowedTags: [...library.defaults.allowedTags, 'img', 'del', 'ins', 'details', 'summary', 'center', 'font'],
    allowedAttributes: {
      a: ['href', 'title', 'target', 'rel'],
      img: ['src', 'alt', 'title', 'width', 'height'],
      font: ['color', 'size'],
      '*': ['align'],
    },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowedSchemesByTag: { img: ['http', 'https', 'data'] },
    allowProtocolRelative: false,
    transformTags: { a: library.simpleTransform('a', { rel: 'noopener noreferrer' }) },
  };
  return library(html, rules);
}

/** Restores `>` at the beginning of a line, which is a Markdown quotation. */
const withQuotes = (html: string): string =>
  html.replace(/^(?:&gt;[ \t]?)+/gm, (marks) => marks.replaceAll('&gt;', '>'));
