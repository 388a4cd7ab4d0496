import { fireEvent, screen } from '@testing-library/react';
import { renderScreen } from '../testing/renderScreen.js';
import { lazyPart } from './lazyPart.js';

const show = (element: React.ReactNode) => renderScreen({ routes: [{ path: '/', element }] });
const load = jest.fn(() =>
  Promise.resolve(({ open }: { readonly open: boolean }) => <p>{open ? 'open' : 'closed'}</p>),
);

beforeEach(() => load.mockClear());

it('requests its chunk only when the part is needed', async () => {
  const Part = lazyPart(load, ({ open }) => open);
  const { unmount } = await show(<Part open={false} />);
  expect(load).not.toHaveBeenCalled();
  unmount();
  await show(<Part open />);
  expect(await screen.findByText('open')).toBeInTheDocument();
});

it('offers to load its chunk again when it could not be loaded', async () => {
  const logged = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const failure = new TypeError('Failed to fetch dynamically imported module');
  const Part = lazyPart<{ readonly open: boolean }>(load.mockRejectedValueOnce(failure));
  await show(<Part open />);
  expect(await screen.findByRole('alert')).toHaveTextContent('This part of the page could not be loaded');
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('open')).toBeInTheDocument();
  expect(screen.queryByRole('alert')).toBeNull();
  logged.mockRestore();
});

it('says that a part is on its way while a slow line brings it', async () => {
  let bring = (): void => undefined;
  const coming = new Promise<void>((resolve) => (bring = resolve));
  const Part = lazyPart<object>(async () => {
    await coming;
    return () => <p>here</p>;
  });
  await show(<Part />);
  expect(await screen.findByRole('status', { name: 'Loading' })).toBeInTheDocument();
  expect(screen.queryByText('here')).toBeNull();
  bring();
  expect(await screen.findByText('here')).toBeInTheDocument();
  expect(screen.queryByRole('status', { name: 'Loading' })).toBeNull();
});
