import { fireEvent, screen } from '@testing-library/react';
import { useForm } from 'react-hook-form';
import { renderScreen } from '../../testing/renderScreen.js';
import { SelectInput } from './SelectInput.js';

function Form() {
  const { control } = useForm({ defaultValues: { group: 'vip' } });
  const choices = ['default', 'vip'].map((value) => ({ value, label: value }));
  return <SelectInput control={control} name="group" label="Group" hint="Sets the price." required choices={choices} />;
}

it('has the focus after a click on its label, and opens by keyboard from there', async () => {
  await renderScreen({ routes: [{ path: '/', element: <Form /> }] });
  const select = screen.getByRole('combobox', { name: 'Group' });
  expect(select).toHaveTextContent('vip');
  expect(select).toHaveAccessibleDescription('Sets the price.');
  fireEvent.click(screen.getByText('Group', { selector: 'label' }));
  expect(select).toHaveFocus();
  fireEvent.keyDown(select, { key: 'ArrowDown' });
  expect(screen.getByRole('listbox', { name: 'Group' })).toBeInTheDocument();
});
