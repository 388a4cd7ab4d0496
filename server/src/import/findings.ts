/**
 * How rows are treated that are not imported unchanged. `blocking`: the run needs a decision of the operator.
 * `refused`: the row cannot be stored. `disabled`, `changed` and `left out` say what happens to the row. `notice`: the
 * row is imported unchanged.
 */
export type Severity = 'blocking' | 'refused' | 'disabled' | 'changed' | 'left out' | 'notice';

/** Every kind of finding, with its reason. The keys are stable, for programs that read the report. */
export const findingTexts = {
  'second-factors': [
    'blocking',
    'The secret of a second factor cannot be read. Turn the second factor off in the old program, or pass --accept with its name to move the account without it. --drop-two-factor moves every account without second factors.',
  ],
  plans: [
    'blocking',
    'Users have active subscriptions. Pass --plans move to move them, --plans balance to credit what is left of them, or --plans drop.',
  ],
  'price-keys': [
    'blocking',
    'The option changes prices and has no counterpart. Pass --accept with its name to move without it.',
  ],
  'model-without-price': [
    'blocking',
    'The model is served and its price is not saved in the source: it will cost the list price. Save its price there, or pass --accept with its name.',
  ],
  'model-refused': [
    'blocking',
    'The model is served and has no price here: its calls will be refused. Save its price there, or pass --accept with its name.',
  ],
  'price-refused': [
    'blocking',
    'The value is not accepted here and is left out; other entries of its table are moved. Correct it there, or pass --accept with its name.',
  ],
  'price-by-channel': [
    'blocking',
    'Channels of the source charge different prices for the model, which has one price here. Pass --accept with its name to move with the price of the most used channel.',
  ],
  'price-moved': [
    'changed',
    'The source charges the model by values or rules that differ from those here: moved as a price of this site.',
  ],
  'price-new': ['notice', 'The source refuses the model, which has no price there. Here it costs its list price.'],
  'channel-address': ['changed', 'A chat call over the channel goes to another URL here.'],
  'price-kind': ['notice', 'Calls of this kind are counted differently here.'],
  'record-refused': ['refused', 'The row cannot be stored.'],
  'row-deleted': ['changed', 'The row was moved by an earlier run and deleted in the source since: deleted here, too.'],
  'owner-missing': ['refused', 'The row belongs to a user who is not in the source.'],
  'key-missing': ['refused', 'The key is empty.'],
  'email-duplicate': ['changed', 'Another user has the same e-mail address: the lowest enabled id keeps it.'],
  'identity-duplicate': ['changed', 'Another user has the same external account: the lowest enabled id keeps it.'],
  'root-demoted': ['changed', 'A site has one root user: this one becomes an admin.'],
  'site-root': [
    'changed',
    'The root user of this site stays root, with what no moved user has: another id, name, e-mail address or external account.',
  ],
  'role-unknown': ['changed', 'The role is unknown: the user becomes a common user.'],
  'status-unknown': ['changed', 'The status is unknown: disabled.'],
  'password-unreadable': ['changed', 'The password is not a bcrypt hash: the user has to reset it.'],
  'no-sign-in': ['notice', 'The user has no password and no external account that this product can sign in with.'],
  'second-factor-dropped': ['left out', 'The second factor of the user: --drop-two-factor was passed.'],
  'backup-code-unreadable': ['left out', 'The backup code is not a bcrypt hash: no code could be compared with it.'],
  'passkey-domain': [
    'left out',
    'The passkey is incomplete, or the domain for which it was made is unknown: no saved option names it.',
  ],
  'passkey-elsewhere': [
    'notice',
    'The passkey was made for another domain than the address of the site. It works only where the console is opened at that domain.',
  ],
  'passkey-unverified': [
    'notice',
    'The passkey was last used without a PIN, fingerprint or face. Here it works only with one of them.',
  ],
  'counter-negative': ['changed', 'The usage counter is negative: 0.'],
  'amount-cut': ['changed', 'The amount is larger than any that can be stored: 1,000,000,000,000,000.'],
  'balance-negative': ['notice', 'The balance is negative, and stays so.'],
  'username-empty': ['changed', 'The user name is empty: a name with the id is given.'],
  'username-alike': [
    'notice',
    'The name differs from that of another user by case only. Both keep their names; a new user could not take one.',
  ],
  'notify-type': ['changed', 'Notices of this kind do not exist here: sent by e-mail.'],
  'token-group-auto': ['changed', 'The group auto does not exist here: the key uses the group of its user.'],
  'token-dash': ['notice', 'The key contains "-". It never worked in the old program, and does not work here.'],
  'token-addresses': ['changed', 'Some allowed addresses are not IP addresses or ranges: left out.'],
  'channel-type': ['disabled', 'No provider here has this channel type: moved as a disabled channel.'],
  'channel-settings': [
    'disabled',
    'A setting of the channel cannot be stored, and calls without it would be wrong: moved as a disabled channel.',
  ],
  'channel-setting-dropped': ['changed', 'A setting of the channel has no counterpart: left out.'],
  'model-served': [
    'notice',
    'The table abilities of the old program and the models of the channel differ. Here the channel serves what it lists.',
  ],
  'channel-keys': ['left out', 'Keys of the channel that the old program had disabled.'],
  'channel-key-split': [
    'changed',
    'The channel has several documents as keys: the first stays, the others become channels of the same tag.',
  ],
  'option-set': ['changed', 'The option is saved in the source and differs from the built-in value here: set.'],
  'groups-closed': [
    'changed',
    'In one-api a key has the group of its user. Here users may choose no other group either: only default is offered.',
  ],
  'option-unknown': ['left out', 'The option does not exist here.'],
  'option-older': ['left out', 'The option is also saved under its newer name, which applies.'],
  'option-refused': ['left out', 'The value of the option is not accepted here: the built-in value applies.'],
  'code-worthless': ['left out', 'The redemption code has no positive amount.'],
  'code-uses': ['changed', 'The code was used more often than allowed: the limit is raised to the uses.'],
  'code-use-twice': ['left out', 'The same user used the code twice: one use is kept.'],
  'order-duplicate': ['left out', 'Another order has the same trade number: the paid one is kept, else the newest.'],
  'order-closed': ['left out', 'The order has expired or failed.'],
  'order-gateway': ['left out', 'The pending order belongs to a payment gateway that does not exist here.'],
  'order-amount': ['left out', 'The order has no positive amount.'],
  'task-open': ['changed', 'The task is open and its platform is not polled here: closed as failed, without a refund.'],
  'task-moved': [
    'notice',
    'Charges of tasks stay in the balances of the old site; their amount is kept for information.',
  ],
  'log-type': ['changed', 'The log row has a type that does not exist here: moved as a system row.'],
  'log-content': ['left out', 'Prompts and responses in log rows. Pass --with-content to move them.'],
  'log-cut': ['changed', 'A name or message of the log row is longer than an index takes: cut.'],
  'log-refused': ['refused', 'The log row has a number that cannot be stored.'],
  'usage-hour': ['notice', 'Hourly usage without log rows, moved from the table quota_data.'],
  'column-left-out': ['left out', 'The column has no counterpart.'],
  'table-missing': ['left out', 'The source does not have the table, so nothing of it is moved.'],
  'table-left-out': ['left out', 'The table has no counterpart.'],
  'admin-rules': ['left out', 'Custom permissions of admins have no counterpart.'],
  'source-plain': [
    'notice',
    'The connection to the source is not encrypted: its password and its data cross the network in the clear.',
  ],
  'datetime-zone': ['notice', 'MySQL stores times without a zone. They are read as UTC.'],
  'name-case': [
    'notice',
    'MySQL compares texts without case. Here users sign in with their name, and redeem codes, exactly as they are stored.',
  ],
  'plan-credited': ['changed', 'What is left of an active subscription is credited to the balance.'],
  'plan-dropped': ['left out', 'The active subscription: --plans drop was passed.'],
  'plan-history': ['left out', 'The subscription has ended. Ended ones are moved with --plans move only.'],
  'plan-missing': ['left out', 'The plan of the subscription is not in the source.'],
  'plan-twice': [
    'changed',
    'The user has another active subscription to the plan, which ends later and is moved. What is left of this one is credited to the balance.',
  ],
  'plan-changed': [
    'changed',
    'Terms of the plan have no counterpart. Where its period or its resets differ, it is not on sale.',
  ],
  'plan-paid': [
    'notice',
    'The subscription was paid on the old site: a refund or an upgrade here returns nothing of it.',
  ],
  'plan-group': [
    'changed',
    'The subscription gave its user a group until its end. Here the user keeps the group: change it when the subscription ends.',
  ],
  'plan-preference': ['changed', 'The user lets the balance pay first, or alone. Here a plan pays first.'],
  'key-environment': ['disabled', 'The environment variable of the key is not set: moved as a disabled channel.'],
  'key-hashed': [
    'left out',
    'LiteLLM stores only digests of virtual keys: a new key was issued, which the console shows.',
  ],
  'key-model': ['notice', 'The key names a model that the source does not serve. Here too, the key cannot call it.'],
  'team-owner': [
    'notice',
    'No member of the team is its admin, so the organisation has no owner: an admin of the site makes a member its owner.',
  ],
  'team-member': ['left out', 'The member of the team is not among the users.'],
  'team-key': ['changed', 'The user has a key of the team and is not among its members: becomes a member.'],
  'team-budget': ['changed', 'The budget resets after a time that does not exist here: the next longer one is taken.'],
  'setting-unmapped': ['left out', 'The setting has no counterpart.'],
} as const satisfies Record<string, readonly [Severity, string]>;

