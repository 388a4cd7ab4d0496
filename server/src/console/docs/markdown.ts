import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../../shared/html.js';

/** A heading of a page. */
export interface Heading {
  /** The level; 1 for the title. */
  readonly depth: number;
  readonly text: string;
  /** The URL fragment of the heading, as code hosts form it: `Rejected.jsonl` becomes `rejectedjsonl`. */
  readonly id: string;
}

/** One part of a page: a heading and the plain text up to the next one. */
export interface Section {
  readonly heading: Heading;
  readonly text: string;
}

export interface RenderedMarkdown {
  readonly html: string;
  /** Each heading with its text; the first is the title. */
  readonly sections: readonly Section[];
}

/** Returns the address that a link or an image leads to; null for a file that is not served, which becomes plain text. */
export type ResolveLink = (href: string) => string | null;

/**
 * Renders one file of the documentation. HTML in the file is shown as text. Tables scroll inside a box of their own, so
 * that a page is never wider than a phone.
 */
export function renderMarkdown(source: string, resolve: ResolveLink): RenderedMarkdown {
  const marked = new Marked({ gfm: true });
  const sections: Array<{ heading: Heading; text: string[] }> = [];
  const idOf = uniqueIds();
  marked.use({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      heading({ tokens, depth }) {
        const text = plainText(tokens);
        const heading = { depth, text, id: idOf(text) };
        sections.push({ heading, text: [] });
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${heading.id}">${inner}</h1>\n`;
        const label = escapeHtml(text);
        return `<h${depth} id="${heading.id}">${inner} <a class="anchor" href="#${heading.id}" aria-label="${label}">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = resolve(href);
        const inner = this.parser.parseInline(tokens);
        if (target === null) return `<span class="file">${inner}</span>`;
        const isForeign = /^https?:/.test(target);
        return `<a href="${escapeHtml(target)}"${isForeign ? ' rel="noreferrer"' : ''}>${inner}</a>`;
      },
      image({ href, text }) {
        const target = resolve(href);
        return target === null ? escapeHtml(text) : `<img src="${escapeHtml(target)}" alt="${escapeHtml(text)}">`;
      },
      code({ text, lang }) {
        const language = /^[\w-]+/.exec(lang ?? '')?.[0] ?? 'text';
        return `<pre tabindex="0"><code class="language-${language}">${escapeHtml(text)}</code></pre>\n`;
      },
    },
  });
  const tokens = marked.lexer(source);
  // Text of the file is escaped, so these tags come from the renderer alone.
  const html = marked
    .parser(tokens)
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  collectText(tokens, sections);
  return {
    html,
    sections: sections.map(({ heading, text }) => ({ heading, text: text.join(' ').replace(/\s+/g, ' ').trim() })),
  };
}

/**
 * Collects text: the text of each block belongs to the heading before it. Sections are in the order of the headings.
 */
function collectText(tokens: readonly Tokens.Generic[], sections: ReadonlyArray<{ text: string[] }>): void {
  let index = -1;
  for (const token of tokens) {
    if (token.type === 'heading') index += 1;
    else sections[index]?.text.push(plainText([token]));
  }
}

/** Returns the text of tokens without marks. Cells and items are separated by a space. */
function plainText(tokens: readonly Tokens.Generic[]): string {
  const parts: string[] = [];
  const visit = (token: Tokens.Generic): void => {
    if (token.type === 'table') {
      const table = token as Tokens.Table;
      for (const cell of [...table.header, ...table.rows.flat()]) parts.push(plainText(cell.tokens), ' ');
    } else if (token.type === 'list') {
      for (const item of (token as Tokens.List).items) parts.push(plainText(item.tokens), ' ');
    } else if (token.tokens && token.tokens.length > 0) {
      for (const one of token.tokens) visit(one);
    } else if (token.type !== 'space') {
      parts.push('text' in token ? String(token['text']) : token.raw);
    }
  };
  for (const token of tokens) visit(token);
  return parts.join('');
}

/** Returns a function that forms ids like code hosts: a repeated heading gets `-1`, `-2` … */
function uniqueIds(): (text: string) => string {
  const counts = new Map<string, number>();
  return (text) => {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}
