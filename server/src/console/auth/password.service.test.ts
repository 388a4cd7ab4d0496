import bcrypt from 'bcrypt';
import { PasswordService } from './password.service.js';

const weak = { memoryCost: 8, timeCost: 1, parallelism: 1 };

it('hashes with 19 MiB and two passes by default', async () => {
  expect(await new PasswordService().hash('secret')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

it('hashes with the given strength, and verifies hashes of any other', async () => {
  const passwords = new PasswordService(weak);
  expect(await passwords.hash('secret')).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
  const strong = await new PasswordService().hash('secret');
  expect(await passwords.check(strong, 'secret')).toEqual({ matches: true, outdated: false });
  expect(await passwords.check(strong, 'another')).toEqual({ matches: false, outdated: false });
});

it('reports a bcrypt hash as outdated', async () => {
  const stored = await bcrypt.hash('secret', 4);
  expect(await new PasswordService(weak).check(stored, 'secret')).toEqual({ matches: true, outdated: true });
  expect(await new PasswordService(weak).check(stored, 'another')).toEqual({ matches: false, outdated: true });
});

it('refuses every password when there is no stored hash', async () => {
  const passwords = new PasswordService(weak);
  expect(await passwords.check(null, 'no user has this password')).toEqual({ matches: false, outdated: false });
});
