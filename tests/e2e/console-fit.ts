import type { Locator, Page } from 'playwright-core';

/**
 * Elements that overflow `area` horizontally. Code, JSON, chart axes and tabs may scroll with their content; text with an
 * ellipsis is truncated on purpose.
 */
export const stickingOut = (area: Locator): Promise<string[]> =>
  area.evaluate((root) =>
    [root, ...root.querySelectorAll<HTMLElement>('*')].flatMap((element) => {
      const scrolls = 'pre, textarea, .graphiql-editors, .CodeMirror, [role=tablist], [tabindex="0"]:has(> table)';
      if (element.closest(scrolls) || element.querySelector(':scope > [role=tablist]')) return [];
      const { overflowX, textOverflow, position } = getComputedStyle(element);
      const words = (element.textContent ?? '').trim().slice(0, 60);
      const named = `${element.tagName} ${words}`;
      if (/auto|scroll/.test(overflowX) && element.scrollWidth > element.clientWidth + 1) {
        const end = element.getBoundingClientRect().left + element.clientWidth;
        const widest = [...element.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > end + 1);
        return [`scrolls: ${named}: ${widest.map((one) => one.outerHTML.slice(0, 120)).join(' | ')}`];
      }
      const { left, right, width } = element.getBoundingClientRect();
      // Texts for screen readers are one pixel wide; the input behind a label has no text.
      if (width <= 1 || words === '' || textOverflow === 'ellipsis' || position === 'absolute') return [];
      const clipped = element.parentElement?.closest('[style*=overflow], .MuiTypography-noWrap');
      return (right > innerWidth + 0.5 || left < -0.5) && !clipped ? [`outside: ${named}`] : [];
    }),
  );

/** Returns buttons and fields whose touch area is lower than 40 px: their own height and that of a pseudo-element. */
export const hardToHit = (area: Locator): Promise<string[]> =>
  area.evaluate((root) =>
    [
      ...root.querySelectorAll('.MuiButton-root, .MuiIconButton-root, .MuiToggleButton-root, .MuiOutlinedInput-root'),
    ].flatMap((element) => {
      const { height, width } = element.getBoundingClientRect();
      if (height === 0 || width === 0) return [];
      const added = (side: 'top' | 'bottom') =>
        Math.min(0, Number.parseFloat(getComputedStyle(element, '::after')[side]) || 0);
      const target = Math.round(height - added('top') - added('bottom'));
      return target < 40
        ? [`${String(target)} px: ${element.getAttribute('aria-label') ?? element.outerHTML.slice(0, 160)}`]
        : [];
    }),
  );

/**
 * Returns faults in the rows of a list on a desktop: actions out of view, short names that are cut off, and content
 * that does not fit into its row or cell.
 */
export const hiddenInRows = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const of = (selector: string) => [
      ...document.querySelectorAll<HTMLElement>(`main [role=row][data-id] ${selector}`),
    ];
    const isCut = ({ scrollWidth, clientWidth }: HTMLElement): boolean => scrollWidth > clientWidth;
    return [
      ...of('[data-field=actions]')
        .filter((cell) => cell.getBoundingClientRect().right > innerWidth)
        .map(() => 'actions out of view'),
      ...of('[data-field=name] a')
        .filter((link) => isCut(link) && link.innerText.length <= 20)
        .map((link) => `cut name: ${link.innerText}`),
      ...of('[role=gridcell] :is(a, button, span, div)')
        .filter((part) => {
          const row = part.closest('[role=row]')?.getBoundingClientRect();
          const { top, bottom, width } = part.getBoundingClientRect();
          const hasText = [...part.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim());
          // Texts for screen readers are one pixel wide.
          return row !== undefined && hasText && width > 1 && (top < row.top - 1 || bottom > row.bottom + 1);
        })
        .map((part) => `out of its row: ${part.innerText}`),
      ...of('.tone')
        .filter((chip) => {
          const cell = chip.closest('[role=gridcell]')?.getBoundingClientRect();
          return cell !== undefined && innerWidth >= 1366 && chip.getBoundingClientRect().right > cell.right + 0.5;
        })
        .map((chip) => `chip out of its cell: ${chip.innerText}`),
    ];
  });

/** Faults of a dialog or drawer that should take all of a phone's screen. */
export async function notWholeScreen(dialog: Locator, { width, height }: Readonly<{ width: number; height: number }>) {
  const found: string[] = [];
  const box = await dialog.boundingBox();
  if (JSON.stringify(box) !== JSON.stringify({ x: 0, y: 0, width, height })) {
    found.push(`takes ${JSON.stringify(box)} of the screen`);
  }
  // The button that closes the dialog is visible without scrolling.
  const last = await dialog.getByRole('button').last().boundingBox();
  if (!last || last.y + last.height > height || last.x + last.width > width)
    found.push('its last button is not in view');
  return found;
}
