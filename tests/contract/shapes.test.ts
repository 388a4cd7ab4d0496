import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/**
 * A noun is written out at most six times: entity, input, GraphQL object, wire, fragment and form of the console, row of an
 * import. All others are derived from one of these (`Pick`, `Partial`, a spread), so that a new field is added in few files.
 * A declaration counts when it has two fifths of the fields that the entity does not share with most others.
 */
const maxShapes = 6;
const share = 0.4;
const minFields = 4;

const root = join(import.meta.dirname, '../..');
const commonFields =
  /^(?:id|name|status|state|type|key|enabled|createdAt|updatedAt|deletedAt|userId|accountId|tokenId|group|models|username|comment)$/;
/** Rows of the log and of the ledger, and parts of a column: SQL reads them, not an object of the noun. */
const records = /\/(?:log|statement|usage|budget|system|task|drawing|ledger)[^/]*\.entity\.ts$/;

interface Shape {
  readonly file: string;
  readonly name: string;
  readonly fields: ReadonlySet<string>;
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:tsx?|graphql)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !/\.test\.|\.generated\.|\/(?:gql|i18n|testing)\//.test(file));
}

/** Returns the fields that a declaration lists, by their names in the entity. A table of texts has none; a relation is no field. */
function fieldsOf(node: ts.Node): ReadonlySet<string> {
  const members =
    ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node)
      ? node.members
      : ts.isObjectLiteralExpression(node) && !node.properties.every(isText)
        ? node.properties
        : [];
  return new Set(
    [...members].flatMap(({ name }) =>
      name && 'text' in name && !isRelation(name.parent) ? [camelCase(name.text)] : [],
    ),
  );
}

const isRelation = (member: ts.Node): boolean =>
  ts.isPropertyDeclaration(member) && !!ts.getDecorators(member)?.some((one) => one.getText().startsWith('@ManyToOne'));

const isText = (property: ts.ObjectLiteralElementLike): boolean =>
  ts.isPropertyAssignment(property) && ts.isStringLiteralLike(property.initializer);

/** Returns the declarations of a file that list fields. Functions are left out: they convert one shape to another. */
function shapesOfSource(file: string, text: string): Shape[] {
  const shapes: Shape[] = [];
  const visit = (node: ts.Node, outer: string): void => {
    if (ts.isFunctionLike(node)) return;
    const named =
      (ts.isVariableDeclaration(node) || ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) && node.name;
    const name = named && ts.isIdentifier(named) ? named.text : outer;
    const fields = fieldsOf(node);
    if (fields.size >= minFields) shapes.push({ file, name, fields });
    ts.forEachChild(node, (child) => visit(child, name));
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), '');
  return shapes;
}

const shapesOfDocument = (file: string, text: string): Shape[] =>
  [...text.matchAll(/^(?:fragment|query|mutation) (\w+)[^{]*\{(.*?)\n\}/gms)].map(([, name = '', body = '']) => ({
    file,
    name,
    fields: new Set(body.match(/\b[a-z]\w*\b/g)),
  }));

const shapes = ['server/src', 'client/src'].flatMap(sourcesIn).flatMap((file) => {
  const text = readFileSync(join(root, file), 'utf8');
  return file.endsWith('.graphql') ? shapesOfDocument(file, text) : shapesOfSource(file, text);
});

const nouns = shapes
  .filter(({ file, name }) => file.endsWith('.entity.ts') && /^[A-Z]/.test(name) && !records.test(file))
  .map(({ name, fields }) => ({ name, own: [...fields].filter((field) => !commonFields.test(field)) }))
  .filter(({ own }) => own.length >= minFields);

/** Returns the files that write out a noun. */
const filesOf = (own: readonly string[]): string[] => [
  ...new Set(
    shapes
      .filter(({ fields }) => own.filter((field) => fields.has(field)).length >= Math.max(3, own.length * share))
      .map(({ file }) => file),
  ),
];

it('knows the nouns that have the most shapes', () => {
  const names = nouns.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['Token', 'Channel', 'User', 'Redemption', 'Plan', 'TopUpOrder']));
  const token = nouns.find(({ name }) => name === 'Token')?.own ?? [];
  expect(filesOf(token).sort()).toEqual([
    'client/src/screens/tokens/tokens.graphql',
    'server/src/billing/accounts/token.entity.ts',
    'server/src/console/tokens/token-input.ts',
    'server/src/console/tokens/token.object.ts',
    'server/src/console/tokens/token.wire.ts',
  ]);
});

it.each(nouns)('$name is written out at most six times', ({ own }) => {
  const files = filesOf(own);
  expect(files.length > maxShapes ? files : []).toEqual([]);
});
