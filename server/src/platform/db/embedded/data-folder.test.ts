import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFolder, loadOrCreateSecrets, prepareDataFolder, readSecrets, type DataFolder } from './data-folder.js';
import { EmbeddedError } from './embedded-error.js';

let top: string;
let folder: DataFolder;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'tollgate-data-'));
  folder = dataFolder(join(top, 'deep', 'data'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

it('makes the folder for its owner alone, and closes one that was open', async () => {
  await prepareDataFolder(folder);
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  chmodSync(folder.path, 0o777);
  await prepareDataFolder(folder);
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
});

it('leaves a folder with files of others as it is, and refuses one in which every user may write', async () => {
  writeFileSync(join(top, 'of another program'), '');
  chmodSync(top, 0o755);
  await prepareDataFolder(dataFolder(top));
  expect(statSync(top).mode & 0o777).toBe(0o755);
  chmodSync(top, 0o777);
  await expect(prepareDataFolder(dataFolder(top))).rejects.toThrow(/^DATA_DIR .+ can be written by every user and .+/);
  expect(statSync(top).mode & 0o777).toBe(0o777);
  expect(readdirSync(top)).toEqual(['of another program']);
});

it('ends below a folder in which nothing can be created', async () => {
  for (const path of ['/proc/tollgate', '/proc/tollgate/data']) {
    await expect(prepareDataFolder(dataFolder(path))).rejects.toThrow(/^DATA_DIR .+ cannot be used by this user .+/);
  }
});

it('says what to do when a file is in the way', async () => {
  writeFileSync(join(top, 'deep'), '');
  await expect(prepareDataFolder(folder)).rejects.toThrow(/^DATA_DIR .+ cannot be used by this user \(ENOTDIR\): .+/);
});

it('makes the secrets once, random, mode 0600, and leaves no draft', async () => {
  await prepareDataFolder(folder);
  const made = await loadOrCreateSecrets(folder);
  expect(await loadOrCreateSecrets(folder)).toEqual(made);
  expect(await readSecrets(folder)).toEqual(made);
  expect(new Set(Object.values(made)).size).toBe(3);
  for (const secret of Object.values(made)) expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(folder.secrets).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path)).toEqual(['secrets.json']);
});

it('never invents new ones beside a database, and never overwrites damaged ones', async () => {
  await prepareDataFolder(folder);
  mkdirSync(folder.cluster, { recursive: true });
  await expect(loadOrCreateSecrets(folder)).rejects.toThrow(EmbeddedError);
  for (const damaged of ['', '{', 'null', '{"sessionSecret":"x","encryptionKey":"","databasePassword":"y"}']) {
    writeFileSync(folder.secrets, damaged);
    await expect(loadOrCreateSecrets(folder)).rejects.toThrow(/damaged/);
    expect(readFileSync(folder.secrets, 'utf8')).toBe(damaged);
  }
});
