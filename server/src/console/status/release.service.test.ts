import type { GuardedRequest, GuardedResponse } from '../../platform/outbound/guarded-fetch.js';
import { AppError } from '../../shared/errors.js';
import { version } from '../../shared/version.js';
import { ReleaseService } from './release.service.js';

const admin = { id: 1, role: 'admin', status: 'enabled' } as never;
const url = 'https://code.example/releases/latest';

function serviceThatHears(status: number, body: unknown, address: string | undefined = url) {
  const calls: GuardedRequest[] = [];
  const fetch = (call: GuardedRequest): Promise<GuardedResponse> => {
    calls.push(call);
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    return Promise.resolve({ status, headers: {}, body: bytes, url });
  };
  return { calls, service: new ReleaseService({ fetch }, address) };
}

const failureOf = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof AppError ? error.code : String(error);
};

it('tells the newest release and whether it runs here, with or without its v', async () => {
  const newer = serviceThatHears(200, { tag_name: 'v99.0.0', body: '# News' });
  expect(await newer.service.latest(admin)).toEqual({ tag: 'v99.0.0', notes: '# News', current: false });
  expect(newer.calls).toMatchObject([{ url, policy: 'admin' }]);
  const same = serviceThatHears(200, { tag_name: `v${version}`, body: null });
  expect(await same.service.latest(admin)).toEqual({ tag: `v${version}`, notes: '', current: true });
});

it('asks nobody where no address is configured', async () => {
  const calls: GuardedRequest[] = [];
  const silent = new ReleaseService(
    { fetch: (call) => (calls.push(call), Promise.reject(new Error('asked'))) },
    undefined,
  );
  expect(await silent.latest(admin)).toBeNull();
  expect(calls).toEqual([]);
});

it('is for admins', async () => {
  const { service, calls } = serviceThatHears(200, { tag_name: 'v1' });
  expect(await failureOf(service.latest({ id: 2, role: 'common', status: 'enabled' } as never))).toBe(
    'INSUFFICIENT_PRIVILEGES',
  );
  expect(await failureOf(service.latest(null))).toBe('NOT_SIGNED_IN');
  expect(calls).toEqual([]);
});

it.each([
  [404, { message: 'Not Found' }, 'UPSTREAM_UNREACHABLE'],
  [200, { tag: 'v1' }, 'UPSTREAM_INVALID_RESPONSE'],
  [200, '<html>', 'UPSTREAM_INVALID_RESPONSE'],
])('fails calmly when the answer is %s %j', async (status, body, code) => {
  expect(await failureOf(serviceThatHears(status, body).service.latest(admin))).toBe(code);
});
