import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { NameValues } from './SideDrawer.js';

it('shows values of the same name apart, and none of them once the next row has others', () => {
  function Rows() {
    const [isNext, setNext] = useState(false);
    const tiers: readonly (readonly [string, string])[] = [
      ['Input', '200,000 × $1.25'],
      ['Input', '50,000 × $2.50'],
    ];
    return (
      <>
        <NameValues rows={isNext ? [['Output', '7 × $10.00']] : tiers} />
        <button onClick={() => setNext(true)}>next row</button>
      </>
    );
  }
  render(<Rows />);
  expect(screen.getAllByRole('definition').map((value) => value.textContent)).toEqual([
    '200,000 × $1.25',
    '50,000 × $2.50',
  ]);
  fireEvent.click(screen.getByText('next row'));
  expect(screen.getAllByRole('definition').map((value) => value.textContent)).toEqual(['7 × $10.00']);
});
