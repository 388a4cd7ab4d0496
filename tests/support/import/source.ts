import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import mysql from 'mysql2/promise';
import sqlite from 'node-sqlite3-wasm';
import pg from 'pg';
import { createEmptyDatabase } from '../database.js';
import type { Content } from './content.js';
import { createTables, literal, type Engine, type Family } from './schemas.js';
import type { MariaDb } from './mariadb.js';

/** A database in the state in which the source program left it. */
export interface TestSource {
  /** The address in the form of the command. */
  readonly address: string;
  /** Executes a statement. */
  execute(sql: string): Promise<void>;
  /** Digest of the file, or of every row. */
  checksum(): Promise<string>;
  drop(): Promise<void>;
}

/** Writes a site into a new database of the engine. */
export async function createSource(
  family: Family,
  engine: Engine,
  content: Content,
  mariadb: MariaDb | null = null,
): Promise<TestSource> {
  const source = await openEmpty(engine, mariadb);
  for (const statement of createTables(family, engine)) await source.execute(statement);
  const quote = engine === 'mysql' ? '`' : '"';
  for (const [table, rows] of content.tables) {
    for (let start = 0; start < rows.length; start += 500) {
      const part = rows.slice(start, start + 500);
      const names = Object.keys(part[0] ?? {});
      const values = part.map(
        (row) => `(${names.map((name) => literal(row[name], family, table, name, engine)).join(', ')})`,
      );
      const columns = names.map((name) => `${quote}${name}${quote}`).join(', ');
      await source.execute(`INSERT INTO ${quote}${table}${quote} (${columns}) VALUES ${values.join(', ')}`);
    }
  }
  return source;
}

async function openEmpty(engine: Engine, mariadb: MariaDb | null): Promise<TestSource> {
  if (engine === 'sqlite') return sqliteSource();
  if (engine === 'postgres') return postgresSource();
  if (!mariadb) throw new Error('MariaDB is not running');
  return mysqlSource(mariadb);
}

/** Copies a source in SQLite, which takes a fraction of the time that writing it takes. */
export const copySource = (original: TestSource): Promise<TestSource> => sqliteSource(original.address);

/** A file as the old programs write it. @param original a file to copy; default: none */
async function sqliteSource(original?: string): Promise<TestSource> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-source-'));
  const path = join(folder, 'one-api.db');
  if (original) await copyFile(original, path);
  const database = new sqlite.Database(path);
  database.exec('PRAGMA synchronous = OFF');
  const digest = createHash('sha256');
  return {
    address: path,
    execute: async (sql) => database.exec(sql),
    async checksum() {
      const files = [path, `${path}-wal`].filter((file) => existsSync(file));
      return files.reduce((hash, file) => hash.update(readFileSync(file)), digest.copy()).digest('hex');
    },
    async drop() {
      database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function postgresSource(): Promise<TestSource> {
  const database = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return {
    address: database.url,
    async execute(sql) {
      await client.query(sql);
    },
    async checksum() {
      const { rows } = await client.query<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`,
      );
      const digest = createHash('sha256');
      for (const { name } of rows) {
        const found = await client.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t ORDER BY 1`);
        digest.update(found.rows.map(({ row }) => row).join('\n'));
      }
      return digest.digest('hex');
    },
    async drop() {
      await client.end();
      await database.drop();
    },
  };
}

async function mysqlSource(server: MariaDb): Promise<TestSource> {
  const name = `source_${randomUUID().replaceAll('-', '')}`;
  const connection = await mysql.createConnection({
    socketPath: server.socket,
    user: 'root',
    multipleStatements: false,
  });
  await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  await connection.query(`USE ${name}`);
  return {
    // The address has Go's form, with a password that contains its separators.
    address: `mover:p@ss/w:rd@tcp(127.0.0.1:${server.port})/${name}?charset=utf8mb4&parseTime=true`,
    async execute(sql) {
      await connection.query(sql);
    },
    async checksum() {
      const [tables] = await connection.query<mysql.RowDataPacket[]>('SHOW TABLES');
      const names = tables.map((row) => String(Object.values(row)[0])).sort();
      const [sums] = await connection.query<mysql.RowDataPacket[]>(
        `CHECKSUM TABLE ${names.map((table) => `\`${table}\``).join(', ')} EXTENDED`,
      );
      return JSON.stringify(sums);
    },
    async drop() {
      await connection.query(`DROP DATABASE ${name}`);
      await connection.end();
    },
  };
}
