import DOMPurify from 'dompurify';
import { marked } from 'marked';

/**
 * Bare HTML, as the footer is. What admins write may hold it; nothing of it runs, sends forms, or reaches out of its
 * place on the page.
 * @param attributes allowed besides the usual ones, whatever they say
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

/** Markdown (which may hold HTML) as clean HTML. */
export const richHtml = (text: string): string =>
  cleanHtml(marked.parse(text, { async: false, gfm: true, breaks: true }));
