import { ApolloLink } from '@apollo/client';
import { act, screen } from '@testing-library/react';
import { useState } from 'react';
import { Observable, type Subscriber } from 'rxjs';
import { renderScreen } from '../../testing/renderScreen.js';
import { noFilters, type LogFilters } from './logFilter.js';
import { useLogTail } from './useLogTail.js';

let stream: Subscriber<ApolloLink.Result>;
const live = new ApolloLink(() => new Observable((observer) => void (stream = observer)));
const refresh = jest.fn();

interface Listed {
  readonly filters: LogFilters;
  readonly listed: readonly string[];
}
let show: (next: Partial<Listed>) => void;

function Tail() {
  const [parts, setParts] = useState<Listed>({ filters: noFilters, listed: ['1'] });
  show = (next) => setParts({ ...parts, ...next });
  // The second page: rows are counted, not shown.
  const { fresh } = useLogTail({ ...parts, page: 1, isAdmin: true, refresh });
  return <p>{fresh} new</p>;
}

const arrive = (ids: readonly string[], missed = 0) =>
  act(() => {
    const items = ids.map((id) => ({ __typename: 'LogEntry', id }));
    stream.next({ data: { logCreated: { __typename: 'LogDelivery', items, missed } } });
  });

beforeEach(() => renderScreen({ routes: [{ path: '/', element: <Tail /> }], live }));

it('counts new rows, and those that were missed', () => {
  arrive(['2', '3']);
  screen.getByText('2 new');
  arrive(['4'], 5);
  screen.getByText('8 new');
});

it('counts no row that is already listed', () => {
  act(() => show({ listed: ['2', '1'] }));
  arrive(['2', '3']);
  screen.getByText('1 new');
});

it('no longer counts a row once it is listed', () => {
  arrive(['2', '3']);
  act(() => show({ listed: ['3', '2', '1'] }));
  screen.getByText('0 new');
});

it('starts again with another filter', () => {
  arrive(['2']);
  act(() => show({ filters: { ...noFilters, modelName: 'gpt-5' } }));
  screen.getByText('0 new');
});
