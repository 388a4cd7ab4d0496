import { escapeHtml } from '../../shared/html.js';
import type { DocsFolder, Language, Page } from './docs-page.js';

const texts = {
  en: {
    docs: 'Documentation',
    search: 'Search',
    menu: 'Menu',
    close: 'Close',
    skip: 'Skip to content',
    onThisPage: 'On this page',
    markdown: 'This page as Markdown',
    console: 'Console',
    previous: 'Previous',
    next: 'Next',
    missing: 'Page not found',
    missingText: 'There is no such page in this version.',
    otherLanguage: '',
    none: 'Nothing found',
    api: 'API reference',
  },
  zh: {
    docs: '文档',
    search: '搜索',
    menu: '目录',
    close: '关闭',
    skip: '跳到正文',
    onThisPage: '本页内容',
    markdown: '本页的 Markdown 文件',
    console: '控制台',
    previous: '上一页',
    next: '下一页',
    missing: '页面不存在',
    missingText: '此版本没有这个页面。',
    otherLanguage: '本页只有英文。',
    none: '没有结果',
    api: 'API 参考（英文）',
  },
} as const satisfies Record<Language, Record<string, string>>;

const codes: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-CN' };
const names: Readonly<Record<Language, string>> = { en: 'English', zh: '中文' };

/**
 * Renders a page.
 * @param page null for the page of a missing file
 */
export function pageHtml(view: {
  readonly page: Page | null;
  /** The reader's language. An untranslated page is English inside a Chinese frame. */
  readonly language: Language;
  readonly docs: DocsFolder;
}): string {
  const { page, language, docs } = view;
  const text = texts[language];
  const title = page?.title ?? text.missing;
  const body = page
    ? page.rendered.html
    : `<h1>${text.missing}</h1><p>${text.missingText}</p><p><a href="${homeOf(language)}">${text.docs}</a></p>`;
  const notice = page && page.language !== language ? `<p class="notice">${text.otherLanguage}</p>` : '';
  return [
    '<!doctype html>',
    `<html lang="${codes[language]}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)} · Tollgate</title>`,
    '<link rel="icon" href="data:,"><link rel="stylesheet" href="/docs/site/docs.css">',
    page ? `<link rel="alternate" type="text/markdown" href="${docs.twinOf(page.url)}">` : '',
    '<script src="/docs/site/docs.js" defer></script></head>',
    `<body id="top"><a class="skip" href="#content">${text.skip}</a>`,
    header(page, language),
    '<div class="columns">',
    sideBar(page, language, docs),
    `<main id="content"${page && page.language !== language ? ` lang="${codes[page.language]}"` : ''}>`,
    `${notice}<article>${body}</article>`,
    page ? pageFooter(page, language, docs) : '',
    '</main>',
    page ? onThisPage(page, text.onThisPage) : '',
    '</div></body></html>',
  ].join('\n');
}

const homeOf = (language: Language): string => (language === 'zh' ? '/docs/zh' : '/docs');

/** Returns the URL of a page for readers of a language. Untranslated pages keep the Chinese frame. */
const addressOf = (page: Page, language: Language): string =>
  language === 'zh' && page.language === 'en' ? page.url.replace(/^\/docs/, '/docs/zh') : page.url;

function header(page: Page | null, language: Language): string {
  const text = texts[language];
  const other: Language = language === 'en' ? 'zh' : 'en';
  const path = page ? page.url.replace(/^\/docs(?:\/zh)?/, '') : '';
  return `<header>
<a class="brand" href="${homeOf(language)}">Tollgate <span>${text.docs}</span></a>
<form class="search" role="search" action="${homeOf(language)}" data-index="/docs/search-${language}.json" data-none="${text.none}">
<input type="search" name="q" autocomplete="off" aria-label="${text.search}" placeholder="${text.search}" aria-controls="results">
<ol id="results" hidden></ol>
</form>
<nav class="links"><a href="${homeOf(other)}${path}" hreflang="${codes[other]}" lang="${codes[other]}">${names[other]}</a>
<a href="/">${text.console}</a>
<a class="menu" href="#menu">${text.menu}</a></nav>
</header>`;
}

function sideBar(page: Page | null, language: Language, docs: DocsFolder): string {
  const text = texts[language];
  const parts = docs.contents.map(({ title, pages }) => {
    const items = pages.map((name) => {
      const one = docs.page(name, language);
      const current = name === page?.name ? ' aria-current="page"' : '';
      const foreign = one.language === language ? '' : ` lang="${codes[one.language]}"`;
      return `<li><a href="${addressOf(one, language)}"${current}${foreign}>${escapeHtml(one.title)}</a></li>`;
    });
    return `<h2>${title[language]}</h2><ul>${items.join('')}</ul>`;
  });
  return `<nav id="menu" class="side" aria-label="${text.docs}"><a class="close" href="#top">${text.close}</a>${parts.join('')}<h2>REST</h2><ul><li><a href="/docs/api">${text.api}</a></li></ul></nav>`;
}

function onThisPage(page: Page, label: string): string {
  const headings = page.rendered.sections.map(({ heading }) => heading).filter(({ depth }) => depth === 2);
  if (headings.length < 2) return '';
  const items = headings.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<nav class="toc" aria-label="${label}"><h2>${label}</h2><ul>${items.join('')}</ul></nav>`;
}

function pageFooter(page: Page, language: Language, docs: DocsFolder): string {
  const text = texts[language];
  const order = docs.contents.flatMap(({ pages }) => pages);
  const place = order.indexOf(page.name);
  const link = (name: string | undefined, rel: 'prev' | 'next', label: string): string => {
    if (name === undefined) return '';
    const one = docs.page(name, language);
    return `<a rel="${rel}" href="${addressOf(one, language)}"><span>${label}</span> ${escapeHtml(one.title)}</a>`;
  };
  const [previous, next] = place < 0 ? [] : [order[place - 1], order[place + 1]];
  return `<footer><nav class="neighbours">${link(previous, 'prev', text.previous)}${link(next, 'next', text.next)}</nav>
<p><a href="${docs.twinOf(page.url)}">${text.markdown}</a></p></footer>`;
}
