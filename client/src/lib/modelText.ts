import { Marked } from 'marked';
import { cleanHtml } from './richText.js';

/** Renders a model's text. HTML in it stays text, because models write about HTML. Links open in a new tab. */
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

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Sanitized HTML of a model's text. */
export const modelHtml = (text: string): string => cleanHtml(markdown.parse(text, { async: false }), ['target', 'rel']);

export type MarkdownBlock =
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

/** The blocks of a Markdown text in order. Code blocks are separate, so that they get a Copy button. */
export const markdownBlocks = (text: string): MarkdownBlock[] =>
  markdown
    .lexer(text)
    .filter(({ type }) => type !== 'space')
    .map((token) =>
      token.type === 'code'
        ? { kind: 'code', language: String(token.lang ?? '').split(/\s/)[0] ?? '', text: String(token.text) }
        : { kind: 'text', text: token.raw },
    );
