import { fireEvent, screen } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { ParameterFields } from './ParameterFields.js';
import { toParameters } from './parameters.js';

it('fills the track of a slider from its low end, and not where the range has both signs', async () => {
  await renderScreen({
    routes: [
      {
        path: '/',
        element: (
          <ParameterFields
            parameters={toParameters({}, '')}
            groups={[]}
            models={[]}
            kind="CHAT"
            comparable={[]}
            onChange={() => undefined}
          />
        ),
      },
    ],
  });
  fireEvent.click(screen.getByRole('button', { name: 'More parameters' }));
  const isFilled = (name: string) =>
    screen.getByRole('slider', { name }).closest('.MuiSlider-root:not(.MuiSlider-trackFalse)') !== null;
  expect(['Temperature', 'Top P', 'Frequency penalty', 'Presence penalty'].map(isFilled)).toEqual([
    ...[true, true],
    ...[false, false],
  ]);
});
