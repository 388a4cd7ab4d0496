import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, posix, sep } from 'node:path';
import type { ContentsPart, DocsFolder, Language, Page } from './docs-page.js';
import { belowBasePath } from '../../shared/base-path.js';
import { renderMarkdown, type Section } from './markdown.js';
import { pageHtml } from './page-html.js';

/** A response of the documentation. It is rendered once and kept. */
export interface Served {
  readonly body: Buffer;
  readonly type: string;
  /** The quoted value of `ETag`. */
  readonly tag: string;
  readonly isMissing?: true;
}

/** A section in the search index: address, title of the page, heading, text. */
type IndexEntry = readonly [url: string, title: string, heading: string, text: string];

/** Characters. Longer sections are cut in the search index. */
const longestIndexed = 2000;
const types: Readonly<Record<string, string>> = {
  '.md': 'text/markdown; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.yml': 'text/yaml; charset=utf-8',
  '.png': 'image/png',
};
/** Whether a page is a record for developers. Records have a URL, but search does not list them. */
const isRecord = (name: string): boolean => name.startsWith('adr/');

/**
 * The documentation of this version, from the folder `docs`. English files are in place, Chinese ones below `docs/zh`
 * under the same names. A file is read and rendered when it is first requested, and kept: the folder does not change
 * while a server runs.
 */
export class DocsService implements DocsFolder {
  private readonly files: ReadonlySet<string>;
  private readonly pages = new Map<string, Page>();
  private readonly responses = new Map<string, Served>();
  private contentsRead: readonly ContentsPart[] | undefined;

  /**
   * @param root the folder `docs`
   * @param basePath the path of the site below its host
   */
  constructor(
    private readonly root: string,
    private readonly basePath = '',
  ) {
    this.files = new Set(filesUnder(root));
  }

  /**
   * Returns the response to a path below `/docs`, `guide/prices` or `guide/prices.md`. A missing file gets a page that
   * says so.
   */
  get(path: string): Served {
    const known = this.responses.get(path);
    if (known) return known;
    const made = this.make(path);
    // Responses for missing files are not kept, because the number of such paths is unlimited.
    if (!made.isMissing) this.responses.set(path, made);
    return made;
  }

  /** `/llms.txt`: every page with its address as Markdown and a sentence about it. */
  llms(): Served {
    return this.keep('llms.txt', () => {
      const parts = this.contents.map(({ title, pages }) => {
        const lines = pages.map((name) => {
          const { title: text, url, summary } = this.page(name, 'en');
          return `- [${text}](${this.basePath}${this.twinOf(url)}): ${summary}`;
        });
        return `## ${title.en}\n\n${lines.join('\n')}\n`;
      });
      const home = this.page('README', 'en');
      const text = `# ${home.title}\n\n> ${home.summary}\n\nEach page is also there in Chinese, below ${this.basePath}/docs/zh.\n\n${parts.join('\n')}`;
      return served(text, 'text/plain; charset=utf-8');
    });
  }

  get contents(): readonly ContentsPart[] {
    this.contentsRead ??= JSON.parse(this.read('site/contents.json')) as ContentsPart[];
    return this.contentsRead;
  }

  /** Returns the page in this language, or in English if it is not translated. */
  page(name: string, language: Language): Page {
    const translated = `zh/${name}.md`;
    const file = language === 'zh' && this.files.has(translated) ? translated : `${name}.md`;
    const known = this.pages.get(file);
    if (known) return known;
    const rendered = renderMarkdown(this.read(file), (href) => this.resolve(file, href));
    const [title, summary] = [rendered.sections[0]?.heading.text ?? name, firstParagraph(this.read(file))];
    const own: Language = file === translated ? 'zh' : 'en';
    const page = { name, language: own, file, url: urlOf(file), title, summary, rendered };
    this.pages.set(file, page);
    return page;
  }

  /** Returns every page in a language, or in English if it is not translated. */
  allPages(language: Language): Page[] {
    const names = [...this.files].filter((file) => file.endsWith('.md') && !file.startsWith('zh/'));
    return names.map((file) => this.page(file.slice(0, -'.md'.length), language));
  }

  private make(path: string): Served {
    const search = /^search-(en|zh)\.json$/.exec(path)?.[1] as Language | undefined;
    if (search) return served(JSON.stringify(this.index(search)), types['.json'] ?? '');
    if (this.files.has(path)) return served(readFileSync(join(this.root, path)), types[extname(path)] ?? '');
    const language: Language = path === 'zh' || path.startsWith('zh/') ? 'zh' : 'en';
    const inner = language === 'zh' ? path.slice('zh/'.length) : path;
    const name = [inner, posix.join(inner, 'README')].find((one) => this.files.has(`${one}.md`));
    const page = name === undefined ? null : this.page(name, language);
    const html = belowBasePath(pageHtml({ page, language, docs: this }), this.basePath);
    return page
      ? served(html, 'text/html; charset=utf-8')
      : { ...served(html, 'text/html; charset=utf-8'), isMissing: true };
  }

  private keep(key: string, make: () => Served): Served {
    const known = this.responses.get(key) ?? make();
    this.responses.set(key, known);
    return known;
  }

  private index(language: Language): IndexEntry[] {
    return this.allPages(language)
      .filter(({ name }) => !isRecord(name))
      .flatMap(({ url, title, rendered }) =>
        rendered.sections.map(({ heading, text }: Section): IndexEntry => {
          const address = this.basePath + (heading.depth === 1 ? url : `${url}#${heading.id}`);
          return [address, title, heading.depth === 1 ? '' : heading.text, text.slice(0, longestIndexed)];
        }),
      );
  }

  /** Returns the URL of a link in a file: pages without `.md`; null for a file of the project that is not served. */
  private resolve(file: string, href: string): string | null {
    if (/^(?:https?:|mailto:|#|\/)/.test(href)) return href;
    const [path = '', fragment] = href.split('#');
    const target = posix.normalize(posix.join(dirname(file), path)).replace(/\/$/, '');
    const served = [target, posix.join(target, 'README.md')].find((one) => this.files.has(one));
    if (served === undefined) return null;
    // Links of a Chinese page lead to pages in the Chinese frame, even if these are not translated.
    const isForeign = file.startsWith('zh/') && !served.startsWith('zh/');
    const page = isForeign ? urlOf(`zh/${served}`) : urlOf(served);
    return (served.endsWith('.md') ? page : `/docs/${served}`) + (fragment === undefined ? '' : `#${fragment}`);
  }

  /** Returns the Markdown file of a page's URL. */
  twinOf(url: string): string {
    const path = url.slice('/docs/'.length);
    return `/docs/${[path, posix.join(path, 'README')].find((one) => this.files.has(`${one}.md`)) ?? path}.md`;
  }

  private read(file: string): string {
    return readFileSync(join(this.root, file), 'utf8');
  }
}

const urlOf = (file: string): string =>
  `/docs/${file.slice(0, -'.md'.length)}`.replace(/\/README$/, '').replace(/^\/docs\/$/, '/docs');

/** Returns every file with a known ending, as a path with `/`. */
function filesUnder(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => extname(file) in types);
}

function firstParagraph(source: string): string {
  const block = source.split(/\n{2,}/).find((text) => !/^[#|`>-]/.test(text)) ?? '';
  return block
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function served(body: string | Buffer, type: string): Served {
  const bytes = Buffer.from(body);
  return { body: bytes, type, tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 20)}"` };
}
