import { fireEvent, screen } from '@testing-library/react';
import { useForm } from 'react-hook-form';
import { renderScreen } from '../../testing/renderScreen.js';
import { newToken } from './tokenForm.js';
import { TokenRateLimit } from './TokenRateLimit.js';

const onValid = jest.fn();

function Form() {
  const form = useForm({ defaultValues: newToken });
  return (
    <form onSubmit={(event) => void form.handleSubmit(onValid)(event)}>
      <TokenRateLimit control={form.control} />
      <button type="submit">{'OK'}</button>
    </form>
  );
}

const submit = () => {
  fireEvent.click(screen.getByRole('button', { name: 'OK' }));
};
const type = (name: RegExp, value: string) => {
  fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } });
};

beforeEach(async () => {
  onValid.mockClear();
  await renderScreen({ routes: [{ path: '/', element: <Form /> }] });
});

it('asks for numbers only while the key is limited, and begins with those of the server', () => {
  expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
  fireEvent.click(screen.getByRole('switch', { name: 'Rate limit' }));
  expect(screen.getByRole('textbox', { name: /^Period/ })).toHaveValue('60');
  expect(screen.getByRole('textbox', { name: /^Calls/ })).toHaveValue('1000');
  expect(screen.getByRole('textbox', { name: /^Successful calls/ })).toHaveValue('10');
});

it.each([
  [/^Period/, '0', 'Must be 1 or more'],
  [/^Period/, '31536001', 'Must be 31536000 or less'],
  [/^Calls/, 'many', 'Enter a whole number'],
  [/^Successful calls/, '-1', 'Enter a whole number'],
])('refuses %s of %s', async (name, value, message) => {
  fireEvent.click(screen.getByRole('switch', { name: 'Rate limit' }));
  type(name, value);
  submit();
  expect(await screen.findByText(message)).toBeInTheDocument();
  expect(onValid).not.toHaveBeenCalled();
});

it('takes no limit as 0', async () => {
  fireEvent.click(screen.getByRole('switch', { name: 'Rate limit' }));
  type(/^Calls/, '0');
  submit();
  await screen.findByRole('button', { name: 'OK' });
  await new Promise((resolve) => setTimeout(resolve));
  expect(onValid.mock.calls[0]?.[0]).toMatchObject({ limitRate: true, rateCount: '0' });
});
