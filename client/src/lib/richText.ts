import DOMPurify from 'dompurify';
import { marked } from 'marked';

/** What admins write may hold HTML; nothing of it runs, sends forms, or reaches out of its place on the page. */
const clean = (html: string): string =>
  DOMPurify.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'iframe'],
    FORBID_ATTR: ['style', 'id', 'class', 'name'],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/(?!\/)|#)/i,
  });

/** Markdown (which may hold HTML) as clean HTML. */
export const richHtml = (text: string): string => clean(marked.parse(text, { async: false, gfm: true, breaks: true }));

/** Bare HTML, as the footer is. */
export const cleanHtml = clean;

/** The address of a page to frame, when the whole text is one; only https can be framed. */
export function frameAddress(text: string): string | null {
  const trimmed = text.trim();
  return /^https:\/\/\S+$/.test(trimmed) ? trimmed : null;
}
