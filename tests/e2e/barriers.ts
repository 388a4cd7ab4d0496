import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Elements of GraphiQL without a setting: the rule, the elements, and why it stays. */
const ofGraphiql = [
  // A tab holds its button, which has the keyboard's focus.
  { rule: 'nested-interactive', elements: '.graphiql-tab' },
  // The text field that is focused lies beside what scrolls, and its cursor scrolls it.
  { rule: 'scrollable-region-focusable', elements: '.graphiql-container .CodeMirror-scroll' },
] as const;

/**
 * The serious and critical violations on the current page, as text.
 * @param rules those of axe; default: all
 */
export async function barriers(page: Page, rules?: string[]): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in globalThis);
  if (!isThere) await page.evaluate(axe.source);
  // The result is filtered inside the page, because it also describes every element that passes.
  return page.evaluate(
    async ({ known, ...options }) => {
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, options);
      const isKnown = (id: string, element: string): boolean =>
        known.some(({ rule, elements }) => rule === id && document.querySelector(element)?.matches(elements) === true);
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) =>
          nodes
            .filter(({ target }) => !isKnown(id, target.join(' ')))
            .map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
        );
    },
    { known: ofGraphiql, resultTypes: ['violations' as const], ...(rules ? { runOnly: rules } : {}) },
  );
}
