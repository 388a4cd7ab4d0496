import { Secrets } from '../../shared/secrets.js';
import { AccountService, type AccountServiceDeps } from './account.service.js';
import { withFreshAffiliateCode } from './new-user.js';

/** Returns a driver's error in the form in which TypeORM wraps it. */
const violationOf = (constraint: string): Error =>
  Object.assign(new Error('duplicate key'), { driverError: { code: '23505', constraint } });

describe('withFreshAffiliateCode', () => {
  const failing = (times: number, error: Error) => {
    let left = times;
    return jest.fn(() => (left-- > 0 ? Promise.reject(error) : Promise.resolve('done')));
  };

  it('tries again while the random code is somebody’s', async () => {
    const run = failing(4, violationOf('users_aff_code'));
    await expect(withFreshAffiliateCode(run)).resolves.toBe('done');
    expect(run).toHaveBeenCalledTimes(5);
  });

  it('gives up after five', async () => {
    const error = violationOf('users_aff_code');
    await expect(withFreshAffiliateCode(failing(5, error))).rejects.toBe(error);
  });

  it('leaves every other failure alone', async () => {
    const run = failing(1, violationOf('users_username'));
    await expect(withFreshAffiliateCode(run)).rejects.toThrow('duplicate key');
    expect(run).toHaveBeenCalledTimes(1);
  });
});

it('an access token that somebody has already is not handed out', async () => {
  const update = jest.fn(() => Promise.reject(violationOf('users_access_token_hash')));
  const announce = jest.fn();
  const manager = { transaction: (run: (manager: unknown) => Promise<unknown>) => run({ update }) };
  const service = new AccountService({
    users: { manager },
    sessions: { assertNotEnded: () => Promise.resolve() },
    secrets: new Secrets('encryption key of a test'),
    changes: { announce },
  } as unknown as AccountServiceDeps);
  const actor = { id: 1, username: 'a', role: 'common', status: 'enabled', group: 'default' } as const;
  await expect(service.renewAccessToken(actor)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'Duplicate generated, retry',
  });
  expect(update).toHaveBeenCalledTimes(1);
  expect(announce).not.toHaveBeenCalled();
});
