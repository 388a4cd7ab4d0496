import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A real OpenID provider and the browser of one of its users. */
export interface OidcIssuer {
  readonly issuer: string;
  /**
   * Follows an authorization URL as this person.
   * @returns the final redirect of the provider
   */
  visit(url: string, person: string): Promise<URL>;
  stop(): Promise<void>;
}

export async function startOidcIssuer(clientSecret: string, redirectUri: string): Promise<OidcIssuer> {
  const script = join(import.meta.dirname, 'oidc-provider.mjs');
  const child = spawn(process.execPath, [script, clientSecret, redirectUri], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [issuer] = (await Promise.race([
    once(lines, 'line'),
    ended.then(() => Promise.reject(new Error('the OpenID provider did not start'))),
  ])) as [string];
  return {
    issuer,
    visit: (url, person) => browse(`${url}&login_hint=${person}`, issuer),
    async stop() {
      child.kill();
      await ended;
    },
  };
}

async function browse(start: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  for (let hop = 0; hop < 10 && url.origin === issuer; hop++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (!location) throw new Error(`the provider answered ${answer.status} ${await answer.text()}`);
    url = new URL(location, url);
  }
  return url;
}
