import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { answers, headers, rowOf } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { AllStatementListScreen } from './AllStatementListScreen.js';
import { StatementListScreen } from './StatementListScreen.js';
import { StatementScreen } from './StatementScreen.js';
import { AllStatementsDocument } from '../../nouns/statements/statements.generated.js';
import { AccountStatements } from '../../nouns/statements/AccountStatements.js';
import { AccountChoicesDocument } from '../../nouns/users/accountInput.generated.js';
import { ActingContext } from '../../lib/acting.js';
import {
  BillingProfileDocument,
  MyStatementsDocument,
  StatementMonthsDocument,
  StatementPageDocument,
  StatementPreviewDocument,
  UpdateBillingProfileDocument,
} from './statements.generated.js';

jest.setTimeout(60_000);

const party = { name: 'Gate GmbH', address: 'Berlin', taxNumber: 'DE1' };
const statement = (id: number | null, more: object = {}) => ({
  __typename: 'Statement',
  id,
  number: id === null ? null : `2026-00000${id}`,
  month: '2026-10',
  accountId: 7,
  closedAt: id === null ? null : '2026-11-01T06:00:00.000Z',
  opening: 500_000,
  credits: 1_000_000,
  usage: 250_000,
  closing: 1_250_000,
  buyer: { __typename: 'StatementBuyer', ...party, username: 'ada', name: 'Ada Ltd' },
  ...more,
});
const usage = (more: object) => ({
  __typename: 'StatementUsage',
  tokenId: null,
  tokenName: '',
  modelName: null,
  memberId: null,
  memberName: '',
  projectId: null,
  projectName: '',
  calls: 3,
  promptTokens: 30,
  completionTokens: 15,
  quota: 200_000,
  ...more,
});
const parts = {
  startsAt: '2026-10-01T00:00:00.000Z',
  endsAt: '2026-11-01T00:00:00.000Z',
  timeZone: 'UTC',
  reserved: 50_000,
  seller: { __typename: 'StatementSeller', ...party, note: 'Thank you.' },
  movements: [
    { __typename: 'StatementCredit', kind: 'top_up', count: 2, amount: 1_500_000 },
    { __typename: 'StatementCredit', kind: 'of_a_newer_server', count: 1, amount: -500_000 },
  ],
  payments: [
    {
      __typename: 'StatementPayment',
      kind: 'top_up',
      at: '2026-10-02T00:00:00.000Z',
      amount: 1_500_000,
      reference: 'USR7',
    },
  ],
  usageBy: [usage({ tokenId: 0, modelName: 'gpt-4o' }), usage({ tokenId: 9, modelName: 'claude' })],
  usageByMember: [usage({ memberId: 0 })],
  usageByProject: [usage({ projectId: 0 })],
};
const page = (items: object[]) => ({ __typename: 'StatementPage', totalCount: items.length, items });

