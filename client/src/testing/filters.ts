import { fireEvent, screen, within } from '@testing-library/react';

/** Opens a filter of the list in its bar; a list with one filter opens it at once. */
export async function openFilter(name: string) {
  fireEvent.click(screen.getByRole('button', { name: 'Add filter' }));
  const dialog = await screen.findByRole('dialog', { name: new RegExp(`^(Add filter|${name})$`) });
  const entry = within(dialog).queryByRole('menuitem', { name });
  if (entry) fireEvent.click(entry);
  return within(await screen.findByRole('dialog', { name }));
}

/** Chooses a value of a filter. */
export async function chooseFilter(name: string, value: string | RegExp): Promise<void> {
  const filter = await openFilter(name);
  fireEvent.click(filter.getByRole('option', { name: value }));
}

/** Chooses an entry of the page's menu. */
export async function chooseOfPage(entry: string): Promise<void> {
  fireEvent.click(screen.getByRole('button', { name: 'More actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: entry }));
}
