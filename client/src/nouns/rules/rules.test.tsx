import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { sectionsOf } from '../settings/settingsCatalog.js';
import { SettingRow } from '../settings/SettingRow.js';
import { SettingsContext } from '../settings/SettingsContext.js';
import { SettingsDraft } from '../settings/settingsDraft.js';
import { toCaptureForm, toCaptureRow } from './captureForm.js';
import { toGuardrailForm, toGuardrailRow } from './guardrailForm.js';
import { ruleControls } from './ruleControls.js';
import { moved, parseRules, wrongPatterns } from './ruleText.js';
import { TryGuardrailDocument } from './rules.generated.js';

const mail = { name: 'mail', stage: 'both', action: 'mask', check: 'patterns', patterns: ['email'] };
const hook = {
  name: 'hook',
  stage: 'output',
  action: 'log',
  check: 'webhook',
  url: 'https://guard.example.com/check',
  timeout_ms: 1500,
  on_failure: 'open',
  groups: ['vip'],
  tokens: [12],
};

async function open(key: string, rules: unknown, mocks: unknown[] = []): Promise<SettingsDraft> {
  const setting = sectionsOf.operation.flatMap(({ settings }) => settings).find((each) => each.key === key);
  if (!setting) throw new Error('no such setting');
  const draft = new SettingsDraft();
  const saved = { isSet: true, isSecret: false, isWritable: true };
  draft.load([
    { key, value: typeof rules === 'string' ? rules : JSON.stringify(rules), ...saved },
    { key: 'GroupRatio', value: '{ "default": 1, "vip": 0.8 }', ...saved },
  ]);
  const element = (
    <SettingsContext.Provider value={draft}>
      <SettingRow setting={setting} Control={ruleControls[setting.kind]} />
    </SettingsContext.Provider>
  );
  await renderScreen({ routes: [{ path: '/', element }], mocks: mocks as never });
  return draft;
}
const rulesIn = (draft: SettingsDraft, key = 'guardrails.rules') => JSON.parse(draft.value(key)) as unknown;
const editor = () => within(screen.getByRole('dialog'));
const type = (name: string, value: string) =>
  fireEvent.change(editor().getByRole('textbox', { name }), { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
async function choose(name: string, option: string): Promise<void> {
  fireEvent.mouseDown(editor().getByRole('combobox', { name }));
  fireEvent.click(await screen.findByRole('option', { name: option }));
}
async function chip(name: RegExp, value: string): Promise<void> {
  const input = editor().getByRole('combobox', { name });
  fireEvent.change(input, { target: { value } });
  fireEvent.keyDown(input, { key: 'Enter' });
  await editor().findByText(value);
}

describe('guardrail rules', () => {
  it('are listed in their order, with action, stage and callers', async () => {
    await open('guardrails.rules', [mail, hook]);
    expect(screen.getAllByRole('group').map((each) => each.getAttribute('aria-label'))).toEqual([
      'View of the rules',
      'mail',
      'hook',
    ]);
    const row = within(screen.getByRole('group', { name: 'hook' }));
    for (const text of ['Log only', 'Responses', 'Group vip', 'Token 12']) row.getByText(text);
    row.getByText(/Webhook · https:\/\/guard.example.com\/check · 1500 ms · passes if unavailable/);
    within(screen.getByRole('group', { name: 'mail' })).getByText('Every caller');
  });

  it('are moved and removed', async () => {
    const draft = await open('guardrails.rules', [mail, hook]);
    press('Move hook up');
    expect(rulesIn(draft)).toEqual([hook, mail]);
    press('Remove mail');
    expect(rulesIn(draft)).toEqual([hook]);
  });

  it('a new rule of words is checked and added', async () => {
    const draft = await open('guardrails.rules', [mail]);
    press('Add rule');
    press('Use');
    await editor().findByText('Enter a name');
    editor().getByText('Enter at least one word');
    type('Name', 'mail');
    await editor().findByText('Another rule has this name');
    type('Name', 'fruit');
    type('Words', 'pineapple\nregex:du(rian\n');
    await editor().findByText('regex:du(rian is not a valid pattern');
    type('Words', 'pineapple\nregex:dur+ian\n');
    await chip(/^Groups/, 'vip');
    await choose('Applies to', 'Prompts and responses');
    press('Use');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(rulesIn(draft)).toEqual([
      mail,
      {
        name: 'fruit',
        stage: 'both',
        action: 'block',
        check: 'words',
        words: ['pineapple', 'regex:dur+ian'],
        groups: ['vip'],
      },
    ]);
  });

  it('moderation masks nothing; time limit and failure are stored', async () => {
    const draft = await open('guardrails.rules', [mail]);
    press('Edit mail');
    await choose('Checked by', 'OpenAI moderation');
    expect(editor().getByRole('combobox', { name: 'When it matches' })).toHaveTextContent('Block');
    type('Time limit', '20');
    type('Score', '2');
    press('Use');
    await editor().findByText('Enter a whole number from 50 to 30,000');
    editor().getByText('Enter a number from 0 to 1');
    type('Time limit', '800');
    type('Score', '0.7');
    await chip(/^Categories/, 'violence');
    await choose('When it cannot be checked', 'Let the text pass');
    press('Use');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(rulesIn(draft)).toEqual([
      {
        name: 'mail',
        stage: 'both',
        action: 'block',
        check: 'moderation',
        timeout_ms: 800,
        on_failure: 'open',
        categories: ['violence'],
        threshold: 0.7,
      },
    ]);
  });

  it('the server tries the rule as it stands in the editor', async () => {
    const result = { __typename: 'GuardrailTrial', matched: ['email'], text: 'write to [email]', failure: null };
    const asked: unknown[] = [];
    const mock = {
      request: {
        query: TryGuardrailDocument,
        variables: (variables: unknown) => {
          asked.push(variables);
          return true;
        },
      },
      result: { data: { tryGuardrail: { __typename: 'TryGuardrailPayload', trial: result } } },
    };
    await open('guardrails.rules', [mail], [mock]);
    press('Edit mail');
    type('Text', 'write to a@b.example');
    press('Check the text');
    await editor().findByText('Found: email. The text becomes:');
    editor().getByText('write to [email]');
    expect(asked.at(-1)).toEqual({ input: { rule: JSON.stringify(mail), text: 'write to a@b.example' } });
  });

  it('are not lost when the editor is closed without a confirmation', async () => {
    await open('guardrails.rules', [mail]);
    press('Add rule');
    type('Name', 'fruit');
    press('Cancel');
    const question = within(await screen.findByRole('alertdialog', { name: 'Discard changes?' }));
    fireEvent.click(question.getByRole('button', { name: 'Keep editing' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    expect(editor().getByRole('textbox', { name: 'Name' })).toHaveValue('fruit');
    press('Close');
    fireEvent.click(await screen.findByRole('button', { name: 'Discard' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    // A form without changes closes at once.
    fireEvent.click(await screen.findByRole('button', { name: 'Edit mail' }));
    press('Cancel');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('show JSON that is no list of rules as JSON', async () => {
    await open('guardrails.rules', '[{ "name": ');
    expect(screen.getByRole('textbox', { name: 'Rules' })).toHaveValue('[{ "name": ');
    expect(parseRules('{"name": 1}')).toBeNull();
    expect(parseRules('[1]')).toBeNull();
  });
});

describe('captures', () => {
  it('name callers, a share and what is redacted', async () => {
    const draft = await open('content_capture.rules', []);
    press('Add callers');
    press('Use');
    await editor().findByText('Enter at least one group or token');
    await chip(/^Tokens/, '12');
    type('Share of the calls', '101');
    await editor().findByText('Enter a number from 0 to 100');
    type('Share of the calls', '2.5');
    fireEvent.click(editor().getByRole('checkbox', { name: 'Phone numbers' }));
    type('Words', 'Project Heron');
    press('Use');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(rulesIn(draft, 'content_capture.rules')).toEqual([
      {
        tokens: [12],
        percent: 2.5,
        redact: ['email', 'card', 'id_number', 'key'],
        redact_words: ['Project Heron'],
      },
    ]);
    within(screen.getByRole('group', { name: 'Rule 1' })).getByText('2.5 % of the calls');
  });
});

it('a rule survives the editor unchanged', () => {
  const moderated = {
    name: 'm',
    stage: 'input',
    action: 'log',
    check: 'moderation',
    url: 'https://m.example/v1',
    model: 'omni',
    timeout_ms: 500,
    on_failure: 'closed',
    categories: ['hate'],
    threshold: 0.5,
    tokens: [1, 2],
  };
  for (const row of [mail, hook, moderated]) expect(toGuardrailRow(toGuardrailForm(row))).toEqual(row);
  const capture = { groups: ['beta'], percent: 5, redact: ['email'], redact_words: ['x'] };
  expect(toCaptureRow(toCaptureForm(capture))).toEqual(capture);
  // Absent fields mean every kind, of every call.
  expect(toCaptureRow(toCaptureForm({ tokens: [3] }))).toEqual({
    tokens: [3],
    percent: 100,
    redact: ['email', 'phone', 'card', 'id_number', 'key'],
  });
  expect(moved([mail, hook], 0, 1)).toEqual([hook, mail]);
  expect(wrongPatterns(['plain (', 'regex:(', 'regex:', 'regex:a+'])).toEqual(['regex:(', 'regex:']);
});