export type FindingCode = keyof typeof findingTexts;

/**
 * The effect of a finding on users: calls are refused that the source served, calls cost something else, or something
 * is not imported.
 */
export const findingLists = ['refused here', 'costs differently', 'left out'] as const;
type FindingList = (typeof findingLists)[number];

const listed: Partial<Record<FindingCode, FindingList>> = {
  'model-refused': 'refused here',
  'token-addresses': 'left out',
  'channel-setting-dropped': 'left out',
  'price-keys': 'costs differently',
  'model-without-price': 'costs differently',
  'price-refused': 'costs differently',
  'price-by-channel': 'costs differently',
  'price-new': 'costs differently',
  'price-kind': 'costs differently',
  'plan-group': 'costs differently',
  'plan-preference': 'costs differently',
};

/** @returns null for findings that do not affect users */
function effectOf(code: FindingCode): FindingList | null {
  const [severity] = findingTexts[code];
  if (severity === 'disabled') return 'refused here';
  return listed[code] ?? (severity === 'left out' || severity === 'refused' ? 'left out' : null);
}

/** Decisions that `--accept-price-differences` accepts for all names at once. */
const ofPrices: ReadonlySet<FindingCode> = new Set(['price-keys', 'model-without-price', 'price-by-channel']);

/** One row that a finding is about. */
export interface Example {
  readonly table: string;
  readonly id: string;
  readonly detail: string;
}

