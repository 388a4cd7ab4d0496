import { LRUCache } from 'lru-cache';
import sanitize from 'sanitize-html';

const rules: sanitize.IOptions = {
  allowedTags: [...sanitize.defaults.allowedTags, 'img', 'del', 'ins', 'details', 'summary', 'center', 'font'],
  allowedAttributes: {
    a: ['href', 'title', 'target', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    font: ['color', 'size'],
    '*': ['align'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  allowProtocolRelative: false,
  transformTags: { a: sanitize.simpleTransform('a', { rel: 'noopener noreferrer' }) },
};

/** Markdown links with an active scheme. */
const activeLink = /(\]\(\s*<?|^\s*\[[^\]\n]+\]:\s*<?)(?:javascript|vbscript|data):/gim;

/**
 * Sanitizes admin texts that every visitor reads: Markdown, HTML or one URL. Text without tags stays unchanged. HTML
 * loses scripts, handlers, styles, frames and forms.
 */
export class Cleaner {
  /** Cached, because the same few texts are requested repeatedly. */
  private readonly known = new LRUCache<string, string>({ max: 8 });

  clean(text: string): string {
    if (text === '') return '';
    const held = this.known.get(text);
    if (held !== undefined) return held;
    const cleaned = clean(text);
    this.known.set(text, cleaned);
    return cleaned;
  }
}

function clean(text: string): string {
  const html = text.includes('<') ? withQuotes(sanitize(text, rules)) : text;
  return html.replace(activeLink, '$1#');
}

/** Restores `>` at the beginning of a line, which is a Markdown quotation. */
const withQuotes = (html: string): string =>
  html.replace(/^(?:&gt;[ \t]?)+/gm, (marks) => marks.replaceAll('&gt;', '>'));
