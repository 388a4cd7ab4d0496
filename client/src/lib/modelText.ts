import { Marked } from 'marked';
import { cleanHtml } from './richText.js';

/** A model's words are Markdown whose HTML stays text, because models write of HTML. Links open beside the console. */
const markdown = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    link({ href, title, tokens }) {
      const hint = title ? ` title="${escapeHtml(title)}"` : '';
      const words = this.parser.parseInline(tokens);
      return `<a href="${escapeHtml(href)}"${hint} target="_blank" rel="noopener noreferrer">${words}</a>`;
    },
  },
});

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${String(sign.charCodeAt(0))};`);

/** Clean HTML of what a model said. */
export const modelHtml = (text: string): string => cleanHtml(markdown.parse(text, { async: false }), ['target', 'rel']);

export type MarkdownBlock =
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

/** The blocks of a Markdown text in order; code blocks apart, so that they can be copied. */
export const markdownBlocks = (text: string): MarkdownBlock[] =>
  markdown
    .lexer(text)
    .filter(({ type }) => type !== 'space')
    .map((token) =>
      token.type === 'code'
        ? { kind: 'code', language: String(token.lang ?? '').split(/\s/)[0] ?? '', text: String(token.text) }
        : { kind: 'text', text: token.raw },
    );