export interface Finding {
  readonly code: FindingCode;
  /** If all rows of a blocking finding are accepted, its severity is `changed`. */
  readonly severity: Severity;
  readonly list: FindingList | null;
  readonly text: string;
  readonly count: number;
  /** The first rows, at most `maxExamples`. */
  readonly examples: readonly Example[];
}

const maxExamples = 5_000;

/** Decisions of the operator about findings. */
export interface Accepting {
  readonly accepted?: readonly string[];
  readonly acceptPriceDifferences: boolean;
}

interface Found {
  count: number;
  /** Number of rows that are not accepted. */
  open: number;
  readonly examples: Example[];
}

/** Collects the findings of a run. */
export class Findings {
  private readonly byCode = new Map<FindingCode, Found>();

  add(code: FindingCode, table: string, id: number | string, detail = ''): void {
    this.addExample(code, { table, id: String(id), detail }, 1, true);
  }

  /**
   * Adds a row that blocks the import until its name is accepted.
   * @param name the name that `--accept` takes
   */
  addDecision(
    { accepted = [], acceptPriceDifferences }: Accepting,
    code: FindingCode,
    table: string,
    name: string,
    detail = '',
  ): void {
    const isAccepted = accepted.includes(name) || (acceptPriceDifferences && ofPrices.has(code));
    const shown = isAccepted ? [detail, 'accepted'].filter(Boolean).join('; ') : detail;
    this.addExample(code, { table, id: name, detail: shown }, 1, !isAccepted);
  }

  /** Adds a number of rows that the caller has counted, without examples. */
  count(code: FindingCode, table: string, count: number): void {
    if (count > 0) this.addExample(code, { table, id: '', detail: '' }, count, true);
  }

  list(): Finding[] {
    const codes = Object.keys(findingTexts) as FindingCode[];
    return codes.flatMap((code) => {
      const found = this.byCode.get(code);
      if (!found) return [];
      const [severity, text] = findingTexts[code];
      const { count, open, examples } = found;
      const isDecided = severity === 'blocking' && open === 0;
      return [{ code, severity: isDecided ? 'changed' : severity, list: effectOf(code), text, count, examples }];
    });
  }

  private addExample(code: FindingCode, example: Example, count: number, isOpen: boolean): void {
    const found = this.byCode.get(code) ?? { count: 0, open: 0, examples: [] };
    found.count += count;
    if (isOpen) found.open += count;
    if (found.examples.length < maxExamples) found.examples.push(example);
    this.byCode.set(code, found);
  }
}
