import { CombinedGraphQLErrors } from '@apollo/client/errors';
import { act, cleanup, render, screen } from '@testing-library/react';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { TextInput } from './inputs.js';
import { startI18n } from '../../i18n/i18n.js';
import { showFormError } from './showFormError.js';

const t = ((key: string) => key) as unknown as TFunction;
// The texts of inputs need an instance.
beforeAll(() => startI18n());
const refusal = (field: string) =>
  new CombinedGraphQLErrors({ data: null }, [
    { message: `wrong ${field}`, extensions: { code: 'INVALID_INPUT', field } },
  ]);

function open() {
  const held: { show: (error: unknown, fallback?: 'name') => boolean; hide: () => void } = {
    show: () => false,
    hide: () => undefined,
  };
  function Form() {
    const form = useForm({ defaultValues: { name: '', url: '', never: '' } });
    const [isHidden, setHidden] = useState(false);
    held.show = (error, fallback) => showFormError(form, error, t, { ...(fallback && { fallback }) });
    held.hide = () => setHidden(true);
    return (
      <>
        <TextInput control={form.control} name="name" label="Name" />
        {!isHidden && <TextInput control={form.control} name="url" label="URL" />}
      </>
    );
  }
  render(<Form />);
  return held;
}

it('shows an error at the field that the server names', () => {
  const held = open();
  act(() => expect(held.show(refusal('url'))).toBe(true));
  expect(screen.getByRole('alert')).toHaveTextContent('wrong url');
});

it.each(['url', 'never', 'unknown'])(
  'reports that it cannot show an error at %s, which is not on the screen',
  (field) => {
    const held = open();
    act(() => held.hide());
    act(() => expect(held.show(refusal(field))).toBe(false));
    act(() => expect(held.show(refusal(field), 'name')).toBe(true));
    expect(screen.getByRole('alert')).toHaveTextContent(`wrong ${field}`);
  },
);

it('reports that it cannot show an error in a form that was closed', () => {
  const held = open();
  cleanup();
  expect(held.show(refusal('name'), 'name')).toBe(false);
});
