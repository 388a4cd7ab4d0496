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

/** Links of markdown that would run something. */
const activeLink = /(\]\(\s*<?|^\s*\[[^\]\n]+\]:\s*<?)(?:javascript|vbscript|data):/gim;

/**
 * What admins write and every visitor reads: markdown, HTML, or one address. Text without a tag stays as it is written; of
 * HTML only what shows something is left, no scripts, handlers, styles, frames or forms.
 */
export class Cleaner {
  /** The same few texts are asked for again and again. */
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

/** A `>` at the beginning of a line is markdown's mark of a quotation, and alone opens no tag. */
const withQuotes = (html: string): string =>
  html.replace(/^(?:&gt;[ \t]?)+/gm, (marks) => marks.replaceAll('&gt;', '>'));
