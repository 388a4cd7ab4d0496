import DOMPurify from 'dompurify';
import { marked } from 'marked';

/**
 * Sanitizes HTML of admins, such as the footer: no scripts, no forms, and no styles that affect the page outside its
 * element.
 * @param attributes allowed in addition to the usual ones, with any value
 */
export const cleanHtml = (html: string, attributes: string[] = []): string =>
  DOMPurify.sanitize(html, {
    USE_PROFILES: { html: true },
    ADD_ATTR: attributes,
    // These attributes hold no URLs, so the URL check does not apply.
    ADD_URI_SAFE_ATTR: attributes,
    FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'iframe'],
    FORBID_ATTR: ['style', 'id', 'class', 'name'],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/(?!\/)|#)/i,
  });

/** Markdown, which may contain HTML, as sanitized HTML. */
export const richHtml = (text: string): string =>
  cleanHtml(marked.parse(text, { async: false, gfm: true, breaks: true }));