it('lists own statements, opens one, and edits the billing details', async () => {
  signInAs();
  const saved: unknown[] = [];
  const profile = { __typename: 'BillingProfile', name: 'Ada Ltd', address: '', taxNumber: '', notifies: false };
  const { location } = await renderScreen({
    path: '/statements',
    routes: [
      { path: '/statements', element: <StatementListScreen /> },
      { path: '/statements/:id', element: <p>opened</p> },
    ],
    mocks: [
      answers(MyStatementsDocument, { myStatements: page([statement(3)]) }),
      answers(BillingProfileDocument, { billingProfile: profile }),
      {
        request: {
          query: UpdateBillingProfileDocument,
          variables: ({ input }: { input: unknown }) => {
            saved.push(input);
            return true;
          },
        },
        result: {
          data: { updateBillingProfile: { __typename: 'UpdateBillingProfilePayload', profile: { ...profile } } },
        },
      },
    ] as never,
  });
  const row = await rowOf('October 2026');
  expect(await headers()).toEqual([
    ...['Month', 'Number', 'Opening balance', 'Credits', 'Usage', 'Closing balance', 'Closed'],
  ]);
  for (const text of ['2026-000003', '$1.00', '$2.00', '$0.50', '$2.50']) row.getByText(text);
  fireEvent.click(screen.getByRole('button', { name: 'More actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Billing details' }));
  fireEvent.change(await screen.findByLabelText(/^Tax number/), { target: { value: 'DE9' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(saved.at(-1)).toEqual({ name: 'Ada Ltd', address: '', taxNumber: 'DE9', notifies: false }),
  );
  fireEvent.click(row.getByText('October 2026'));
  await waitFor(() => expect(location()).toBe('/statements/3'));
});

const listed = (asked: unknown[]) => ({
  request: {
    query: AllStatementsDocument,
    variables: ({ filter }: { filter: unknown }) => {
      asked.push(filter);
      return true;
    },
  },
  result: { data: { statements: page([statement(3)]) } },
  maxUsageCount: 9,
});

it('lists those of all accounts, by a month of the list and by an account that is found by its name', async () => {
  signInAs();
  const asked: unknown[] = [];
  const users = { __typename: 'UserPage', items: [{ __typename: 'User', id: 7, username: 'ada' }] };
  await renderScreen({
    path: '/statement?month=2026-1',
    routes: [{ path: '/statement', element: <AllStatementListScreen /> }],
    mocks: [
      listed(asked),
      answers(StatementMonthsDocument, { statementMonths: ['2026-11', '2026-10'] }),
      {
        request: { query: AccountChoicesDocument, variables: ({ keyword }: { keyword: string }) => keyword !== '' },
        result: { data: { users } },
        maxUsageCount: 9,
      },
    ] as never,
  });
  const row = await rowOf('October 2026');
  row.getByText('ada');
  row.getByText('Ada Ltd');
  expect(asked.at(-1)).toEqual({});
  const add = async (field: string) => {
    fireEvent.click(screen.getByRole('button', { name: 'Add filter' }));
    fireEvent.click(await screen.findByRole('menuitem', { name: field }));
  };
  await add('Month');
  fireEvent.click(await screen.findByRole('option', { name: 'October 2026' }));
  await waitFor(() => expect(asked.at(-1)).toEqual({ months: ['2026-10'] }));
  fireEvent.click(screen.getByRole('button', { name: 'Add filter' }));
  fireEvent.change(await screen.findByRole('textbox', { name: 'Account' }), { target: { value: 'lovelace' } });
  await screen.findByText('Choose one of the accounts');
  // The server also finds it by its display name.
  fireEvent.click(await screen.findByRole('option', { name: 'ada' }));
  await waitFor(() => expect(asked.at(-1)).toEqual({ months: ['2026-10'], accountIds: [7] }));
  await screen.findByRole('button', { name: 'Account: ada' });
});

it('lists those of one account, with the preview of its month', async () => {
  signInAs();
  const asked: unknown[] = [];
  const { location } = await renderScreen({
    path: '/user/7/statements',
    routes: [
      { path: '/user/7/statements', element: <AccountStatements id={7} /> },
      { path: '/statements/:id', element: <StatementScreen /> },
    ],
    mocks: [
      listed(asked),
      {
        request: { query: StatementPreviewDocument, variables: { accountId: 7 } },
        result: { data: { statementPreview: statement(null, parts) } },
      },
    ] as never,
  });
  await rowOf('October 2026');
  expect(asked.at(-1)).toEqual({ accountIds: [7] });
  fireEvent.click(screen.getByRole('link', { name: 'Current month' }));
  await screen.findByText('Preview');
  expect(location()).toBe('/statements/current?account=7');
});

it('opens a statement of an organisation within its page, and prints it for the organisation', async () => {
  signInAs();
  const acting = { organisationId: 12, role: 'OWNER', members: [], projects: [] } as const;
  const element = (
    <ActingContext value={acting}>
      <StatementListScreen />
    </ActingContext>
  );
  const { location } = await renderScreen({
    path: '/organisations/12/statements',
    routes: [{ path: '/organisations/12/statements', element }],
    mocks: [
      answers(MyStatementsDocument, { myStatements: page([statement(3)]) }),
      answers(StatementPageDocument, { statement: statement(3, parts) }),
    ] as never,
  });
  fireEvent.click((await rowOf('October 2026')).getByText('October 2026'));
  await screen.findByRole('heading', { name: 'Statement October 2026' });
  expect(location()).toBe('/organisations/12/statements?statement=3');
  const opened = jest.spyOn(window, 'open').mockReturnValue(null);
  fireEvent.click(screen.getByRole('button', { name: 'More actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Print' }));
  const address = '/api/statement/3/print?language=en&organization=12';
  await waitFor(() => expect(opened).toHaveBeenCalledWith(address, '_blank', 'noopener'));
  fireEvent.click(screen.getByRole('link', { name: 'Statements' }));
  await rowOf('October 2026');
});

it('shows the parts of a statement, with kinds of a newer server and deleted keys', async () => {
  signInAs();
  await renderScreen({
    path: '/statements/3',
    routes: [{ path: '/statements/:id', element: <StatementScreen /> }],
    mocks: [answers(StatementPageDocument, { statement: statement(3, parts) })] as never,
  });
  await screen.findByRole('heading', { name: 'Statement October 2026' });
  for (const text of [
    'Gate GmbH',
    'Ada Ltd',
    'Thank you.',
    'of_a_newer_server',
    'Without a key',
    'Deleted key #9',
    'USR7',
  ]) {
    screen.getByText(text);
  }
  expect(screen.queryByText('Preview')).toBeNull();
  expect(screen.queryByText('Usage by member')).toBeNull();
  const opened = jest.spyOn(window, 'open').mockReturnValue(null);
  fireEvent.click(screen.getByRole('button', { name: 'More actions' }));
  const entries = await screen.findAllByRole('menuitem');
  expect(entries.map(({ textContent }) => textContent)).toEqual(['Download PDF', 'Print', 'Download CSV']);
  fireEvent.click(screen.getByRole('menuitem', { name: 'Print' }));
  await waitFor(() => expect(opened).toHaveBeenCalledWith('/api/statement/3/print?language=en', '_blank', 'noopener'));
});

it('shows what members and projects of an organisation used, and whose each key is', async () => {
  signInAs();
  const ofTeam = {
    usageBy: [usage({ tokenId: 9, tokenName: 'agent', modelName: 'claude', memberName: 'ada', projectName: 'Search' })],
    usageByMember: [usage({ memberId: 2, memberName: 'ada' }), usage({ memberId: 0 }), usage({ memberId: 5 })],
    usageByProject: [usage({ projectId: 3, projectName: 'Search' }), usage({ projectId: 0 })],
  };
  await renderScreen({
    path: '/statements/3',
    routes: [{ path: '/statements/:id', element: <StatementScreen /> }],
    mocks: [answers(StatementPageDocument, { statement: statement(3, { ...parts, ...ofTeam }) })] as never,
  });
  const rows = async (table: string) => {
    const region = within(await screen.findByRole('region', { name: table }));
    return region.getAllByRole('rowheader').map(({ textContent }) => textContent);
  };
  expect(await rows('Usage by member')).toEqual(['ada', 'Organisation', '#5']);
  expect(await rows('Usage by project')).toEqual(['Search', 'No project']);
  expect(await rows('Usage')).toEqual(['agent · ada · Search']);
});

it('marks the month that runs as a preview, with what calls in flight hold', async () => {
  signInAs();
  await renderScreen({
    path: '/statements/current',
    routes: [{ path: '/statements/:id', element: <StatementScreen /> }],
    mocks: [answers(StatementPreviewDocument, { statementPreview: statement(null, parts) })] as never,
  });
  await screen.findByText('Preview');
  screen.getByText('Held by running calls');
  screen.getByText('$0.10');
  fireEvent.click(screen.getByRole('button', { name: 'More actions' }));
  const entries = await screen.findAllByRole('menuitem');
  expect(entries.map(({ textContent }) => textContent)).toEqual(['Download PDF', 'Print']);
});

it('shows the borders of the month in the zone of the site', async () => {
  signInAs();
  const tokyo = { startsAt: '2026-09-30T15:00:00.000Z', endsAt: '2026-10-31T15:00:00.000Z', timeZone: 'Asia/Tokyo' };
  await renderScreen({
    path: '/statements/3',
    routes: [{ path: '/statements/:id', element: <StatementScreen /> }],
    mocks: [answers(StatementPageDocument, { statement: statement(3, { ...parts, ...tokyo }) })] as never,
  });
  await screen.findByText('2026-000003 · Oct 1, 2026 to Oct 31, 2026 · Asia/Tokyo');
});

it('says why the billing details cannot be loaded', async () => {
  signInAs();
  await renderScreen({
    path: '/statements',
    routes: [{ path: '/statements', element: <StatementListScreen /> }],
    mocks: [
      answers(MyStatementsDocument, { myStatements: page([statement(3)]) }),
      { request: { query: BillingProfileDocument }, error: new Error('no network') },
    ] as never,
  });
  await rowOf('October 2026');
  fireEvent.click(screen.getByRole('button', { name: 'More actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Billing details' }));
  await screen.findByRole('button', { name: /again|Retry/ });
});

it('says that a statement does not exist', async () => {
  signInAs();
  await renderScreen({
    path: '/statements/99',
    routes: [{ path: '/statements/:id', element: <StatementScreen /> }],
    mocks: [answers(StatementPageDocument, { statement: null })] as never,
  });
  await screen.findByText('This statement does not exist');
});
