import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderScreen } from '../../testing/renderScreen.js';
import { ClientSetup } from './ClientSetup.js';
import { clientPages } from './clientPages.js';

const docs = join(import.meta.dirname, '../../../../docs');

beforeEach(() => {
  // The server answers with the files of the documentation.
  globalThis.fetch = jest.fn(async (path: string) => ({
    ok: true,
    text: async () => readFileSync(join(docs, path.replace('/docs/', '')), 'utf8'),
  })) as unknown as typeof fetch;
});

it('offers every program that the documentation has a page for', () => {
  const files = readdirSync(join(docs, 'clients')).filter((file) => !['README.md', 'matrix.md'].includes(file));
  expect(clientPages.map(({ id }) => `${id}.md`).sort()).toEqual(files.sort());
});

it('fills in the address and the key, and copies the whole key', async () => {
  const writeText = jest.fn(async () => undefined);
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } });
  const element = <ClientSetup address="https://api.site.example" shown="sk-…" load={async () => 'sk-whole'} />;
  await renderScreen({ routes: [{ path: '/', element }] });
  expect(await screen.findByText(/export ANTHROPIC_BASE_URL=https:\/\/api\.site\.example\s/)).toBeVisible();
  // Labels stand above their fields: one that floats would be crossed by the border.
  expect(screen.getByText('Program', { selector: 'label' })).not.toHaveClass('MuiInputLabel-root');
  fireEvent.mouseDown(screen.getByRole('combobox', { name: 'Program' }));
  fireEvent.click(within(screen.getByRole('listbox')).getByText('Codex CLI'));
  expect(await screen.findByText(/base_url = "https:\/\/api\.site\.example\/v1"/)).toBeVisible();
  const block = (await screen.findByText(/TOLLGATE_KEY=sk-…/)).parentElement!;
  fireEvent.click(within(block).getByRole('button', { name: /copy/i }));
  await waitFor(() => expect(writeText).toHaveBeenCalledWith('export TOLLGATE_KEY=sk-whole'));
});
